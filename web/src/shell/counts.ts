import {
  agentsOf,
  countStandings,
  type LiveSnapshot,
  PLAIN,
  paintMark,
  type SessionDetail,
  type Standing,
  standingOf,
} from '../../../src/core/index.ts';
import type { AgentRef } from '../store.ts';

export type CountName = 'working' | 'needs-you' | 'silent';

/** One part of the answer at a glance. */
export interface Count {
  readonly name: CountName;
  readonly mark: string;
  readonly count: number;
  /** Behind the number. */
  readonly word: string;
}

const COUNTED: readonly { readonly name: CountName; readonly standings: readonly [Standing, ...Standing[]] }[] = [
  { name: 'working', standings: ['running', 'spawning'] },
  { name: 'needs-you', standings: ['needs you'] },
  { name: 'silent', standings: ['silent'] },
];

/** How many work, does one need the person, is one stuck. Whom nobody is counted for is left out. */
export function countsOf(picture: LiveSnapshot | undefined): readonly Count[] {
  if (!picture) return [];
  const standings = countStandings(picture);
  return COUNTED.map(({ name, standings: those }) => {
    const count = those.reduce((sum, standing) => sum + (standings.get(standing) ?? 0), 0);
    return { name, mark: paintMark(those[0], PLAIN), count, word: wordOf(name, count) };
  }).filter(({ count }) => count > 0);
}

function wordOf(name: CountName, count: number): string {
  if (name === 'needs-you') return count === 1 ? 'needs you' : 'need you';
  return name;
}

/** The next one behind `from` who stands so, in the order of the list; from the last one on to the first. */
export function nextOf(
  name: CountName,
  sessions: readonly SessionDetail[],
  from: AgentRef | undefined,
): AgentRef | undefined {
  const wanted: readonly Standing[] = COUNTED.find((one) => one.name === name)?.standings ?? [];
  const agents = sessions.flatMap((session) => agentsOf(session));
  const at = agents.findIndex(({ id, sessionId }) => id === from?.agent && sessionId === from.session);
  const found = [...agents.slice(at + 1), ...agents.slice(0, at + 1)].find(
    (agent) => agent.kind !== 'internal' && wanted.includes(standingOf(agent)),
  );
  return found && { session: found.sessionId, agent: found.id };
}
