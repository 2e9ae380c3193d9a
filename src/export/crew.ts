import type { OpenedTranscripts } from '../model/ports.ts';
import type { AgentWork } from './agent-work.ts';
import type { Taker } from './share-out.ts';

/** Others who do the same work, each in a thread of its own. */
export interface Crew {
  readonly helpers: readonly AgentWork[];
  /** By number: 0 is who asks. */
  homes: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

/** Undefined: it is not worth it, or cannot be. */
export type HireCrew = (session: OpenedTranscripts) => Promise<Crew | undefined>;

/** Less is read before another thread has begun. */
const SMALLEST = { agents: 4, messages: 3000 };

export function isLarge({ agents }: Pick<OpenedTranscripts, 'agents'>): boolean {
  const messages = agents.reduce((sum, { node }) => sum + (node.messageCount ?? 0), 0);
  return agents.length >= SMALLEST.agents && messages >= SMALLEST.messages;
}

/** A thread that looks for its messages now and then gets several tasks ahead. */
const AHEAD = 3;

/** `prepare`: what a helper has to know first. Nobody waits for one that is still starting. */
export function takersOf<Result>(
  own: AgentWork,
  crew: Crew | undefined,
  run: (work: AgentWork, agent: number) => Promise<Result>,
  prepare: (helper: AgentWork) => Promise<void>,
): readonly Taker<Result>[] {
  return [
    { ahead: 1, run: (agent) => run(own, agent) },
    ...(crew?.helpers ?? []).map((helper) => ({
      ahead: AHEAD,
      begun: prepare(helper),
      run: (agent: number) => run(helper, agent),
    })),
  ];
}
