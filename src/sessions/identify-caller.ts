import {
  type AgentId,
  createOwnerOf,
  type Identifier,
  type Identity,
  type IdentityEvidence,
  mainAgentOf,
  type SessionLedger,
  type SessionTree,
  selectPath,
} from '../core/index.ts';
import type { HookEvent, HooksCapability, SourceAdapter } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';

/** What is known of a session at the moment. */
export interface KnownSession {
  readonly tree: SessionTree;
  readonly ledger: SessionLedger;
}

export interface CallerIdentity {
  readonly identity: Identity;
  readonly tree?: SessionTree;
}

export interface CallerOptions {
  readonly adapters: readonly SourceAdapter[];
  readonly clock: Clock;
  /** The session as it is now: followed, or read anew. */
  readonly open: (event: HookEvent) => Promise<KnownSession | undefined>;
  readonly identifier: Identifier;
  readonly pause: (ms: number) => Promise<void>;
}

export interface CallerIdentifier {
  /** Who set off a hook that was called at `at`. */
  identify(event: HookEvent, at: number): Promise<CallerIdentity>;
}

/** Hosts write the lines of a reply when it has ended: a hook may be called before its call is in any file. */
const WRITTEN_WITHIN_MS = 2_000;
const PAUSES_MS = [20, 50, 100, 200, 400, 600, 600];
/** So long a hook that names nobody waits for a file that may know better, where its version should have named somebody. */
const DOUBT_MS = 300;
/** Later than this, the transcript may have been written anew. */
const GUESSED_WITHIN_MS = 10_000;

/**
 * By what the hook says; else by the file in which its call stands; else by the only call that was open at that time, as
 * a guess.
 */
export function createCallerIdentifier(options: CallerOptions): CallerIdentifier {
  const { adapters, clock, open, identifier, pause } = options;
  return {
    async identify(event, at) {
      const hooks = adapters.find(({ host }) => host === event.host)?.hooks;
      let session = await open(event);
      let found = byEvidence(event, session, hooks);
      const isFresh = clock() - at < GUESSED_WITHIN_MS;
      const guess = found || !isFresh ? undefined : await guessFrom(event, at, identifier);
      for (const ms of PAUSES_MS) {
        if (clock() - at >= patienceFor(event, found)) break;
        await pause(ms);
        session = await open(event);
        found = byEvidence(event, session, hooks);
      }
      const identity = found ?? guess ?? unknown(event, 'its call is in no transcript of the session');
      return { identity, ...(session && { tree: session.tree }) };
    },
  };
}

/** How long after the hook something better may still come. */
function patienceFor(event: HookEvent, found: Identity | undefined): number {
  if (found?.evidence.rank === 'exact' && found.evidence.source === 'tool-call') return 0;
  if (found?.who === 'subagent') return found.path.length > 1 ? 0 : WRITTEN_WITHIN_MS;
  if (event.call?.id === undefined) return 0;
  return found ? DOUBT_MS : WRITTEN_WITHIN_MS;
}

/** Nothing but proof: the hook's own word, or the file in which its call stands. */
export function byEvidence(
  event: HookEvent,
  session: KnownSession | undefined,
  hooks: Pick<HooksCapability, 'namesCallers'> | undefined,
): Identity | undefined {
  const main = mainAgentOf(event.session);
  if (event.caller.named === 'agent') {
    const { agent, type } = event.caller;
    return toIdentity(event, session, agent, { rank: 'exact', source: 'hook' }, type);
  }
  const call = event.call?.id === undefined ? undefined : session?.ledger.calls.get(event.call.id);
  const owner = call && session && createOwnerOf(session.ledger)(call.agents);
  if (owner !== undefined) return toIdentity(event, session, owner, { rank: 'exact', source: 'tool-call' });
  if (!hooks?.namesCallers(session?.tree.hostVersion)) return undefined;
  return toIdentity(event, session, main, { rank: 'exact', source: 'hook' });
}

async function guessFrom(event: HookEvent, at: number, identifier: Identifier): Promise<Identity | undefined> {
  const { transcript, host, call } = event;
  // Calls of agents are open while others are asked for: whose this one is, only its place can say.
  if (call?.spawns) return undefined;
  const guess = await identifier.identify({ asOf: at, ...known({ transcript, host, toolCall: call?.id }) });
  return guess.evidence.rank === 'none' ? unknown(event, guess.reason ?? 'nothing tells who it was') : guess;
}

function toIdentity(
  { session }: HookEvent,
  opened: KnownSession | undefined,
  id: AgentId,
  evidence: IdentityEvidence,
  type?: string,
): Identity {
  const path = opened ? selectPath(opened.tree, id) : [];
  const base = { session, path: path.map((agent) => agent.id), evidence, candidates: [] };
  if (id === mainAgentOf(session)) return { ...base, who: 'main' };
  const node = path.at(-1);
  const { description, link } = node ?? {};
  const agent = { id, ...known({ type: node?.type ?? type, description, call: link?.call }) };
  const reason = path.length > 1 ? undefined : 'its place in the tree is not known';
  return { ...base, who: 'subagent', agent, ...known({ reason }) };
}

function unknown({ session }: HookEvent, reason: string): Identity {
  return { who: 'unknown', session, path: [], evidence: { rank: 'none' }, candidates: [], reason };
}
