import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentId,
  type AgentNode,
  type AuditAgent,
  buildTree,
  computeAuditAgent,
  createOwnerOf,
  type IdentifiedAgent,
  type Identifier,
  type Identity,
  type IdentityEvidence,
  isBusy,
  mainAgentOf,
  nativeId,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  selectAgents,
  selectPath,
  shortenTitle,
} from '../core/index.ts';
import {
  type CallerChain,
  type HookEvent,
  type HooksCapability,
  type SourceAdapter,
  TRIAL_SESSION,
} from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { listAncestry } from '../lib/processes.ts';
import { readHead } from '../lib/read-lines.ts';
import { findSessions } from './find-sessions.ts';
import { adaptersFor, type DataFolder } from './places.ts';
import { readSession } from './read-session.ts';

const MAIN: Identity = { who: 'main', path: [], evidence: { rank: 'none' }, candidates: [] };
const HEAD_BYTES = 64 * 1024;

/** Exact where the call is on disk or the transcript is an agent's own; otherwise what the end of the transcript shows. */
export function createIdentifier(adapters: readonly SourceAdapter[], clock: Clock): Identifier {
  return {
    async identify({ transcript, toolCall, host, asOf }) {
      if (transcript === undefined || transcript === '') return { ...MAIN, reason: 'no transcript was given' };
      // Hosts hand out links to transcripts, too.
      const file = await realpath(path.resolve(transcript)).catch(() => undefined);
      const chosen = adaptersFor(adapters, host);
      const adapter = file === undefined ? undefined : await adapterFor(chosen, file, host);
      if (file === undefined || !adapter?.identify) {
        return { ...MAIN, reason: 'the transcript is missing, empty, unreadable or of no known host' };
      }
      const { session, agent } = await adapter.identify.sessionOf(file);
      const byTail = await adapter.identify.byTail(file, asOf);
      const isAlone = session.sources.length <= 1;
      if (toolCall === undefined && agent === undefined && isAlone) return byTail;
      const ledger = await readSession(adapter, session);
      const tree = buildTree(ledger, { now: clock() });
      const call = toolCall === undefined ? undefined : ledger.calls.get(toolCall);
      const caller = call && createOwnerOf(ledger)(call.agents);
      if (caller !== undefined) return toIdentity(tree.id, tree, caller, { rank: 'exact', source: 'tool-call' });
      if (agent !== undefined) return toIdentity(tree.id, tree, agent, { rank: 'exact', source: 'own-transcript' });
      const guess = withOthersAtWork(byTail, tree);
      if (toolCall === undefined) return guess;
      // The host holds a reply's lines back until the reply has ended, so a hook may ask before its call is on disk.
      return { ...guess, reason: `the call ${toolCall} is not in any transcript of the session yet` };
    },
  };
}

/**
 * The end of the main transcript shows the calls of this turn; agents of earlier turns, woken ones and the children of
 * agents may be at work as well. One that waits for a child makes no calls.
 */
function withOthersAtWork(guess: Identity, tree: SessionTree): Identity {
  const { agent, ...rest } = guess;
  const named = guess.who === 'main' ? [{ id: mainAgentOf(tree.id) }] : agent ? [agent] : guess.candidates;
  const isNamed = ({ id, link }: AgentNode): boolean =>
    named.some((one) => one.id === id || (one.call !== undefined && one.call === link.call));
  const others = selectAgents(tree).filter((node) => isBusy(node) && node.waitingOn !== 'child' && !isNamed(node));
  if (others.length === 0) return guess;
  // Whom the tail names may only be waiting for those who are at work.
  const candidates = [...named.filter((one) => !isWaitingForChild(one, tree)), ...others.map(toIdentified)];
  const [only] = others;
  if (candidates.length === 1 && only)
    return toIdentity(tree.id, tree, only.id, { rank: 'guess', source: 'open-call' });
  const reason = 'several agents are at work; the id of the call would tell them apart';
  return { ...rest, who: 'unknown', evidence: { rank: 'none' }, candidates, reason };
}

function isWaitingForChild({ id, call }: IdentifiedAgent, tree: SessionTree): boolean {
  const node = tree.agents.find((agent) => agent.id === id || (call !== undefined && agent.link.call === call));
  return node?.kind !== 'main' && node?.waitingOn === 'child';
}

async function adapterFor(adapters: readonly SourceAdapter[], file: string, host: string | undefined) {
  try {
    // A pipe would never end.
    if (!(await stat(file)).isFile()) return undefined;
    const head = await readHead(file, HEAD_BYTES);
    for (const adapter of adapters) {
      const loaded = (await adapter.load?.()) ?? adapter;
      if (host !== undefined || loaded.sniff(head)) return loaded;
    }
    return undefined;
  } catch {
    return undefined;
  }
}

