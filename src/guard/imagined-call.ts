import type { AgentKind } from '../core/index.ts';

/** A call that nobody made, as a person describes it to ask what the guard would say. */
export interface ImaginedCall {
  /** Null: a call whose agent nobody can name. */
  readonly agent: ImaginedAgent | null;
  /** By the name it has in rules. */
  readonly tool: string;
  readonly input: unknown;
  /** Left out: the folder at hand. */
  readonly cwd?: string;
  /** The folder in which the session began. Left out: `cwd`. */
  readonly project?: string;
  /** Left out: the first that troupe knows. */
  readonly host?: string;
  /** Epoch milliseconds. Left out: now. */
  readonly at?: number;
}

export interface ImaginedAgent {
  /** Left out: main where nothing else is said, `task` otherwise. */
  readonly kind?: AgentKind;
  readonly type?: string;
  readonly name?: string;
  /** Left out: right below those of `under`. */
  readonly depth?: number;
  /** The types of the agents between main and it, the topmost first. */
  readonly under?: readonly string[];
}

export const AGENT_KINDS = [
  'main',
  'task',
  'fork',
  'teammate',
  'workflow',
  'internal',
] as const satisfies readonly AgentKind[];

export function kindOf({ kind, type, name, depth = 0, under = [] }: ImaginedAgent): AgentKind {
  if (kind !== undefined) return kind;
  return type === undefined && name === undefined && depth === 0 && under.length === 0 ? 'main' : 'task';
}

/** What cannot be true of one agent at once; undefined: such an agent there may be. */
export function contradictionIn(agent: ImaginedAgent): string | undefined {
  const { depth, under = [] } = agent;
  if (kindOf(agent) === 'main') {
    if (under.length > 0) return 'Nobody is above the main agent.';
    return depth === undefined || depth === 0 ? undefined : 'The main agent is at depth 0.';
  }
  if (depth === 0) return 'Only the main agent is at depth 0.';
  if (depth === undefined || depth > under.length) return undefined;
  return `Below main and ${under.join(', ')} it is at depth ${under.length + 1} at least.`;
}
