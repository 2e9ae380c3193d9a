// The records of OpenCode: a session, its messages, their parts. They are the same in its database, its older files, its exports and its
// events. Versions seen: 1.1.65 to 1.18.33; `second/` brings those of 2.0.15 into this form.

import {
  type AgentEvent,
  type AgentId,
  type DiagnosticCode,
  type EventOrigin,
  type SessionId,
  type SourceId,
  toAgentId,
  toSessionId,
} from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';

export const HOST = 'opencode';

/** Rows come session by session: one string for all of them is faster to make, and to find in maps. */
let lately: { readonly native: string; readonly id: AgentId } | undefined;

export function agentIdOf(native: string): AgentId {
  if (lately?.native !== native) lately = { native, id: toAgentId(HOST, native) };
  return lately.id;
}
export const sessionIdOf = (native: string): SessionId => toSessionId(HOST, native);

/** Hooks run before the part of a call is written, and have only the model's id of it, which is not unique in a tree. */
export function heardAs(session: string, call: string): string {
  return `${session}/${call}`;
}

/** The tree that records belong to, and the source that they come from. */
export interface RecordContext {
  readonly session: SessionId;
  readonly source: SourceId;
  /** It repeats records of another source. */
  readonly isEcho?: true;
  /** When the session began, until a message turned out to be older: a copy of another session's. */
  readonly begun?: { at?: number | undefined };
  /** The last settings of each agent, to emit only changes: every message repeats them. */
  readonly settings?: Map<AgentId, string>;
}

/** For facts that come by the tens of thousands: assigning fields is several times as fast as spreading objects. */
export type Draft<Fact> = { -readonly [Key in keyof Fact]: Fact[Key] };

/** A session of OpenCode: the main agent's, or that of a sub-agent, which names its parent. */
export interface SessionInfo {
  readonly id: string;
  readonly parent?: string;
  readonly title?: string;
  readonly directory?: string;
  readonly version?: string;
  readonly agent?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly deniedTools?: readonly string[];
  /** Of OpenCode 2, whose titles of sub-agents are their descriptions. */
  readonly isSecond?: true;
  /** The session that it began as a copy of. */
  readonly fork?: string;
  /** How its last execution ended, and when (OpenCode 2). */
  readonly ended?: { readonly outcome: string; readonly at: number };
  /** The program's own sum over its requests. */
  readonly total?: { readonly cost: number; readonly tokens: JsonObject };
}

export function toSessionInfo(raw: JsonObject | undefined): SessionInfo | undefined {
  const id = asText(raw?.['id']);
  if (!raw || id === undefined || !isSessionId(id)) return undefined;
  const { created, updated } = asObject(raw['time']) ?? {};
  return sessionInfo(id, raw, { parent: raw['parentID'], permission: raw['permission'], created, updated });
}

/** The last parameter has the fields that records and rows of the database name differently. */
export function sessionInfo(
  id: string,
  { title, directory, version, agent }: JsonObject,
  { parent, permission, created, updated }: JsonObject,
): SessionInfo {
  return {
    id,
    ...known({
      parent: asText(parent),
      title: asText(title),
      directory: asText(directory),
      version: asText(version),
      agent: asText(agent),
      createdAt: asAmount(created),
      updatedAt: asAmount(updated),
      deniedTools: deniedIn(permission),
    }),
  };
}

export function isSessionId(id: string): boolean {
  return id.startsWith('ses_');
}

/** The objects of a list; none if it is not a list. */
export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** `[{permission, pattern, action}]`, since 2.0 `[{action, resource, effect}]`: tools that are always denied. Undefined without rules. */
function deniedIn(rules: unknown): readonly string[] | undefined {
  if (!Array.isArray(rules)) return undefined;
  const denied = objectsIn(rules)
    .map(({ permission, pattern, action, resource, effect }) =>
      effect === undefined ? [permission, pattern, action] : [action, resource, effect],
    )
    .filter(([, pattern, what]) => what === 'deny' && pattern === '*')
    .flatMap(([tool]) => asText(tool) ?? []);
  return [...new Set(denied)].sort();
}

/**
 * There are no byte ranges here: the order of the conversation replaces them, and is the same in every source. A reply comes after the
 * prompt of the same millisecond. (Ids are no order: their first digits wrap every 2.2 years, last in August 2026.)
 */
export function originOf({ source }: RecordContext, createdAt: number | undefined, isReply: boolean): EventOrigin {
  return { source, offset: (createdAt ?? 0) * 2 + (isReply ? 1 : 0), length: 0 };
}

export function problemFact(
  { session, source }: RecordContext,
  code: DiagnosticCode,
  detail: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): AgentEvent {
  const origin = { source, offset, length };
  return { kind: 'problem-found', session, origin, diagnostic: { code, detail, origin } };
}

/** The topmost ancestor that is named, even if it is missing: the children of a deleted session stay together. */
export function createRootOf(parentOf: (id: string) => string | undefined): (id: string) => string {
  const tops = new Map<string, string>();
  return (id) => {
    const walked = new Set<string>();
    let top = id;
    // All sessions of a cycle get the same top: the one that the first walk reached last.
    for (let up = parentOf(top); up !== undefined && !walked.has(up) && !tops.has(top); up = parentOf(top)) {
      walked.add(top);
      top = up;
    }
    const found = tops.get(top) ?? top;
    for (const below of walked.add(top)) tops.set(below, found);
    return found;
  };
}

/** A session and all its descendants. */
export function selectTree(root: string, sessions: readonly SessionInfo[]): readonly SessionInfo[] {
  const tree = new Set([root]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { id, parent } of sessions) if (parent !== undefined && tree.has(parent)) tree.add(id);
  }
  return sessions.filter(({ id }) => tree.has(id));
}