function toIdentity(
  session: SessionId,
  tree: SessionTree | undefined,
  id: AgentId,
  evidence: IdentityEvidence,
): Identity {
  const agents = tree ? selectPath(tree, id) : [];
  const base = { session, path: agents.map((agent) => agent.id), evidence, candidates: [] };
  if (id === mainAgentOf(session)) return { ...base, who: 'main' };
  const node = agents.at(-1);
  return { ...base, who: 'subagent', agent: node ? toIdentified(node) : { id } };
}

function toIdentified({ id, type, description, link }: AgentNode): IdentifiedAgent {
  return { id, ...known({ type, description, call: link.call }) };
}

// Who set off a hook, and made the call that it is about.

/** What is known of a session at the moment. */
export interface KnownSession {
  readonly tree: SessionTree;
  readonly ledger: SessionLedger;
}

interface CallerOptions {
  readonly clock: Clock;
  /** The session as it is now: followed, or read anew. */
  readonly open: OpenSession;
  readonly adapters?: readonly SourceAdapter[];
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Hosts write the lines of a reply when it has ended: a hook may be called before its call is in any file. */
const WRITTEN_WITHIN_MS = 2_000;
const PAUSES_MS = [20, 50, 100, 200, 400, 600, 600];
/** So long a hook that names nobody waits for a file that may know better, where its version should have named somebody. */
const DOUBT_MS = 300;
/** Later than this, the transcript may have been written anew. */
const GUESSED_WITHIN_MS = 10_000;

/**
 * Who set off a hook that was called at `at`. By what the hook says; else by the file in which its call stands; else by
 * the only call that was open at that time, as a guess.
 */
export function createCallerIdentifier({ clock, open, adapters = ADAPTERS, pause = sleep }: CallerOptions) {
  const identifier = createIdentifier(adapters, clock);
  return async (event: HookEvent, at: number) => {
    const adapter = adapters.find(({ host }) => host === event.host);
    await adapter?.load?.();
    const hooks = adapter?.hooks;
    let session = await open(event, at);
    let found = byEvidence(event, session, hooks);
    const isFresh = clock() - at < GUESSED_WITHIN_MS;
    const guess = found || !isFresh ? undefined : await guessFrom(event, at, identifier);
    for (const ms of PAUSES_MS) {
      if (clock() - at >= patienceFor(event, found)) break;
      await pause(ms);
      session = await open(event, at);
      found = byEvidence(event, session, hooks);
    }
    const identity = found ?? guess ?? unknown(event, 'its call is in no transcript of the session');
    return { identity, ...(session && { tree: session.tree }) };
  };
}

/** How long after the hook something better may still come. */
function patienceFor(event: HookEvent, found: Identity | undefined): number {
  // `troupe doctor` writes no transcript beside its own calls.
  if (nativeId(event.session).startsWith(TRIAL_SESSION)) return 0;
  if (found?.evidence.rank === 'exact' && found.evidence.source === 'tool-call') return 0;
  if (found?.who === 'subagent') return found.path.length > 1 || hostPathOf(event) ? 0 : WRITTEN_WITHIN_MS;
  if (event.call?.id === undefined) return 0;
  return found ? DOUBT_MS : WRITTEN_WITHIN_MS;
}

/** Nothing but proof: the hook's own word, or the file in which its call stands. */
function byEvidence(event: HookEvent, session: KnownSession | undefined, hooks: HooksCapability | undefined) {
  if (event.caller.named === 'agent') {
    const { agent, type } = event.caller;
    return identityOf(event, session, agent, 'hook', type);
  }
  const call = event.call?.id === undefined ? undefined : session?.ledger.calls.get(event.call.id);
  const owner = call && session && createOwnerOf(session.ledger)(call.agents);
  if (owner !== undefined) return identityOf(event, session, owner, 'tool-call');
  if (!hooks?.namesCallers(session?.tree.hostVersion)) return undefined;
  return identityOf(event, session, mainAgentOf(event.session), 'hook');
}

async function guessFrom(event: HookEvent, at: number, identifier: Identifier): Promise<Identity | undefined> {
  const { transcript, host, call } = event;
  // Calls of agents are open while others are asked for: whose this one is, only its place can say.
  if (call?.spawns) return undefined;
  const guess = await identifier.identify({ asOf: at, ...known({ transcript, host, toolCall: call?.id }) });
  return guess.evidence.rank === 'none' ? unknown(event, guess.reason ?? 'nothing tells who it was') : guess;
}

function identityOf(
  { session: id }: HookEvent,
  session: KnownSession | undefined,
  agent: AgentId,
  source: 'hook' | 'tool-call',
  type?: string,
): Identity {
  const identity = toIdentity(id, session?.tree, agent, { rank: 'exact', source });
  if (identity.who === 'main' || !identity.agent) return identity;
  const reason = identity.path.length > 1 ? undefined : 'its place in the tree is not known';
  // Any agent may write the files beside its transcript; the hook is the host's own word.
  const told = isTeammate(session, agent) ? undefined : type;
  return {
    ...identity,
    agent: { id: agent, ...known({ type }), ...identity.agent, ...known({ type: told }) },
    ...known({ reason }),
  };
}

/** The hook has its name in place of its type. */
function isTeammate(session: KnownSession | undefined, agent: AgentId): boolean {
  return session?.tree.agents.some(({ id, kind }) => id === agent && kind === 'teammate') ?? false;
}

function unknown({ session }: HookEvent, reason: string): Identity {
  return { who: 'unknown', session, path: [], evidence: { rank: 'none' }, candidates: [], reason };
}

/** The session of a hook that was called at `at`, as it is now. */
export type OpenSession = (event: HookEvent, at: number) => Promise<KnownSession | undefined>;

/** What was read so lately counts as now: events come in numbers. */
const FRESH_MS = 200;
/** By so long after a hook, what its host writes about the call is written. */
const WRITTEN_MS = 5_000;

/** Reads sessions from the disk, each as seldom as can be. For a process that follows nothing. */
export function createSessionOpener(places: readonly DataFolder[], clock: Clock): OpenSession {
  const read = new Map<SessionId, { readonly at: number; readonly session: Promise<KnownSession | undefined> }>();
  return async (event, at) => {
    const now = clock();
    const last = read.get(event.session);
    if (last && (now - last.at < FRESH_MS || last.at - at > WRITTEN_MS)) return last.session;
    const session = openOf(event, places, clock);
    read.set(event.session, { at: now, session });
    return session;
  };
}

async function openOf(event: HookEvent, places: readonly DataFolder[], clock: Clock) {
  const found = (await byTranscript(event, places)) ?? (await byPlaces(event, places));
  if (!found) return undefined;
  const ledger = await readSession(found.adapter, found.located);
  return { ledger, tree: buildTree(ledger, { now: clock() }) };
}

/** Where the hook says that it is: no need to look at all sessions. */
async function byTranscript(event: HookEvent, places: readonly DataFolder[]) {
  const file = event.transcript === undefined ? undefined : await realpath(event.transcript).catch(() => undefined);
  // Those of the places know what hooks told before, too.
  const adapter = [...places.map((place) => place.adapter), ...ADAPTERS].find(({ host }) => host === event.host);
  await adapter?.load?.();
  if (file === undefined || !adapter?.identify) return undefined;
  const { session } = await adapter.identify.sessionOf(file);
  return session.id === event.session ? { adapter, located: session } : undefined;
}

async function byPlaces({ session }: HookEvent, places: readonly DataFolder[]) {
  const { sessions } = await findSessions(places);
  return sessions.find(({ located }) => located.id === session);
}

/** Older hosts write the line of a call about when they run its hook: who made it may be known a moment later. */
const NAMED_WITHIN_MS = 300;
const PAUSE_MS = 20;

export async function waitForCaller(look: () => CallerChain, now: CallerChain): Promise<CallerChain> {
  let caller = now;
  for (let waited = 0; (!caller.agent || caller.isLate) && waited < NAMED_WITHIN_MS; waited += PAUSE_MS) {
    await sleep(PAUSE_MS);
    caller = look();
  }
  return caller;
}

/** Who made the call, of a hook that was called at `at` (epoch milliseconds). May take a moment: hosts write late. */
export type NameCaller = (event: HookEvent, at: number) => Promise<AuditAgent>;

export function createCallerNamer(open: OpenSession, clock: Clock): NameCaller {
  const identify = createCallerIdentifier({ clock, open });
  return async (event, at) => {
    const { identity, tree } = await identify(event, at);
    return withHostPath(computeAuditAgent(identity, tree), event);
  };
}

function hostPathOf({ caller }: HookEvent): readonly string[] | undefined {
  return caller.named === 'agent' ? caller.path : undefined;
}

/** An agent that is in no tree: its files may be in a folder that nobody follows. */
function withHostPath(agent: AuditAgent, event: HookEvent): AuditAgent {
  const path = hostPathOf(event);
  if (agent.who !== 'subagent' || agent.depth !== null || !path) return agent;
  return { ...agent, kind: agent.kind ?? 'task', depth: path.length - 1, path: path.map(shortenTitle), reason: null };
}

/** Set for the commands that an agent runs; AI_AGENT also by agents that troupe does not know. */
export const AGENT_VARIABLES: readonly string[] = [
  ...ADAPTERS.map(({ process: { variable } }) => variable),
  'AI_AGENT',
];

/** In words: which process a coding agent started, and which agent that is. */
export async function findAgentAbove(pid: number): Promise<string | undefined> {
  const ancestry = await listAncestry(pid);
  const [client] = ancestry;
  if (!client) return undefined;
  const name = [...client.names].at(-1);
  for (const seen of ancestry) {
    const host = ADAPTERS.find(({ process: { names } }) => names.some((one) => seen.names.has(one)));
    if (host) return `process ${pid} (${name}) belongs to ${host.title} (process ${seen.pid})`;
  }
  for (const seen of ancestry) {
    const variable = AGENT_VARIABLES.find((one) => seen.variables.has(one));
    if (variable)
      return `process ${pid} (${name}) was started by a coding agent (${variable} is set in process ${seen.pid})`;
  }
  return undefined;
}
