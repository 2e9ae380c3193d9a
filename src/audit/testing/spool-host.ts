import { type AuditAgent, toAgentId, toSessionId, toToolCallId } from '../../core/index.ts';
import { asObject, asText, known } from '../../lib/json.ts';
import type { DrainOptions, QueueHost } from '../drain.ts';

/** A host of our own: the drain knows none by name. */
export const testHost: QueueHost = {
  read(payload) {
    const raw = asObject(payload);
    const [name, session, agent] = ['event', 'session', 'agent'].map((key) => asText(raw?.[key]));
    if (!name || !session) return undefined;
    const tool = asText(raw?.['tool']);
    return {
      host: 'test',
      name,
      session: toSessionId('test', session),
      caller: agent ? { named: 'agent', agent: toAgentId('test', agent), type: 'tester' } : { named: 'nobody' },
      ...known({ cwd: asText(raw?.['cwd']) }),
      ...(tool
        ? {
            call: {
              tool,
              subject: asText(raw?.['subject']) ?? 'a subject',
              input: raw?.['input'],
              spawns: false,
              id: toToolCallId(`${raw?.['seq']}`),
            },
          }
        : {}),
    };
  },
  condense(payload) {
    const raw = asObject(payload);
    return raw?.['quiet'] ? undefined : { seq: raw?.['seq'], ...known({ note: asText(raw?.['note']) }) };
  },
};

export const MAIN: AuditAgent = {
  who: 'main',
  id: 'm',
  type: null,
  name: null,
  kind: 'main',
  depth: 0,
  path: ['main'],
  evidence: 'exact',
  reason: null,
};

export function testOptions(folder: string): DrainOptions {
  return {
    folder,
    hostOf: async (name) => (name === 'test' || name === 'other.host' ? testHost : undefined),
    async identify({ caller }) {
      if (caller.named === 'nobody') return MAIN;
      const id = caller.agent.slice(5);
      return { ...MAIN, who: 'subagent', id, type: caller.type ?? null, name: 'Ann', depth: 1, path: ['main', 'Ann'] };
    },
    clock: () => Date.now(),
  };
}
