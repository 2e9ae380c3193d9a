import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import {
  type AgentId,
  type AgentNode,
  ledgerFor,
  MESSAGE_DELIVERY,
  mainAgentOf,
  nativeId,
  type OpenedSession,
  type PlacedAgent,
  type SessionId,
  type SessionLedger,
  type Sessions,
  type SessionTranscripts,
  type SessionTree,
  type SharedTranscripts,
  type SkippedAgent,
  type Transcript,
  type TranscriptAuthor,
  type TranscriptBlock,
  type TranscriptMessage,
  type TranscriptReader,
} from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { assertFound, codeOf, UserError } from '../lib/user-error.ts';
import {
  claim,
  type FoundSession,
  type FoundSessions,
  findSessions,
  isOfFiles,
  type SessionSnapshot,
} from './find-sessions.ts';
import type { DataFolder } from './places.ts';
import { createOpener, EVERYTHING, openAnew, readTranscript, type TranscriptOpener } from './read-transcript.ts';
import { stampOf } from './session-cache.ts';

/** Who works in a folder, as far as anybody says. Never fails. */
export type AuthorOf = (folder: string) => Promise<TranscriptAuthor | null>;

export function createSessionTranscripts(
  places: readonly DataFolder[],
  sessions: Sessions,
  authorOf: AuthorOf = async () => null,
  snapshot?: SessionSnapshot,
): SessionTranscripts {
  return {
    async open(prefix, onFound) {
      const opened = await sessions.open(prefix, onFound);
      const found = await claimAll(await (snapshot?.find() ?? findSessions(places)), opened);
      if (!found.has(opened.tree.id))
        throw new UserError(
          'session-not-found',
          'The session went away while it was read.',
          'List them with: troupe ls',
        );
      const { tree } = opened;
      const placed = placeAgents(opened);
      const author = () => (tree.cwd === undefined ? Promise.resolve(null) : authorOf(tree.cwd));
      const reading = { tree, agents: placed.agents };
      return {
        ...opened,
        ...placed,
        author,
        // Who reads all of it again need not look for the messages again.
        ...createReader({ ...reading, sessions: found, author, open: createOpener(Number.POSITIVE_INFINITY) }),
        async edition() {
          const stamps = [...found.values()].map((one) => stampOf(one, Date.now()));
          if (stamps.includes(undefined)) return undefined;
          return createHash('sha256')
            .update(serialize([stamps, tree, await author()]))
            .digest('base64url');
        },
        async share() {
          if (![...found.values()].every(isOfFiles)) return undefined;
          const sessions = [...found.values()].map(({ adapter, ...session }) => ({ ...session, host: adapter.host }));
          return { ...reading, sessions, author: await author() } satisfies Shared;
        },
      };
    },
  };
}

/** The session, and those that stand in its tree. */
async function claimAll({ sessions }: FoundSessions, { tree }: OpenedSession) {
  const wanted = new Set([tree.id, ...tree.agents.flatMap(({ session }) => session ?? [])]);
  const claimed = new Map<SessionId, FoundSession>();
  for (const one of sessions.filter(({ located }) => wanted.has(located.id))) {
    const ours = await claim(one, new Set());
    if (ours) claimed.set(ours.located.id, ours);
  }
  return claimed;
}

/** A session that another thread has opened, by what its `share` gave. */
export function reopenTranscripts(adapters: readonly SourceAdapter[], shared: SharedTranscripts): TranscriptReader {
  const { sessions, author, ...reading } = shared as unknown as Shared;
  const found = sessions.map(({ host, ...session }) => {
    const adapter = adapters.find((one) => one.host === host);
    return { ...session, adapter: assertFound(adapter, `nobody reads ${host} here`) };
  });
  const byId = new Map(found.map((session) => [session.located.id, session]));
  return createReader({ ...reading, sessions: byId, open: openAnew, author: async () => author });
}

interface Shared extends Pick<Reading, 'tree' | 'agents'> {
  /** An adapter cannot be handed to another thread: there is one of the same name. */
  readonly sessions: readonly (Omit<FoundSession, 'adapter'> & { readonly host: string })[];
  readonly author: TranscriptAuthor | null;
}

interface Reading {
  /** The session, and those that stand in its tree. */
  readonly sessions: ReadonlyMap<SessionId, FoundSession>;
  readonly tree: SessionTree;
  readonly agents: readonly PlacedAgent[];
  readonly open: TranscriptOpener;
  readonly author: () => Promise<TranscriptAuthor | null>;
}

function createReader(reading: Reading): TranscriptReader {
  const viewOf = createParentLookup(reading);
  return {
    async *read(which) {
      const { agents } = reading;
      const author = await reading.author();
      for (const { node, depth } of which ? which.flatMap((index) => agents[index] ?? []) : agents) {
        const { own, problem, edition } = await readOwn(reading, node);
        const isOwn = own.messages.length > 0;
        const transcript = isOwn ? own : fromParent(own, await viewOf(node), problem);
        yield { node, depth, transcript: { ...transcript, author }, edition: isOwn ? edition : undefined };
      }
    },
  };
}

/** What the parent of one without lines of its own knows of it. The parent is read for that: it is rare. */
function createParentLookup(reading: Reading): (node: AgentNode) => Promise<ParentView | undefined> {
  let last: { readonly parent: AgentNode; readonly told: ReadonlyMap<string, ParentView> } | undefined;
  return async ({ id, link }) => {
    const parent = reading.agents.find(({ node }) => node.id === link.parent)?.node;
    if (!parent) return undefined;
    if (last?.parent !== parent) {
      const { own } = await readOwn(reading, parent);
      last = { parent, told: findInParent(own, sessionOf(reading, parent).adapter) };
    }
    return last.told.get(nativeId(id));
  };
}

