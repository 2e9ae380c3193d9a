import { groupBy } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import type { AgentId, SessionId, ToolCallId } from './ids.ts';
import type { PrintedSession, SessionTree } from './tree.ts';

/** A session that a command of an agent, of this or another host, started, or that goes on from one. */
export interface SessionLink {
  readonly session: SessionId;
  readonly agent: AgentId;
  readonly call?: ToolCallId;
  readonly evidence: 'environment' | 'printed' | 'continued';
  /** When the command was over. */
  readonly endedAt?: number;
}

/** Sessions that may stand in the tree of this one. */
export function namedBelow({ printed = [], started = [] }: SessionTree): readonly SessionId[] {
  return [...new Set([...printed.map(({ session }) => session), ...started])];
}

/** Hosts round the times they write. */
const SLACK_MS = 1_000;

/**
 * Which sessions were started by agents of others, by exact evidence only; the parent of each is among `trees`. Nothing is
 * linked by time: time only speaks against a link, for a command that prints the id of an older session did not start it.
 */
export function linkSessions(trees: readonly SessionTree[]): ReadonlyMap<SessionId, SessionLink> {
  const links = new Map<SessionId, SessionLink>();
  // Nearly always.
  if (trees.every(({ printed, begunBy }) => !printed && !begunBy)) return links;
  const byId = new Map(trees.map((tree) => [tree.id, tree]));
  const claims = groupBy(
    trees.flatMap((tree) => (tree.printed ?? []).map((claim) => ({ ...claim, by: tree }))),
    ({ session }) => session,
  );
  for (const tree of trees.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const candidates = [...byOurRecord(tree), ...byPrint(tree, claims.get(tree.id) ?? []), ...byEnvironment(tree)];
    const link = candidates.find(
      (one) => mayHaveStarted(byId.get(one.session), one, tree) && !isBelow(one.session, tree.id, links),
    );
    if (link) links.set(tree.id, link);
  }
  return links;
}

interface Claim extends PrintedSession {
  readonly by: SessionTree;
}

/**
 * The command that was asked for last is the nearest: the output of one inside it stands in its own. A fork of a session repeats
 * its lines, with the same calls: the older one made them.
 */
function byPrint(tree: SessionTree, claims: readonly Claim[]): readonly SessionLink[] {
  return claims
    .filter((claim) => claim.by.id !== tree.id && beganDuring(tree, claim))
    .sort(
      (a, b) =>
        (b.askedAt ?? 0) - (a.askedAt ?? 0) ||
        rankOf(a) - rankOf(b) ||
        (a.by.startedAt ?? 0) - (b.by.startedAt ?? 0) ||
        compareIds(a, b),
    )
    .map(({ by, agent, call, endedAt }) => ({
      session: by.id,
      agent,
      call,
      evidence: 'printed',
      ...known({ endedAt }),
    }));
}

function rankOf({ by }: Claim): number {
  return by.forkedFrom === undefined ? 0 : 1;
}

function compareIds(a: Claim, b: Claim): number {
  const [left, right] = [`${a.by.id} ${a.call}`, `${b.by.id} ${b.call}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

function beganDuring({ startedAt }: SessionTree, { askedAt, endedAt }: PrintedSession): boolean {
  if (startedAt === undefined || askedAt === undefined) return false;
  return startedAt >= askedAt - SLACK_MS && (endedAt === undefined || startedAt <= endedAt + SLACK_MS);
}

/** What troupe started itself, it knows. */
function byOurRecord({ id, begunBy = [] }: SessionTree): readonly SessionLink[] {
  return begunBy
    .filter(({ session, isContinued }) => isContinued && session !== id)
    .map(({ session, agent }) => ({ session, agent, evidence: 'continued' }));
}

/** A program in between that troupe does not guard hands on what it was told itself: what was printed is nearer. */
function byEnvironment({ id, begunBy = [] }: SessionTree): readonly SessionLink[] {
  return begunBy
    .filter(({ session, isContinued }) => !isContinued && session !== id)
    .map(({ session, agent, call }) => ({ session, agent, evidence: 'environment', ...known({ call }) }));
}

/**
 * It is there, and was before: whoever takes up an older session again did not start it. A copy of a session that goes on from one
 * of its agents is as old as the session, and was started all the same.
 */
function mayHaveStarted(
  tree: SessionTree | undefined,
  { agent: id, evidence }: SessionLink,
  started: SessionTree,
): boolean {
  const agent = tree?.agents.find((one) => one.id === id);
  if (evidence === 'continued') return agent !== undefined;
  return agent !== undefined && (agent.startedAt ?? 0) - SLACK_MS <= (started.startedAt ?? Number.POSITIVE_INFINITY);
}

function isBelow(id: SessionId, above: SessionId, links: ReadonlyMap<SessionId, SessionLink>): boolean {
  for (let at: SessionId | undefined = id; at !== undefined; at = links.get(at)?.session) if (at === above) return true;
  return false;
}
