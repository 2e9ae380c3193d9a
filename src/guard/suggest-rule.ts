// The patterns under which exactly this call would be allowed: for a line that was denied.

import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { escapeGlob, holdsTool, type JudgedPart, type Part, partsOf } from './match/tool-pattern.ts';
import { readOwnText } from './policy/read-policy-file.ts';
import { readYaml } from './policy/read-yaml.ts';
import { type AgentSelector, type GuardedAgent, type GuardedCall, type ToolPattern, toToolPattern } from './policy.ts';
import { ANYTHING, INNER_BLANK, isUnsure, type SimpleCommand, SOME_HOST, type UsedPath } from './shell/index.ts';

const NO_NAME = 'no part of it has a name that a pattern can hold';

/**
 * Or why no pattern can, as a clause: something of the call is not known before it runs, or a pattern that holds it would hold
 * much more. `also`: parts that need not be allowed, but have to be named because an agent above may not do them.
 */
export function suggestPatterns(
  call: GuardedCall,
  also: readonly JudgedPart[] = [],
): { readonly patterns: readonly string[]; readonly fitsOthers: boolean } | string {
  if (call.uses.unknown !== null) return call.uses.unknown;
  const needed = partsOf(call).filter(
    ({ part, needsAllow }) => needsAllow || also.some((one) => isSame(one.part, part)),
  );
  const found: Suggested[] = [];
  for (const { part } of needed) {
    if (found.some(({ pattern }) => holdsTool(pattern, part, call, 'must'))) continue;
    const one = patternFor(part, call);
    if (typeof one === 'string') return one;
    if (!holdsTool(one.pattern, part, call, 'must')) return NO_NAME;
    found.push(one);
  }
  return {
    patterns: found.map(({ pattern }) => pattern.text),
    fitsOthers: found.some(({ fitsOthers }) => fitsOthers),
  };
}

interface Suggested {
  readonly pattern: ToolPattern;
  /** Other calls fit it, too: patterns have no words for all that a call is. */
  readonly fitsOthers: boolean;
}

function isSame(one: Part, other: Part): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Or why there is none. */
function patternFor(part: Part, call: GuardedCall): Suggested | string {
  switch (part.kind) {
    case 'command':
      return patternForCommand(part.command);
    case 'write':
    case 'read':
      return patternForPath(part.kind, part.used, call);
    case 'host':
      if (part.host === SOME_HOST) return 'which host it reaches is only known when it runs';
      if (part.host.includes('*')) return 'its host has a `*` in it, which a pattern reads as any text';
      // Of a page, its host is all that a pattern can name.
      return { pattern: toPattern('WebFetch', `domain:${part.host}`), fitsOthers: call.tool === 'WebFetch' };
    case 'unknown':
    case 'unproven':
      return part.why;
    case 'call': {
      const pattern = callPattern(call);
      return pattern === null ? NO_NAME : { pattern, fitsOthers: true };
    }
  }
}

function callPattern({ tool, input }: GuardedCall): ToolPattern | null {
  const { subagent_type: type, skill, command } = (input ?? {}) as Readonly<Record<string, unknown>>;
  switch (tool) {
    case 'Bash':
      // Nothing in it to hold a pattern against: `x=1`.
      return null;
    case 'Agent':
    case 'Task':
      return fieldPattern('Agent', type);
    case 'Skill':
      return fieldPattern('Skill', typeof skill === 'string' ? skill : command);
    default:
      // `mcp__server` is a pattern for every tool of the server.
      return tool.includes('*') || /^mcp__(?!.*__)/.test(tool) ? null : toPattern(tool, null);
  }
}

/** A star in it would be read as one. */
function fieldPattern(tool: string, value: unknown): ToolPattern | null {
  return typeof value === 'string' && !value.includes('*') ? toPattern(tool, value) : null;
}

function patternForCommand({ form }: SimpleCommand): Suggested {
  const text = form.split(' ').map(wordText).join(' ');
  return { pattern: toPattern('Bash', text), fitsOthers: text.includes('*') };
}

