// Policies and calls for tests, in a few words.

import type { Decision, GuardedAgent, GuardedCall, Policy, Rule, ToolPattern } from '../policy.ts';
import type { ShellContext } from '../shell/index.ts';
import { usesOf } from '../uses-of.ts';

export const main: GuardedAgent = { kind: 'main', type: null, name: null, depth: 0 };
export const task = (type: string, depth = 1): GuardedAgent => ({ kind: 'task', type, name: null, depth });

/** What links there are: `/p/link` → where it leads. */
export function context(links: Readonly<Record<string, string>> = {}): ShellContext {
  return {
    cwd: '/p',
    home: '/home/dev',
    projectDir: '/p',
    resolve: (path) => {
      for (const [link, target] of Object.entries(links))
        if (path === link || path.startsWith(`${link}/`)) return target + path.slice(link.length);
      return path;
    },
  };
}

export function makeCall(
  tool: string,
  input: unknown,
  changes: Partial<GuardedCall> & { links?: Record<string, string> } = {},
): GuardedCall {
  const { links, ...rest } = changes;
  return {
    agent: main,
    ancestors: [],
    host: 'claude-code',
    project: '/p',
    cwd: '/p',
    home: '/home/dev',
    tool,
    input,
    uses: usesOf(tool, input, context(links)),
    at: Date.UTC(2026, 10, 15, 12),
    offsetMinutes: 0,
    ...rest,
  };
}

export function bash(command: string, changes: Parameters<typeof makeCall>[2] = {}): GuardedCall {
  return makeCall('Bash', { command }, changes);
}

export function pattern(text: string): ToolPattern {
  const [, tool = text, argument = null] = /^([^(]+)(?:\(([\s\S]*)\))?$/.exec(text) ?? [];
  return { text, tool, argument };
}

let count = 0;

export function rule(decision: Decision, tools: string | readonly string[], changes: Partial<Rule> = {}): Rule {
  const list = typeof tools === 'string' ? [tools] : tools;
  return {
    id: `user:${++count}`,
    scope: 'user',
    name: null,
    place: null,
    agents: null,
    tools: list.map(pattern),
    decision,
    reason: null,
    when: null,
    wait: null,
    despiteAncestors: false,
    injectsIdentity: false,
    ...changes,
  };
}

export function policy(rules: readonly Rule[], defaults: Decision | Policy['defaults'] = 'none'): Policy {
  const all = typeof defaults === 'string' ? { main: defaults, subagent: defaults, unknown: defaults } : defaults;
  return { version: 1, defaults: all, onError: 'deny', opaque: 'deny', rules };
}
