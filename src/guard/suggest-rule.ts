// The patterns under which exactly this call would be allowed: for a line that was denied.
import type { GuardedCall, SimpleCommand } from './call.ts';
import { type JudgedPart, partsOf } from './match/parts.ts';
import { holdsTool } from './match/tool-pattern.ts';
import type { ToolPattern } from './policy.ts';
import { INNER_BLANK, isUnsure } from './shell/marks.ts';

/** Null where no pattern can: something of the call is not known before it runs. */
export function suggestRule(call: GuardedCall): readonly string[] | null {
  if (call.uses.unknown !== null) return null;
  const needed = partsOf(call).filter(({ needsAllow }) => needsAllow);
  const patterns: ToolPattern[] = [];
  for (const part of needed) {
    if (patterns.some((pattern) => holdsTool(pattern, part.part, call, 'must'))) continue;
    const pattern = patternFor(part, call);
    if (pattern === null || !holdsTool(pattern, part.part, call, 'must')) return null;
    patterns.push(pattern);
  }
  return patterns.map(({ text }) => text);
}

function patternFor({ part }: JudgedPart, call: GuardedCall): ToolPattern | null {
  switch (part.kind) {
    case 'command':
      return toPattern('Bash', commandText(part.command));
    case 'write':
      return toPattern('Edit', pathText(part.used.path, part.used.below, call));
    case 'read':
      return toPattern('Read', pathText(part.used.path, part.used.below, call));
    case 'host':
      return part.host === '*' ? null : toPattern('WebFetch', `domain:${part.host}`);
    case 'unknown':
      return null;
    case 'call':
      return callPattern(call);
  }
}

function callPattern({ tool, input }: GuardedCall): ToolPattern | null {
  // Nothing in it to hold a pattern against: `x=1`.
  if (tool === 'Bash') return null;
  if (tool !== 'Agent' && tool !== 'Task') return toPattern(tool, null);
  const type = (input as { readonly subagent_type?: unknown } | null)?.subagent_type;
  return typeof type === 'string' ? toPattern('Agent', type) : null;
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
