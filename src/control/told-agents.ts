/** Messages that wait for their agent: it hears them with its next call, or when it is about to end. */
export interface ToldAgents {
  /** True once it is handed over, false where the agent ended without. */
  add(agent: string, text: string): Promise<boolean>;
  /** Everything that waits for it, as one text. Whoever takes it hands it over. */
  take(agent: string | undefined): string | undefined;
  /** The agent has ended: what still waits, it never heard. */
  lose(agent: string): void;
  loseAll(): void;
}

interface Message {
  readonly text: string;
  settle(isHeard: boolean): void;
}

export function createToldAgents(): ToldAgents {
  const waiting = new Map<string, Message[]>();
  const settle = (agent: string, isHeard: boolean): readonly Message[] => {
    const messages = waiting.get(agent) ?? [];
    waiting.delete(agent);
    for (const message of messages) message.settle(isHeard);
    return messages;
  };
  return {
    add: (agent, text) =>
      new Promise((resolve) => {
        waiting.set(agent, [...(waiting.get(agent) ?? []), { text, settle: resolve }]);
      }),
    take(agent) {
      if (agent === undefined || !waiting.has(agent)) return undefined;
      return settle(agent, true)
        .map(({ text }) => text)
        .join('\n\n');
    },
    lose: (agent) => void settle(agent, false),
    loseAll() {
      for (const agent of [...waiting.keys()]) settle(agent, false);
    },
  };
}
