import { known } from '../lib/json.ts';
import type { SessionStarter } from './event.ts';
import { type AgentId, hostOf, nativeId, type SessionId, toAgentId, toSessionId, toToolCallId } from './ids.ts';

const WORD = '[\\w.@-]+';
/** `claude-code:SESSION:AGENT`, with `:CALL` where the host numbers its calls: `TROUPE_PARENT` of guard/tell-identity.ts. */
const STARTER = new RegExp(`^([a-z0-9-]+):(${WORD}):(${WORD})(?::(${WORD}))?$`);

/** What `parseStartedBy` reads; undefined where an id of it could not be read back. */
export function formatStartedBy(session: SessionId, agent: AgentId): string | undefined {
  const text = [hostOf(session), nativeId(session), nativeId(agent)].join(':');
  return STARTER.test(text) ? text : undefined;
}

/** The agent that an environment names as the one that started a program. */
export function parseStartedBy(text: string): SessionStarter | undefined {
  const [, host = '', session, agent, call] = STARTER.exec(text) ?? [];
  if (session === undefined || agent === undefined) return undefined;
  return {
    session: toSessionId(host, session),
    agent: toAgentId(host, agent),
    ...known({ call: call === undefined ? undefined : toToolCallId(call) }),
  };
}
