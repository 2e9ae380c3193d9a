// Does a pattern of a rule hold for a part of a call? `may` for deny and ask: whatever it could be; `must` for allow: nothing
// but that. Claude Code's rule syntax: https://code.claude.com/docs/en/permissions

import type { GuardedCall } from '../guarded-call.ts';
import type { ToolPattern } from '../policy.ts';
import { SOME_HOST } from '../shell/index.ts';
import { isEveryCommand, mayBeCommand, mustBeCommand } from './command-pattern.ts';
import { EDIT_TOOLS, isForeign, type Part, READ_TOOLS } from './parts.ts';
import { holdsPath, isEveryPath } from './path-pattern.ts';
import { ANY, type Certainty, literal, matches, type Token } from './wildcard.ts';

export function holdsTool(pattern: ToolPattern, part: Part, call: GuardedCall, certainty: Certainty): boolean {
  switch (pattern.tool) {
    case 'Bash':
      return coversCommand(call.tool, part, certainty) && holdsCommand(pattern.argument, part, call, certainty);
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
    case 'NotebookEdit':
      return (
        coversEdit(pattern.tool, call.tool, certainty) && holdsFile('write', pattern.argument, part, call, certainty)
      );
    case 'Read':
    case 'Grep':
    case 'Glob':
    case 'LS':
    case 'NotebookRead':
      return (
        coversRead(pattern.tool, call.tool, certainty) && holdsFile('read', pattern.argument, part, call, certainty)
      );
    case 'WebFetch':
      return holdsHost(pattern.argument, part, call, certainty);
    case 'Agent':
    case 'Task':
      return (
        /^(?:Agent|Task)$/.test(call.tool) && holdsField(pattern.argument, fieldOf(call, 'subagent_type'), certainty)
      );
    case 'Skill':
      return call.tool === 'Skill' && holdsField(pattern.argument, fieldOf(call, 'skill', 'command'), certainty);
    default:
      // Of a tool that nobody knows, an argument cannot be held against anything.
      return holdsName(pattern.tool, call.tool) && (isEvery(pattern.argument) || certainty === 'may');
  }
}

function holdsCommand(argument: string | null, part: Part, call: GuardedCall, certainty: Certainty): boolean {
  if (argument === null || isEveryCommand(argument)) return true;
  if (part.kind === 'unknown') return certainty === 'may' && call.uses.mayBeAnything;
  if (part.kind !== 'command') return false;
  return certainty === 'may' ? mayBeCommand(argument, part.command) : mustBeCommand(argument, part.command, call.uses);
}

/** Tools that are not known may run commands, too: an allow of `Bash` does not reach them, a deny does. */
function coversCommand(tool: string, part: Part, certainty: Certainty): boolean {
  return tool === 'Bash' || (certainty === 'may' && part.kind === 'command');
}

/** `Edit` is every tool that edits, and what the shell writes; the others are themselves (and what the shell writes, to deny). */
function coversEdit(pattern: string, tool: string, certainty: Certainty): boolean {
  if (certainty === 'may' && isForeign(tool)) return true;
  if (pattern === 'Edit') return EDIT_TOOLS.has(tool) || tool === 'Bash';
  return tool === pattern || (pattern === 'Write' && tool === 'Bash' && certainty === 'may');
}

/**
 * `Read` is also what the shell reads: to deny it, and to say in words that it may although an agent above may not. No other
 * allow is about that: a command that reads is allowed by its own pattern.
 */
function coversRead(pattern: string, tool: string, certainty: Certainty): boolean {
  if (certainty === 'may' && isForeign(tool)) return true;
  return pattern === 'Read' ? READ_TOOLS.has(tool) || tool === 'Bash' : tool === pattern;
}

function holdsFile(
  kind: 'read' | 'write',
  argument: string | null,
  part: Part,
  call: GuardedCall,
  certainty: Certainty,
): boolean {
  const isEveryUse = argument === null || isEveryPath(argument);
  // Whether a tool that is not known reads or writes the path it is given is not known either: denies of certain paths hold.
  if (isForeign(call.tool)) return part.kind === kind && !isEveryUse && holdsPath(argument, part.used, call, certainty);
  if (part.kind === 'unknown' || part.kind === 'call') {
    const isOwnTool = call.tool !== 'Bash';
    if (certainty === 'must') return isEveryUse && isOwnTool;
    return part.kind === 'unknown' ? call.uses.mayBeAnything || (isEveryUse && isOwnTool) : isOwnTool;
  }
  if (part.kind !== kind) return false;
  return (
    argument === null || holdsPath(argument, part.used, call, certainty) || (argument.trim() === '*' && isEveryUse)
  );
}

function holdsHost(argument: string | null, part: Part, call: GuardedCall, certainty: Certainty): boolean {
  const isOwnTool = call.tool === 'WebFetch';
  if (part.kind === 'host') return argument === null || holdsDomain(argument, part.host, certainty);
  if (part.kind === 'unknown') return certainty === 'may' ? call.uses.mayBeAnything : argument === null && isOwnTool;
  return isOwnTool && part.kind === 'call' && (argument === null || certainty === 'may');
}

function holdsDomain(argument: string, host: string, certainty: Certainty): boolean {
  const domain = argument
    .replace(/^domain:/, '')
    .trim()
    .toLowerCase()
    .replace(/\.$/, '');
  const plain = host.replace(/\.$/, '');
  if (host === SOME_HOST) return certainty === 'may' || domain === '*';
  if (matches(wildcards(domain), literal(plain), certainty)) return true;
  // Who may not reach a domain may not reach its parts.
  return certainty === 'may' && plain.endsWith(`.${domain.replace(/^\*\./, '')}`);
}

function holdsField(argument: string | null, field: string | null, certainty: Certainty): boolean {
  if (isEvery(argument)) return true;
  if (field === null) return certainty === 'may';
  return matches(wildcards((argument ?? '').trim()), literal(field), certainty);
}

function isEvery(argument: string | null): boolean {
  return argument === null || argument.trim() === '*';
}

/** `mcp__x` is every tool of that server. */
function holdsName(pattern: string, tool: string): boolean {
  if (pattern === tool || pattern === '*') return true;
  if (/^mcp__(?:(?!__).)+$/.test(pattern) && tool.startsWith(`${pattern}__`)) return true;
  return pattern.includes('*') && matches(wildcards(pattern), literal(tool), 'must');
}

function fieldOf({ input }: GuardedCall, ...names: readonly string[]): string | null {
  if (typeof input !== 'object' || input === null) return null;
  for (const name of names) {
    const value = (input as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'string') return value;
  }
  return null;
}

function wildcards(text: string): Token[] {
  return text.split(/\*+/).flatMap((part, index) => (index === 0 ? literal(part) : [ANY, ...literal(part)]));
}
