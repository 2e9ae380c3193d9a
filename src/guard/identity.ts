// Commands that are told which agent runs them: by their environment, which every program they start has, too.

import { nativeId } from '../core/index.ts';
import type { CallerChain, CallingAgent, HookEvent } from '../hosts/index.ts';
import { isObject } from '../lib/json.ts';
import { labelOf } from './policy.ts';

/** Names come from models and files: whatever could end a word, a line or a field of ours is no part of them. */
const LONGEST = 80;

function cleaned(text: string): string {
  return Array.from(text.replace(/[^\p{L}\p{N}._@-]+/gu, '_'))
    .slice(0, LONGEST)
    .join('');
}

/**
 * `claude-code:SESSION:AGENT:main/planner/coder`; `main/?/coder` where not all agents above it are known. Undefined where nobody
 * knows who calls: nothing is claimed.
 */
export function identityOf(event: HookEvent, { agent, ancestors, reason }: CallerChain): string | undefined {
  if (!agent) return undefined;
  const above = ancestors.map((one) => cleaned(labelOf(one)));
  const gap = reason === undefined ? [] : ['?'];
  const path = [...above, ...gap, cleaned(labelOf(agent))].join('/');
  return [event.host, nativeId(event.session), agent.id].map(cleaned).concat(path).join(':');
}

/**
 * The input of a call with the identity in the environment of its command; undefined where it has no command. It stands in a line
 * of its own: what follows is as it was, whatever it ends or begins with. A commit has the agent as its author; the address,
 * and the committer, stay the person's.
 */
export function withIdentity(tool: string, input: unknown, identity: string, call?: string): unknown {
  if (tool !== 'Bash' || !isObject(input) || typeof input['command'] !== 'string') return undefined;
  // Typed into a program that runs already.
  if (input['is_typed'] === true) return undefined;
  const [host = '', session = '', agent = '', path = ''] = identity.split(':');
  const variables = {
    TROUPE_AGENT: identity,
    TROUPE_PARENT: [host, session, agent, ...(call === undefined ? [] : [cleaned(call)])].join(':'),
    GIT_AUTHOR_NAME: `${path.split('/').at(-1)} (agent ${agent.slice(0, 8)})`,
  };
  const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  return { ...input, command: `export ${words.join(' ')}\n${input['command']}` };
}

/** Longer than any that we told. */
const LONGEST_IDENTITY = 2_000;

/**
 * The agents above a session that a command started, main first, by `TROUPE_AGENT`. A label may be a name or a type: it is taken
 * for both. Empty where nothing was told.
 */
export function agentsTold(identity: string | undefined): readonly CallingAgent[] {
  if (!identity || identity.length > LONGEST_IDENTITY) return [];
  const [host, session, id, path, ...more] = identity.split(':');
  if (!host || !session || !id || !path || more.length > 0) return [];
  return path.split('/').map((label, depth) => {
    if (label === 'main' && depth === 0) return { id: session, kind: 'main', type: null, name: null, depth: 0 };
    if (label === '?') return { id: '', kind: 'task', type: null, name: null, depth: null };
    return { id, kind: 'task', type: label, name: label, depth: null };
  });
}