/** As it is, with `*` for what is only known when it runs, and in quotes if it has blanks, quotes or stars. */
function wordText(word: string): string {
  const plain = word.replaceAll(INNER_BLANK, ' ');
  const withStars = (text: string): string => text.replace(/[\uE000-\uE003\uE010-\uE04F]+/g, '*');
  if (/[^\S ]|\*/.test(plain)) return `$'${withStars(plain.replace(/[\\'*]|[^\S ]/g, toEscape))}'`;
  const text = withStars(plain);
  if (!/[ "']/.test(text)) return text;
  if (!text.includes("'")) return text.includes('"') ? `'${text}'` : `"${text}"`;
  // Each kind of quote goes into the other.
  return text.replace(/[^"]+|[^']+/g, (part) => (part.includes('"') ? `'${part}'` : `"${part}"`));
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\\': '\\\\', "'": "\\'" };

function toEscape(char: string): string {
  const code = char.charCodeAt(0).toString(16);
  return ESCAPES[char] ?? (code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`);
}

function patternForPath(kind: 'read' | 'write', used: UsedPath, call: GuardedCall): Suggested | string {
  const { path, below } = used;
  if (below !== null && path === '/') return 'which file it uses is only known when it runs';
  // Others look into folders: a pattern for a folder is one for all below it.
  const isFile = kind === 'write' || call.tool === 'Read' || call.tool === 'Bash';
  if (isFile && below === null && isFolder(used, call))
    return `${path} is a folder, and a pattern for it would allow everything below it`;
  const argument = pathText(path, below, call);
  if (argument !== argument.trim()) return 'its file has a name that ends with a blank, which a pattern does not keep';
  const pattern = toPattern(kind === 'write' ? 'Edit' : 'Read', argument);
  return { pattern, fitsOthers: !isFile || (below !== null && below !== ANYTHING && isUnsure(below)) };
}

/** As far as the call itself tells: nothing is asked of the disk. */
function isFolder({ path, via }: UsedPath, { tool, input, project, cwd, home }: GuardedCall): boolean {
  const below = path === '/' ? '/' : `${path}/`;
  if ([project, cwd, home].some((folder) => folder !== null && `${folder}/`.startsWith(below))) return true;
  const { file_path, file_paths, notebook_path } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const names = tool === 'Bash' ? [via] : [file_path, file_paths, notebook_path].flat();
  return names.some((name) => typeof name === 'string' && /\/$|(?:^|[ /])\.\.?$/.test(name));
}

function pathText(path: string, below: string | null, { project, home }: GuardedCall): string {
  const rest = below === null ? '' : isUnsure(below) ? '/**' : `/${escapeGlob(below)}`;
  if (project !== null && project !== '/' && path.startsWith(`${project}/`))
    return escapeGlob(path.slice(project.length)) + rest;
  if (home !== null && home !== '/' && path.startsWith(`${home}/`))
    return `~${escapeGlob(path.slice(home.length))}${rest}`;
  return `/${escapeGlob(path)}${rest}`;
}

function toPattern(tool: string, argument: string | null): ToolPattern {
  return { text: argument === null ? tool : `${tool}(${argument})`, tool, argument };
}

/** A rule that allows, before anybody wrote it down. */
export interface AllowRule {
  readonly name?: string;
  readonly agents: AgentSelector;
  readonly tools: readonly string[];
  readonly despiteAncestors?: boolean;
}

/** As they stand below `rules:`, without an indentation. */
export function writeRules(rules: readonly AllowRule[]): string {
  return stringify(
    rules.map(({ name, agents, tools, despiteAncestors }) => ({
      ...(name === undefined ? {} : { name }),
      agents: Object.fromEntries(Object.entries(agents).map(([key, value]) => [key, alone(value)])),
      tools,
      decision: 'allow',
      ...(despiteAncestors ? { despite_ancestors: true } : {}),
    })),
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/** Agents like this one; undefined where nobody knows who it is, or where its type would be read as a pattern. */
export function selectorFor(agent: GuardedAgent | null): AgentSelector | undefined {
  if (agent === null || agent.type?.includes('*')) return undefined;
  return agent.kind === 'main' || agent.type === null ? { kind: [agent.kind] } : { type: [agent.type] };
}

/** Why there may be no pattern for something that is known: in words that fit behind a colon. */
export const UNNAMEABLE = 'it is too long, or has characters that a policy file cannot hold';

/** Whether a policy file that holds the rule is read as exactly this rule. */
export function canBeWritten(rule: AllowRule): boolean {
  const { rules, error } = readOwnText('', `version: 1\nrules:\n${writeRules([rule])}`, readYaml);
  const read = rules[0]?.rule;
  return (
    error === null &&
    isDeepStrictEqual(read?.agents, rule.agents) &&
    isDeepStrictEqual(read?.tools, rule.tools.map(toToolPattern))
  );
}

function alone(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
