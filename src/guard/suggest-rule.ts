// The patterns under which exactly this call would be allowed: for a line that was denied.
import type { GuardedCall, SimpleCommand } from './call.ts';
import { type JudgedPart, type Part, partsOf } from './match/parts.ts';
import { holdsTool } from './match/tool-pattern.ts';
import type { ToolPattern } from './policy.ts';
import { SOME_HOST } from './shell/gathering.ts';
import { ANYTHING, INNER_BLANK, isUnsure } from './shell/marks.ts';

export interface SuggestedPatterns {
  readonly patterns: readonly string[];
  /** Other calls fit them, too: patterns have no words for all that a call is. */
  readonly fitsOthers: boolean;
}

/**
 * Null where no pattern can: something of the call is not known before it runs. `also`: parts that need not be allowed, but
 * have to be named because an agent above may not do them.
 */
export function suggestRule(call: GuardedCall, also: readonly JudgedPart[] = []): SuggestedPatterns | null {
  if (call.uses.unknown !== null) return null;
  const needed = partsOf(call).filter(
    ({ part, needsAllow }) => needsAllow || also.some((one) => isSame(one.part, part)),
  );
  const found: Suggested[] = [];
  for (const { part } of needed) {
    if (found.some(({ pattern }) => holdsTool(pattern, part, call, 'must'))) continue;
    const one = patternFor(part, call);
    if (one === null || !holdsTool(one.pattern, part, call, 'must')) return null;
    found.push(one);
  }
  return { patterns: found.map(({ pattern }) => pattern.text), fitsOthers: found.some(({ fitsOthers }) => fitsOthers) };
}

interface Suggested {
  readonly pattern: ToolPattern;
  readonly fitsOthers: boolean;
}

function isSame(one: Part, other: Part): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function patternFor(part: Part, call: GuardedCall): Suggested | null {
  switch (part.kind) {
    case 'command': {
      const text = commandText(part.command);
      return { pattern: toPattern('Bash', text), fitsOthers: text.includes('*') };
    }
    case 'write':
    case 'read': {
      const { path, below } = part.used;
      const pattern = toPattern(part.kind === 'write' ? 'Edit' : 'Read', pathText(path, below, call));
      // Others look into folders: a pattern for a folder is one for all below it.
      const isFile = part.kind === 'write' || call.tool === 'Read' || call.tool === 'Bash';
      return { pattern, fitsOthers: !isFile || (below !== null && below !== ANYTHING && isUnsure(below)) };
    }
    case 'host':
      if (part.host === SOME_HOST) return null;
      // Of a page, its host is all that a pattern can name.
      return { pattern: toPattern('WebFetch', `domain:${part.host}`), fitsOthers: call.tool === 'WebFetch' };
    case 'unknown':
    case 'unproven':
      return null;
    case 'call': {
      const pattern = callPattern(call);
      return pattern && { pattern, fitsOthers: true };
    }
  }
}

function callPattern({ tool, input }: GuardedCall): ToolPattern | null {
  // Nothing in it to hold a pattern against: `x=1`.
  if (tool === 'Bash') return null;
  if (tool !== 'Agent' && tool !== 'Task') return toPattern(tool, null);
  const type = (input as { readonly subagent_type?: unknown } | null)?.subagent_type;
  // A star in it would be read as one.
  return typeof type === 'string' && !type.includes('*') ? toPattern('Agent', type) : null;
}

/** Words as they are, `*` for what is only known when it runs and for what a pattern cannot say. */
function commandText({ form }: SimpleCommand): string {
  const words = form.split(' ').map((word) => {
    const text = word.replace(/[\uE000-\uE003\uE010-\uE04F]+/g, '*').replace(/["']/g, '*');
    return text.includes(INNER_BLANK) ? `"${text.replaceAll(INNER_BLANK, ' ')}"` : text;
  });
  return words.join(' ');
}

function pathText(path: string, below: string | null, { project, home }: GuardedCall): string {
  const escaped = (text: string) => text.replace(/[*?[\]\\]/g, '\\$&');
  const rest = below === null ? '' : isUnsure(below) ? '/**' : `/${below}`;
  if (project !== null && project !== '/' && path.startsWith(`${project}/`))
    return escaped(path.slice(project.length)) + rest;
  if (home !== null && home !== '/' && path.startsWith(`${home}/`))
    return `~${escaped(path.slice(home.length))}${rest}`;
  return `/${escaped(path)}${rest}`;
}

function toPattern(tool: string, argument: string | null): ToolPattern {
  return { text: argument === null ? tool : `${tool}(${argument})`, tool, argument };
}