function sessionOf({ sessions, tree }: Reading, { session }: AgentNode): FoundSession {
  const found = sessions.get(session ?? tree.id) ?? sessions.get(tree.id);
  return assertFound(found, 'a session that is read was found');
}

async function readOwn(reading: Reading, node: AgentNode) {
  const { open, tree } = reading;
  /** Why a part of it cannot be read, without where that lies. */
  let problem: string | undefined;
  const onUnreadable = ({ cause }: UserError): void => {
    problem = `It cannot be read: ${codeOf(cause)}`;
  };
  const options = { open, withMedia: true, onUnreadable };
  const { transcript, edition } = await readTranscript(sessionOf(reading, node), tree, node, EVERYTHING, options);
  return { own: transcript, problem, edition };
}

/** Whose conversations are worth taking along, and where each stands; what is below one that is not moves up. */
function placeAgents(opened: OpenedSession) {
  const { tree } = opened;
  const main = mainAgentOf(tree.id);
  const depths = new Map<AgentId, number>();
  const agents: PlacedAgent[] = [];
  const skipped: SkippedAgent[] = [];
  // A parent stands before its children.
  for (const node of tree.agents) {
    const above = node.link.parent === undefined ? undefined : depths.get(node.link.parent);
    const skip = node.id === main ? undefined : whySkipped(node, ledgerFor(node, opened));
    const depth = node.id === main ? 0 : (above ?? 0) + 1;
    depths.set(node.id, skip ? depth - 1 : depth);
    if (skip) skipped.push({ agent_id: nativeId(node.id), ...skip });
    else agents.push({ node, depth });
  }
  return { agents, skipped };
}

function whySkipped(node: AgentNode, ledger: SessionLedger): Omit<SkippedAgent, 'agent_id'> | undefined {
  if (node.kind === 'internal' && node.internal !== MESSAGE_DELIVERY) {
    return { kind: 'internal', reason: `The host started it for itself: ${node.internal ?? 'it does not say why'}.` };
  }
  if (node.kind === 'internal' && standsElsewhere(node.id, ledger)) {
    return { kind: 'delivery', reason: 'It delivers a message; all that was said in it stands in other transcripts.' };
  }
  if ((node.messageCount ?? 0) === 0 && node.link.call === undefined) {
    return { kind: 'empty', reason: 'Nothing was said in it.' };
  }
  return undefined;
}

/** A teammate may have done its work in the file that the message made: then it is not only a delivery. */
function standsElsewhere(agent: AgentId, { messages }: SessionLedger): boolean {
  for (const { role, agents } of messages.values())
    if (role === 'assistant' && agents.has(agent) && agents.size === 1) return false;
  return true;
}

/** What a parent's transcript holds of a sub-agent's conversation. */
interface ParentView {
  readonly call: string;
  readonly prompt: string | undefined;
  readonly askedAt: string | null;
  /** Its report; of one in the background, what the notice of its end handed over. */
  readonly answer: string | undefined;
  readonly answeredAt: string | null;
}

/** By the agents' ids. */
function findInParent({ messages }: Transcript, adapter: SourceAdapter): ReadonlyMap<string, ParentView> {
  const told = new Map<string, ParentView>();
  for (const { content, timestamp } of messages) {
    for (const block of content) {
      // A call that made several says nothing of any one of them.
      if (block.type === 'tool_use' && block.sub_agent_ref && !block.sub_agent_refs) {
        const { tool_use_id: call, input, sub_agent_ref } = block;
        const { prompt, answer } = adapter.readSpawnExchange?.(input, answerTo(call, content)) ?? {};
        told.set(sub_agent_ref.agent_id, { call, prompt, askedAt: timestamp, answer, answeredAt: null });
      } else if (block.type === 'notice' && block.agent_id !== null && block.text !== '') {
        const before = told.get(block.agent_id);
        if (before) told.set(block.agent_id, { ...before, answer: block.text, answeredAt: timestamp });
      }
    }
  }
  return told;
}

function answerTo(call: string, content: readonly TranscriptBlock[]): string | undefined {
  const result = content.find((block) => block.type === 'tool_result' && block.tool_use_id === call);
  return result?.type === 'tool_result' ? result.text : undefined;
}

/** An agent whose own lines are not there: it says so, and shows what its parent was given. */
function fromParent(empty: Transcript, told: ParentView | undefined, problem: string | undefined): Transcript {
  const id = empty.session_id;
  const text = problem === undefined ? '' : `${problem}.`;
  const note = { type: 'notice', kind: 'note', title: told ? GONE_BUT : GONE, text, agent_id: id } as const;
  const messages: TranscriptMessage[] = [
    { id: `${id}-note`, role: 'system', timestamp: null, model: null, content: [note] },
  ];
  const say = (part: string, role: 'user' | 'assistant', words: string | undefined, timestamp: string | null): void => {
    const content = [{ type: 'text', text: words ?? '' }] as const;
    if (words) messages.push({ id: `${told?.call}-${part}`, role, timestamp, model: null, content });
  };
  say('prompt', 'user', told?.prompt, told?.askedAt ?? null);
  say('answer', 'assistant', told?.answer, told?.answeredAt ?? null);
  return { ...empty, known_from: told ? 'parent' : 'nothing', messages };
}

const GONE = 'Its own transcript is not there.';
const GONE_BUT = 'Its own transcript is not there. This is what the call that made it holds.';
