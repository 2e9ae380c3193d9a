import {
  type AgentId,
  type AgentNode,
  type MessageRange,
  mainAgentOf,
  nativeId,
  type OpenedSession,
  type SessionTree,
  type Transcript,
  type TranscriptMessage,
  type Transcripts,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { UserError } from '../lib/user-error.ts';
import { claim, type FoundSession, findSessions } from './find-sessions.ts';
import type { TranscriptPage } from './live-feed.ts';
import type { DataFolder } from './places.ts';
import { ReadSessions } from './read-session.ts';
import { createCachedOpener, readTranscript } from './read-transcript.ts';
import type { OpenCache } from './session-cache.ts';
import { ambiguous } from './sessions.ts';

export function createTranscripts(places: readonly DataFolder[], clock: Clock, openCache?: OpenCache): Transcripts {
  const openIn = async (
    session: FoundSession,
    all: readonly FoundSession[],
    range: MessageRange | undefined,
    choose: (tree: SessionTree) => AgentNode | undefined,
  ) => {
    const cache = await openCache?.();
    const ours = cache?.knows(session) ? session : await claim(session, new Set());
    if (!ours) return undefined;
    const read = new ReadSessions(all, clock, { withoutFacts: true, cache });
    await read.add([ours]);
    const tree = read.joined().of(ours.located.id);
    // Of those that stand in its tree, each is found in its own session.
    const node = tree && choose({ ...tree, agents: tree.agents.filter((agent) => agent.session === undefined) });
    const { root } = ours.located;
    if (!node) return undefined;
    const open = createCachedOpener(cache, clock);
    const { transcript, total } = await readTranscript(ours, tree, node, range, { open });
    return { tree, agent: node.id, root, transcript, total };
  };
  return {
    async read(wanted, session, range) {
      const found = await findSessions(places);
      const sessions = found.sessions.filter(
        ({ located }) => session === undefined || nativeId(located.id) === session,
      );
      const hit = findById(sessions, wanted);
      const opened =
        hit &&
        (await openIn(hit.session, found.sessions, range, (tree) => tree.agents.find(({ id }) => id === hit.agent)));
      if (opened) return { ...opened, problems: found.problems };
      for (const one of sessions.slice(0, SEARCHED_BY_NAME)) {
        const named = await openIn(one, found.sessions, range, (tree) => byName(tree, wanted));
        if (named) return { ...named, problems: found.problems };
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

/** An id, or the beginning of one, is found by file names alone. A sidecar may lie in another session's folder, too. */
function findById(sessions: readonly FoundSession[], wanted: string) {
  const hits = new Map<AgentId, { readonly session: FoundSession; readonly agent: AgentId }>();
  for (const session of sessions) {
    const sources = session.located.sources.filter(({ companion }) => !companion);
    const own = sources.flatMap(({ agent, agents = [] }) => (agent === undefined ? agents : [agent, ...agents]));
    for (const agent of [mainAgentOf(session.located.id), ...own]) {
      if (nativeId(agent).startsWith(wanted) && !hits.has(agent)) hits.set(agent, { session, agent });
    }
  }
  const exact = [...hits.values()].find(({ agent }) => nativeId(agent) === wanted);
  if (exact || hits.size <= 1) return exact ?? [...hits.values()][0];
  throw ambiguous('agent', wanted, [...hits.keys()]);
}

/** By name or description; by the beginning of an id, too, for agents that have no file of their own. */
function byName(tree: SessionTree, wanted: string): AgentNode | undefined {
  const named = tree.agents.filter(({ name, description }) => name === wanted || description === wanted);
  const found = named.length > 0 ? named : tree.agents.filter(({ id }) => nativeId(id).startsWith(wanted));
  const ids = found.map(({ id }) => id);
  if (ids.length > 1) throw ambiguous('agent', wanted, ids);
  return found[0];
}

interface CallInTranscript {
  readonly agent: AgentNode;
  /** The host's id of it. */
  readonly id: string;
  readonly tool: string;
  /** Whole, with all secrets in it. */
  readonly input: unknown;
}

/** Every tool call of a session, agent by agent, with what it was given. */
export async function readCalls(
  places: readonly DataFolder[],
  { tree }: Pick<OpenedSession, 'tree'>,
): Promise<readonly CallInTranscript[]> {
  const found = (await findSessions(places)).sessions.find(({ located }) => located.id === tree.id);
  const session = found && (await claim(found, new Set()));
  if (!session) return [];
  const calls = new Map<string, CallInTranscript>();
  for (const agent of tree.agents) {
    const { transcript } = await readTranscript(session, tree, agent);
    for (const block of transcript.messages.flatMap(({ content }) => content))
      if (block.type === 'tool_use' && !calls.has(block.tool_use_id))
        calls.set(block.tool_use_id, { agent, id: block.tool_use_id, tool: block.name, input: block.input });
  }
  return [...calls.values()];
}

type ReadPage = (agent: string, range: MessageRange, session: string) => Promise<TranscriptPage | undefined>;

const PAGE = 500;
/** Results are added to messages that were read before: so many of the last ones are read again. */
const OVERLAP = 50;

/** Whole transcripts out of pages. Of the one that was read last, only what is new is read again. */
export function createPagedReader(readPage: ReadPage) {
  let kept: { readonly key: string; readonly messages: readonly TranscriptMessage[] } | undefined;
  return async (agent: string, session: string): Promise<{ readonly transcript: Transcript }> => {
    const key = `${session} ${agent}`;
    let messages = kept?.key === key ? kept.messages.slice(0, -OVERLAP) : [];
    for (;;) {
      const page = await readPage(agent, { from: messages.length, limit: PAGE }, session);
      if (!page) throw new UserError('agent-not-found', 'This agent is not there any more.', 'Go back with escape.');
      // It was written anew, and is shorter now.
      if (page.total < messages.length) {
        messages = [];
        continue;
      }
      messages = [...messages, ...page.messages];
      if (messages.length < page.total && page.messages.length > 0) continue;
      kept = { key, messages };
      return { transcript: { ...page, messages } };
    }
  };
}
