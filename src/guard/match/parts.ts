// A call taken apart: each part is judged by itself, and the strictest decision holds.

import type { GuardedCall, ToolPattern } from '../policy.ts';
import type { SimpleCommand, UsedPath } from '../shell/index.ts';

export type Part =
  | { readonly kind: 'call' }
  | { readonly kind: 'command'; readonly command: SimpleCommand }
  | { readonly kind: 'read' | 'write'; readonly used: UsedPath }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'unknown'; readonly why: string }
  /** Stops an allow, and nothing else: see `unproven` of `CallUses`. */
  | { readonly kind: 'unproven'; readonly why: string };

export interface JudgedPart {
  readonly part: Part;
  /** The call is only allowed where this part is; the others can only be denied or asked about. */
  readonly needsAllow: boolean;
}

export const READ_TOOLS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead']);
export const EDIT_TOOLS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

const OTHER_TOOLS: ReadonlySet<string> = new Set(['Bash', 'WebFetch', 'WebSearch', 'Agent', 'Task', 'Skill']);

/** A tool that we do not know: of an MCP server, or of a newer host. */
export function isForeign(tool: string): boolean {
  return !READ_TOOLS.has(tool) && !EDIT_TOOLS.has(tool) && !OTHER_TOOLS.has(tool);
}

export function partsOf(call: GuardedCall): readonly JudgedPart[] {
  const { unproven } = call.uses;
  const known = knownPartsOf(call);
  return unproven === null ? known : [...known, { part: { kind: 'unproven', why: unproven }, needsAllow: true }];
}

function knownPartsOf({ tool, uses }: GuardedCall): readonly JudgedPart[] {
  const parts: JudgedPart[] = [
    ...uses.commands.map((command) => ({
      part: { kind: 'command', command } as const,
      needsAllow: !command.isTransparent,
    })),
    ...uses.writes.map((used) => ({
      part: { kind: 'write', used } as const,
      // What a command writes is its pattern's business; what the shell writes for it is not.
      needsAllow: EDIT_TOOLS.has(tool) || (tool === 'Bash' && /^[<>&]/.test(used.via)),
    })),
    ...uses.reads.map((used) => ({ part: { kind: 'read', used } as const, needsAllow: READ_TOOLS.has(tool) })),
    ...uses.hosts.map((host) => ({ part: { kind: 'host', host } as const, needsAllow: tool === 'WebFetch' })),
  ];
  if (uses.unknown !== null) parts.push({ part: { kind: 'unknown', why: uses.unknown }, needsAllow: true });
  if (parts.some(({ needsAllow }) => needsAllow)) return parts;
  // Nothing but `echo` or `pwd`: beside others they need not be named, alone they are the call.
  const innermost = new Set(
    uses.commands.filter((_, index) => uses.commands.every(({ within }) => within?.index !== index)),
  );
  if (innermost.size === 0 || isForeign(tool)) return [...parts, { part: { kind: 'call' }, needsAllow: true }];
  return parts.map(({ part }) => ({ part, needsAllow: part.kind === 'command' && innermost.has(part.command) }));
}

/** `//…` would say nothing: which file it is, is only known when it runs, and then it helps to know what names it. */
function placeText({ path, below, via }: UsedPath): string {
  if (below === null) return path;
  return path === '/' ? `of some file by ${via}` : `${path}/…`;
}

export function partText(part: Part, call: GuardedCall): string {
  switch (part.kind) {
    case 'call':
      return call.tool;
    case 'command':
      return part.command.text;
    case 'read':
    case 'write':
      return `${part.kind} ${placeText(part.used)}`;
    case 'host':
      return part.host === '*' ? 'some host' : `host ${part.host}`;
    case 'unknown':
    case 'unproven':
      return part.why;
  }
}

export function canBeAbout({ tool: pattern }: ToolPattern, tool: string): boolean {
  switch (pattern) {
    case 'Bash':
    case 'Skill':
      return tool === pattern;
    case 'Agent':
    case 'Task':
      return tool === 'Agent' || tool === 'Task';
    default:
      // What the shell does may be a read or a write; which other tool reaches a host is not said by its name.
      if (EDIT_TOOLS.has(pattern)) return tool === 'Bash' || EDIT_TOOLS.has(tool);
      if (READ_TOOLS.has(pattern)) return tool === 'Bash' || READ_TOOLS.has(tool);
      return pattern === 'WebFetch' || pattern === tool || pattern.includes('*') || pattern.startsWith('mcp__');
  }
}
