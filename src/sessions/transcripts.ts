import {
  type AgentId,
  type AgentNode,
  mainAgentOf,
  nativeId,
  type SessionTree,
  type Transcripts,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { UserError } from '../lib/user-error.ts';
import { claim, type FoundSession, findSessions } from './find-sessions.ts';
import type { Place } from './places.ts';
import { createReadSessions } from './read-joined.ts';
import { readTranscript } from './read-transcript.ts';

export function createTranscripts(places: readonly Place[], clock: Clock): Transcripts {
  const openIn = async (
    session: FoundSession,
    all: readonly FoundSession[],
    choose: (tree: SessionTree) => AgentNode | undefined,
  ) => {
    const ours = await claim(session, new Set());
    if (!ours) return undefined;
    const read = createReadSessions(all, { clock });
    await read.add([ours]);
    const tree = read.joined().of(ours.located.id);
    // Of those that stand in its tree, each is found in its own session.
    const node = tree && choose({ ...tree, agents: tree.agents.filter((agent) => agent.session === undefined) });
    const { root } = ours.located;
    return node && { tree, agent: node.id, root, transcript: (await readTranscript(ours, tree, node)).transcript };
  };
  return {
    async read(wanted, session) {
      const found = await findSessions(places);
      const sessions = found.sessions.filter(
        ({ located }) => session === undefined || nativeId(located.id) === session,
      );
      const hit = findById(sessions, wanted);
      const opened =
        hit && (await openIn(hit.session, found.sessions, (tree) => tree.agents.find(({ id }) => id === hit.agent)));
      if (opened) return opened;
      for (const one of sessions.slice(0, SEARCHED_BY_NAME)) {
        const named = await openIn(one, found.sessions, (tree) => byName(tree, wanted));
        if (named) return named;
      }
      throw new UserError(
        'agent-not-found',
        `No agent's id begins with «${wanted}», and the newest sessions have none of that name.`,
        'See the ids with: troupe tree --json',
      );
    },
  };
}

/** A name has to be read to be found. */
const SEARCHED_BY_NAME = 20;

interface Hit {
  readonly session: FoundSession;
  readonly agent: AgentId;
}

/** An id, or the beginning of one, is found by file names alone. A sidecar may lie in another session's folder, too. */
function findById(sessions: readonly FoundSession[], wanted: string): Hit | undefined {
  const hits = new Map<AgentId, Hit>();
  for (const session of sessions) {
    const sources = session.located.sources.filter(({ companion }) => !companion);
    const own = sources.flatMap(({ agent, agents = [] }) => (agent === undefined ? agents : [agent, ...agents]));
    for (const agent of [mainAgentOf(session.located.id), ...own]) {
      if (nativeId(agent).startsWith(wanted) && !hits.has(agent)) hits.set(agent, { session, agent });
    }
  }
  const exact = [...hits.values()].find(({ agent }) => nativeId(agent) === wanted);
  if (exact || hits.size <= 1) return exact ?? [...hits.values()][0];
  throw ambiguous(wanted, [...hits.keys()]);
}

function ambiguous(wanted: string, agents: readonly AgentId[]): UserError {
  const ids = agents.slice(0, 5).map(nativeId).join(', ');
  const message = `${agents.length} agents begin with «${wanted}»: ${ids}${agents.length > 5 ? ' …' : ''}`;
  return new UserError('agent-ambiguous', message, 'Give more characters of the id.');
}

/** By name or description; by the beginning of an id, too, for agents that have no file of their own. */
function byName(tree: SessionTree, wanted: string): AgentNode | undefined {
  const named = tree.agents.filter(({ name, description }) => name === wanted || description === wanted);
  const found = named.length > 0 ? named : tree.agents.filter(({ id }) => nativeId(id).startsWith(wanted));
  if (found.length > 1)
    throw ambiguous(
      wanted,
      found.map(({ id }) => id),
    );
  return found[0];
}
