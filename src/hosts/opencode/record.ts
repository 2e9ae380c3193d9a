// The records of OpenCode: a session, its messages, their parts. The same in its database, its older files, its exports and
// its events; versions seen: 1.1.65 to 1.18.33.

import {
  type AgentId,
  type EventOrigin,
  type SessionId,
  type SourceId,
  toAgentId,
  toSessionId,
} from '../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, known } from '../../lib/json.ts';

export const HOST = 'opencode';

/** Rows come session by session. The same text again and again would be put together, and looked through by every map, anew. */
let lately: { readonly native: string; readonly id: AgentId } | undefined;

export function agentIdOf(native: string): AgentId {
  if (lately?.native !== native) lately = { native, id: toAgentId(HOST, native) };
  return lately.id;
}
export const sessionIdOf = (native: string): SessionId => toSessionId(HOST, native);

/** Hooks come before the part of a call is written, and know the model's id of it only, which is not unique in a tree. */
export function heardAs(session: string, call: string): string {
  return `${session}/${call}`;
}

/** Where records come from: which tree they belong to, and through which door they came. */
export interface Door {
  readonly session: SessionId;
  readonly source: SourceId;
  /** It repeats what another door tells in full. */
  readonly isEcho?: true;
  /** What was last said of each agent, so that only changes are: every message repeats it. */
  readonly told?: Map<AgentId, ToldOfAgent>;
}

interface ToldOfAgent {
  readonly provider: string | undefined;
  readonly type: string | undefined;
  readonly effort: string | undefined;
}

/** Of facts that come by the tens of thousands, field by field: to put them together from other objects takes several times as long. */
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
}

export function toSessionInfo(raw: JsonObject | undefined): SessionInfo | undefined {
  const id = asText(raw?.['id']);
  if (!raw || id === undefined || !isSessionId(id)) return undefined;
  const time = asObject(raw['time']);
  return {
    id,
    ...known({
      parent: asText(raw['parentID']),
      title: asText(raw['title']),
      directory: asText(raw['directory']),
      version: asText(raw['version']),
      agent: asText(raw['agent']),
      createdAt: asAmount(time?.['created']),
      updatedAt: asAmount(time?.['updated']),
      deniedTools: deniedIn(raw['permission']),
    }),
  };
}

export function isSessionId(id: string): boolean {
  return id.startsWith('ses_');
}

/** `[{permission, pattern, action}]`: what is denied wherever it is used. Left out where there are no rules at all. */
export function deniedIn(rules: unknown): readonly string[] | undefined {
  if (!Array.isArray(rules)) return undefined;
  const denied = rules.map(asObject).flatMap((rule) => {
    const name = asText(rule?.['permission']);
    return name !== undefined && rule?.['action'] === 'deny' && rule['pattern'] === '*' ? [name] : [];
  });
  return [...new Set(denied)].sort();
}

/**
 * The place of a record. There are no byte ranges here: what stands for them is the order of the conversation, which is
 * the same through every door. A reply comes behind the prompt of the same millisecond. (Ids do not serve: their first
 * digits begin anew every 2.2 years, last in August 2026.)
 */
export function originOf({ source }: Door, createdAt: number | undefined, isReply: boolean): EventOrigin {
  return { source, offset: (createdAt ?? 0) * 2 + (isReply ? 1 : 0), length: 0 };
}
