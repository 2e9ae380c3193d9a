declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Namespaced by host (`claude-code:01890ac5-…`), so that trees may span hosts. JSON shows the host's own id. */
export type SessionId = Branded<'SessionId'>;
/** Namespaced like a session. The main agent has its session's native id. */
export type AgentId = Branded<'AgentId'>;
/** The host's id of one tool call. */
export type ToolCallId = Branded<'ToolCallId'>;
/** One file, stream or table that facts come from; stable for the life of the data, e.g. a path below its root. */
export type SourceId = Branded<'SourceId'>;
/** `claude-code`, `opencode`, … : the name of an adapter. */
export type HostName = string;

export const toSessionId = (host: HostName, native: string): SessionId => `${host}:${native}` as SessionId;
export const toAgentId = (host: HostName, native: string): AgentId => `${host}:${native}` as AgentId;
export const toToolCallId = (native: string): ToolCallId => native as ToolCallId;
export const toSourceId = (name: string): SourceId => name as SourceId;

/** The main agent of a session. */
export const mainAgentOf = (session: SessionId): AgentId => session as string as AgentId;

const UNNAMED = '?';

/** An agent of which the host has told everything but its name, by the call that made it: it stands in until it is named. */
export const toUnnamedAgentId = (host: HostName, call: ToolCallId): AgentId => toAgentId(host, `${UNNAMED}${call}`);

export function isUnnamed(id: AgentId): boolean {
  return nativeId(id).startsWith(UNNAMED);
}

export function nativeId(id: SessionId | AgentId): string {
  return id.slice(id.indexOf(':') + 1);
}

export function hostOf(id: SessionId | AgentId): HostName {
  return id.slice(0, id.indexOf(':'));
}
