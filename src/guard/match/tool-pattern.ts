// Does a pattern of a rule hold for a part of a call? `may` for deny and ask: whatever it could be; `must` for allow: nothing
// but that. Claude Code's rule syntax: https://code.claude.com/docs/en/permissions

import { getOrAdd, wordSet } from '../../lib/group.ts';
import type { GuardedCall, ToolPattern } from '../policy.ts';
import { ANYTHING, isUnsure, normalize, type SimpleCommand, SOME_HOST, type UsedPath } from '../shell/index.ts';
import {
  ANY,
  type Certainty,
  firstLetterOf,
  IN_NAME,
  isAscii,
  isEveryCommand,
  isSurelyCommand,
  lettersOf,
  literal,
  MAYBE_TWO,
  matches,
  mayBeCommand,
  mustBeCommand,
  ONE,
  ONE_OF,
  pathTokens,
  type Token,
} from './command-pattern.ts';

/** Does one of many patterns hold? Only those are asked that can be about such a part at all. */
export function holdsOneOf(
  patterns: readonly ToolPattern[],
  part: Part,
  call: GuardedCall,
  certainty: Certainty,
): boolean {
  return possible(patterns, part, certainty).some((pattern) => holdsTool(pattern, part, call, certainty));
}

interface SortedPatterns {
  readonly read: ToolPattern[];
  readonly write: ToolPattern[];
  readonly command: ToolPattern[];
  /** Of these, by the first letter of the command (`""`: it does not begin with one). */
  readonly byLetter: Map<string, ToolPattern[]>;
}

const sorted = new WeakMap<readonly ToolPattern[], SortedPatterns>();

function possible(patterns: readonly ToolPattern[], part: Part, certainty: Certainty): readonly ToolPattern[] {
  const { kind } = part;
  if (kind !== 'command' && kind !== 'read' && kind !== 'write') return patterns;
  const { [kind]: all, byLetter } = getOrAdd(sorted, patterns, sortPatterns);
  const letters = kind === 'command' && certainty === 'may' ? lettersOf(part.command) : null;
  return letters === null ? all : ['', ...letters].flatMap((letter) => byLetter.get(letter) ?? []);
}

function sortPatterns(patterns: readonly ToolPattern[]): SortedPatterns {
  const found: SortedPatterns = { read: [], write: [], command: [], byLetter: new Map() };
  for (const pattern of patterns) {
    const { tool, argument } = pattern;
    const isRead = READ_TOOLS.has(tool);
    const isWrite = !isRead && EDIT_TOOLS.has(tool);
    const isCommand = tool === 'Bash' && argument !== null && !isEveryCommand(argument);
    if (!isWrite && !isCommand) found.read.push(pattern);
    if (!isRead && !isCommand) found.write.push(pattern);
    if (isRead || isWrite) continue;
    found.command.push(pattern);
    getOrAdd(found.byLetter, isCommand ? firstLetterOf(argument) : '', () => []).push(pattern);
  }
  return found;
}

export function holdsTool(
  { tool, argument }: ToolPattern,
  part: Part,
  call: GuardedCall,
  certainty: Certainty,
): boolean {
  if (EDIT_TOOLS.has(tool))
    return coversEdit(tool, call.tool, certainty) && holdsFile('write', argument, part, call, certainty);
  if (READ_TOOLS.has(tool))
    return coversRead(tool, call.tool, certainty) && holdsFile('read', argument, part, call, certainty);
  switch (tool) {
    case 'Bash':
      return coversCommand(call.tool, part, certainty) && holdsCommand(argument, part, call, certainty);
    case 'WebFetch':
      return holdsHost(argument, part, call, certainty);
    case 'Agent':
    case 'Task':
      return /^(?:Agent|Task)$/.test(call.tool) && holdsField(argument, fieldOf(call, 'subagent_type'), certainty);
    case 'Skill':
      return call.tool === 'Skill' && holdsField(argument, fieldOf(call, 'skill', 'command'), certainty);
    default:
      // Of a tool that nobody knows, an argument cannot be held against anything.
      return holdsName(tool, call.tool) && (isEvery(argument) || certainty === 'may');
  }
}

/** Could a deny or an ask be about this part, but only because nobody can say before it runs what the part comes to? */
export function isOpaqueTo(patterns: readonly ToolPattern[], part: Part, call: GuardedCall): boolean {
  if (patterns.length === 0 || !isOpaque(part)) return false;
  return possible(patterns, part, 'may').every((pattern) => !isSurelyAbout(pattern, part, call));
}

function isOpaque(part: Part): boolean {
  if (part.kind === 'command') return part.command.isSuspected === true || isUnsure(part.command.form);
  if (part.kind === 'read' || part.kind === 'write') return part.used.isGuess === true;
  return part.kind === 'unknown' || (part.kind === 'host' && part.host === SOME_HOST);
}

function isSurelyAbout(pattern: ToolPattern, part: Part, call: GuardedCall): boolean {
  if (!holdsTool(pattern, part, call, 'may')) return false;
  if (pattern.argument === null) return true;
  return part.kind === 'command' && !part.command.isSuspected && isSurelyCommand(pattern.argument, part.command);
}

function holdsCommand(argument: string | null, part: Part, call: GuardedCall, certainty: Certainty): boolean {
  const isEvery = argument === null || isEveryCommand(argument);
  if (isEvery && call.tool === 'Bash') return true;
  if (part.kind === 'unknown') return certainty === 'may' && call.uses.mayBeAnything;
  if (part.kind !== 'command') return false;
  // A tool that does what a command does (`mcp__git__push`), or is given a text that may be one, is held against that command only.
  if (isEvery) return !part.command.isSuspected && part.command.wrappers[0] !== call.tool;
  return certainty === 'may' ? mayBeCommand(argument, part.command) : mustBeCommand(argument, part.command, call.uses);
}

/** Other tools may run commands, too: an allow of `Bash` does not reach them, a deny does. */
function coversCommand(tool: string, part: Part, certainty: Certainty): boolean {
  if (tool === 'Bash') return true;
  return certainty === 'may' && (part.kind === 'command' || (part.kind === 'unknown' && isForeign(tool)));
}

/** `Edit` is every tool that edits, and what the shell writes; the others are themselves (and what the shell writes, to deny). */
function coversEdit(pattern: string, tool: string, certainty: Certainty): boolean {
  if (certainty === 'may' && isReadByInputs(tool)) return true;
  if (pattern === 'Edit') return EDIT_TOOLS.has(tool) || tool === 'Bash';
  return tool === pattern || (pattern === 'Write' && tool === 'Bash' && certainty === 'may');
}

/**
 * `Read` is also what the shell reads: to deny it, and to say in words that it may although an agent above may not. No other
 * allow is about that: a command that reads is allowed by its own pattern.
 */
function coversRead(pattern: string, tool: string, certainty: Certainty): boolean {
  if (certainty === 'may' && isReadByInputs(tool)) return true;
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
  if (isReadByInputs(call.tool)) {
    if (part.kind === 'unknown') return call.uses.mayBeAnything;
    // Whether it reads or writes the path it is given may not be known either: denies of certain paths hold.
    return part.kind === kind && (isEveryUse ? !part.used.isGuess : holdsPath(argument, part.used, call, certainty));
  }
  if (part.kind === 'unknown' || part.kind === 'call') {
    const isOwnTool = call.tool !== 'Bash';
    if (certainty === 'must') return isEveryUse && isOwnTool;
    return part.kind === 'unknown' ? call.uses.mayBeAnything || (isEveryUse && isOwnTool) : isOwnTool;
  }
  if (part.kind !== kind || (isEveryUse && part.used.isSuspected)) return false;
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
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
  return names.map((name) => fields[name]).find((value) => typeof value === 'string') ?? null;
}

function wildcards(text: string): Token[] {
  return text.split(/\*+/).flatMap((part, index) => (index === 0 ? literal(part) : [ANY, ...literal(part)]));
}

type Bases = Pick<GuardedCall, 'project' | 'cwd' | 'home'>;

function isEveryPath(argument: string): boolean {
  const trimmed = argument.trim();
  return trimmed.length <= 4 && /^(?:\*|\*\*|\/\/\*\*|\*\*\/\*)$/.test(trimmed);
}

/** `.env!(*.example)`: every name that begins so, but for these. */
const EXCEPTION = /^([^()]*)!\(([^()]*)\)\s*$/;

function holdsPath(argument: string, used: UsedPath, bases: Bases, certainty: Certainty): boolean {
  if (used.among !== undefined)
    return (
      certainty === 'may' &&
      withName(argument, used.among).some((path) => holdsPath(argument, oneOf(used, path), bases, certainty))
    );
  const [, begin, exceptions = ''] = argument.includes('!(') ? (EXCEPTION.exec(argument) ?? []) : [];
  if (begin !== undefined)
    return (
      holdsPath(`${begin}*`, used, bases, certainty) &&
      !exceptions.split('|').some((one) => holdsPath(begin + one, { ...used, below: null }, bases, 'must'))
    );
  if (lacksName(argument, used)) return false;
  if (certainty === 'may' && takesAway(used, bases) && isAnywhere(argument.trim())) return true;
  // Some file systems do not tell large from small letters: denies do not either.
  const fold = (text: string) => (certainty === 'may' ? text.normalize('NFC').toLowerCase() : text);
  const path = used.path === '/' ? '' : used.path;
  const text = pathTokens(fold(used.below === null ? path || '/' : `${path}/${used.below}`));
  // `cp -r public/*` takes each of these folders as a whole.
  const [, folders] = /^([^\uE000\uE001]+)\/\uE000$/.exec(used.below ?? '') ?? [];
  const alone = pathTokens(fold(folders === undefined ? path || '/' : `${path}/${folders}`));
  // A folder as a whole may hold whatever may lie anywhere (`**/.env`): every `mv a b` would be denied for it.
  const isAnyFolder =
    (used.below === ANYTHING || folders !== undefined) && used.path !== '/' && isAnywhere(argument.trim());
  // A search for `**/x` is held against the name `x`: that it might be in a folder like `.ssh` would deny every search.
  const isSearch = used.via === 'Grep' && used.below?.includes(`${ANYTHING}/`) === true && isAnywhere(argument.trim());
  const rooted = rootedPatterns(argument.trim(), bases, certainty);
  const isName = !/\//.test(argument.trim().replace(/^(?:\/\/|\/|\.\/)?(?:\*\*\/)+/, ''));
  const patterns = isSearch ? (isName ? rooted.slice(0, 1) : []) : rooted;
  const isFolder = /\/\*\*$/.test(argument.trim());
  const isHeld = patterns.some((rooted) => {
    // That a folder found by a glob has the name of a key (`src/*/*.ts` for `*.pem`) is not supposed.
    if (used.below !== null && !isFolder && /\/[^/]*[._][^/]*\/\*\*$/.test(rooted)) return false;
    const pattern = readGlob(fold(rooted));
    if (!isAnyFolder && matches(pattern, text, certainty)) return true;
    // A folder that is meant with all below it is meant itself.
    return certainty === 'may' && used.below !== null && matches(pattern, alone, certainty);
  });
  if (isHeld || !isAnyFolder || certainty !== 'may') return isHeld;
  // Unless it is the very folder that the pattern names: `rm -rf .claude` for `**/.claude/settings.json`.
  return foldersIn(argument.trim()).some((folder) => matches(readGlob(fold(`/**/${folder}`)), alone, certainty));
}

/** Of thousands of files, those in whose path the pattern's name is; all that are not plain ASCII. */
function withName(argument: string, files: readonly string[]): readonly string[] {
  const name = nameIn(EXCEPTION.exec(argument)?.[1] ?? argument);
  if (name === null) return files;
  const { text, others } = getOrAdd(joined, files, joinNames);
  const found = [...others];
  for (let at = text.indexOf(name); at >= 0; ) {
    const end = text.indexOf('\n', at);
    found.push(text.slice(text.lastIndexOf('\n', at) + 1, end));
    at = text.indexOf(name, end);
  }
  return found;
}

/** In small letters, one a line: a file whose name holds a line break is among the others. */
function joinNames(files: readonly string[]) {
  const isPlain = (path: string): boolean => isAscii(path);
  return {
    text: `\n${files.filter(isPlain).join('\n').toLowerCase()}\n`,
    others: files.filter((path) => !isPlain(path)),
  };
}

const joined = new WeakMap<readonly string[], ReturnType<typeof joinNames>>();

export function oneOf({ via }: UsedPath, path: string): UsedPath {
  return { path, below: null, via };
}

/** `rm -rf ../project`, `mv ~ x`: with the project, or the home, goes every file that a pattern protects in it. */
function takesAway({ path, below, isGone }: UsedPath, { project, cwd, home }: Bases): boolean {
  if (!isGone || below === null) return false;
  const folders = [project ?? cwd, home].filter((folder) => folder !== null);
  if (below === ANYTHING) return folders.some((folder) => `${folder}/`.startsWith(`${path}/`));
  // `mv ../sho* x`
  const [, name] = /^([^/\uE000\uE001]+)(?:\/\uE000)?$/.exec(below) ?? [];
  if (name === undefined) return false;
  return folders.some(
    (folder) =>
      folder.startsWith(`${path}/`) &&
      matches(literal(folder.slice(path.length + 1).split('/')[0] ?? ''), pathTokens(name), 'may'),
  );
}

/** A name that the pattern asks for is not in the path: so it is with most patterns of a policy. */
function lacksName(argument: string, { path, below }: UsedPath): boolean {
  if (below !== null || !isAscii(path)) return false;
  const name = nameIn(argument);
  return name !== null && !path.toLowerCase().includes(name);
}

/** The last name of a pattern without its stars, in small letters. Null: it has none, or one that can be written in several ways. */
function nameIn(argument: string): string | null {
  const known = namesIn.get(argument);
  if (known !== undefined) return known;
  const name = argument
    .toLowerCase()
    .split('/')
    .map((part) => part.replace(/^\*+|\*+$/g, ''))
    .findLast((part) => /^[\w.-]*\w[\w.-]*$/.test(part));
  const found = name ?? null;
  if (namesIn.size >= MAX_NAMES) namesIn.clear();
  namesIn.set(argument, found);
  return found;
}

const namesIn = new Map<string, string | null>();
const MAX_NAMES = 10_000;

/** `.config/gh` and `.config` of `//**\/.config/gh/hosts.yml`: the folders that it names in plain words. */
function foldersIn(argument: string): readonly string[] {
  const names = argument.replace(/^(?:\/\/|\/|\.\/)?(?:\*\*\/)+/, '').split('/');
  const plain = names.slice(0, -1).filter((name) => name !== '**' && name !== '');
  if (plain.some((name) => /[*?[\\]/.test(name))) return [];
  return plain.map((_, index) => plain.slice(0, index + 1).join('/'));
}

/** A name without a slash, or one behind `**`, is found at any depth. */
function isAnywhere(argument: string): boolean {
  return /^(?:\/\/|\/|\.\/)?\*\*\//.test(argument) || !argument.replace(/\/+$/, '').includes('/');
}

/** As absolute globs: for the file itself and, where it is a folder, for what is below. */
function rootedPatterns(argument: string, bases: Bases, certainty: Certainty): readonly string[] {
  const roots = findRoots(argument, bases, certainty);
  return roots.flatMap(({ root, rest }) => {
    const trimmed = rest.replace(/\/+$/, '');
    // A name without a slash is found at any depth; a pattern with one begins at its root.
    const isAnywhere = !/^\//.test(rest) && !trimmed.includes('/');
    const glob = trimmed.replace(/^\//, '');
    const whole = `${root === '/' ? '' : escapeGlob(root)}/${isAnywhere && root !== '' ? '**/' : ''}${glob}`;
    if (glob === '') return [`${whole}**`];
    // Who copies the folder itself (`cp -r ~/.ssh x`) copies all that is below it.
    const folder = certainty === 'may' && glob.endsWith('/**') ? [whole.replace(/(?:\/\*\*)+$/, '')] : [];
    return [whole, `${whole}/**`, ...folder];
  });
}

function findRoots(
  argument: string,
  { project, cwd, home }: Bases,
  certainty: Certainty,
): readonly { root: string; rest: string }[] {
  if (argument.startsWith('//')) return [{ root: '/', rest: `/${argument.slice(2).replace(/^\/+/, '')}` }];
  if (argument === '~' || argument.startsWith('~/')) {
    if (home !== null) return [{ root: normalize(home), rest: `/${argument.slice(2)}` }];
    return certainty === 'may' ? [{ root: '/', rest: `/**/${argument.slice(2)}` }] : [];
  }
  const isFromProject = argument.startsWith('/');
  const rest = isFromProject ? argument : argument.replace(/^(?:\.\/)+/, './');
  // An allow stands on the project; denies also where the agent went.
  const folders = certainty === 'may' && !isFromProject ? [project, cwd] : [project ?? cwd];
  const known = [...new Set(folders.filter((folder) => folder !== null))];
  if (known.length === 0) return certainty === 'may' ? [{ root: '/', rest: `/**/${rest.replace(/^\.?\//, '')}` }] : [];
  return known.map((folder) => ({ root: normalize(folder), rest: rest.startsWith('./') ? rest.slice(1) : rest }));
}

export function escapeGlob(path: string): string {
  return path.replace(/[*?[\]\\]/g, '\\$&');
}

function readGlob(glob: string): Token[] {
  const list: Token[] = [];
  for (let index = 0; index < glob.length; index++) {
    const char = glob[index] as string;
    if (char === '\\' && index + 1 < glob.length) list.push(glob.charCodeAt(++index));
    else if (char === '?') list.push(ONE);
    else if (char === '[' && glob.indexOf(']', index + 2) > 0) {
      list.push(ONE_OF);
      index = glob.indexOf(']', index + 2);
    } else if (glob.startsWith('**/', index) && (index === 0 || glob[index - 1] === '/')) {
      // No folder, or folders and a slash.
      list.push(MAYBE_TWO, ANY, 47);
      index += 2;
    } else if (glob.startsWith('**', index)) {
      list.push(ANY);
      index++;
    } else if (char === '*') list.push(IN_NAME);
    else list.push(...literal(char));
  }
  return list;
}

// A call taken apart: each part is judged by itself, and the strictest decision holds.

export type Part =
  | { readonly kind: 'call' }
  | { readonly kind: 'command'; readonly command: SimpleCommand }
  | { readonly kind: 'read' | 'write'; readonly used: UsedPath }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'unknown'; readonly why: string; readonly text: string | null }
  /** Stops an allow, and nothing else: see `unproven` of `CallUses`. */
  | { readonly kind: 'unproven'; readonly why: string };

export interface JudgedPart {
  readonly part: Part;
  /** The call is only allowed where this part is; the others can only be denied or asked about. */
  readonly needsAllow: boolean;
}

const READ_TOOLS = wordSet('Read Grep Glob LS NotebookRead');
const EDIT_TOOLS = wordSet('Edit Write MultiEdit NotebookEdit');

const OTHER_TOOLS = wordSet('Bash WebFetch WebSearch Agent Task Skill');

/**
 * Tools that run no command, open no file and reach no address that their inputs name. What an agent is asked to do is judged when it
 * does it.
 */
const QUIET_TOOLS = wordSet(
  [
    'AgentOutputTool AskUserQuestion BashOutput CronCreate CronDelete CronList DeferredToolPlaceholder EnterPlanMode EnterWorktree',
    'ExitPlanMode ExitWorktree KillBash KillShell KillTask ListAgents ListMcpResources ListMcpResourcesTool ReportFindings',
    'ScheduleWakeup SendMessage Sleep SlashCommand TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete',
    'TodoRead TodoWrite ToolSearch Workflow',
  ].join(' '),
);

/** The same of tools that have no name in our rules: behind the name of their host. */
const QUIET_HOST_TOOLS = wordSet(
  [
    'close_agent complete_task create_goal enter_plan_mode exit_plan_mode followup_task get_goal interrupt_agent',
    'invalid list_agents list_background_processes list_bash list_mcp_resource_templates list_mcp_resources',
    'list_powershell loop_wakeup plan_enter plan_exit read_agent read_background_output read_bash read_powershell',
    'report_findings report_intent request_user_input resume_agent save_memory send_input send_message',
    'session_store_sql sql stop_bash stop_powershell task_stop tool_search update_goal update_topic wait wait_agent',
    'write_agent',
  ].join(' '),
);

export function isQuiet(tool: string): boolean {
  if (QUIET_TOOLS.has(tool)) return true;
  const [, name] = /^[a-z][a-z0-9-]*:(\w+)$/.exec(tool) ?? [];
  return name !== undefined && QUIET_HOST_TOOLS.has(name);
}

/** What its inputs do is read from the inputs alone: a tool of an MCP server, or of a newer host. */
export function isForeign(tool: string): boolean {
  return !READ_TOOLS.has(tool) && !EDIT_TOOLS.has(tool) && !OTHER_TOOLS.has(tool) && !isQuiet(tool);
}

/** What they use stands in their inputs; their names say nothing about files. `WebFetch` may be given `file:///x`. */
function isReadByInputs(tool: string): boolean {
  return isForeign(tool) || tool === 'WebFetch';
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
  if (uses.unknown !== null)
    parts.push({ part: { kind: 'unknown', why: uses.unknown, text: uses.unknownText }, needsAllow: true });
  if (parts.some(({ needsAllow }) => needsAllow)) return parts;
  // Nothing but `echo` or `pwd`: beside others they need not be named, alone they are the call.
  const innermost = new Set(
    uses.commands.filter((_, index) => uses.commands.every(({ within }) => within?.index !== index)),
  );
  if (innermost.size === 0 || tool !== 'Bash') return [...parts, { part: { kind: 'call' }, needsAllow: true }];
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
      return part.text === null ? part.why : `${part.text}: ${part.why}`;
    case 'unproven':
      return part.why;
  }
}

export function canBeAbout({ tool: pattern }: ToolPattern, tool: string): boolean {
  switch (pattern) {
    case 'Bash':
      return tool === 'Bash' || tool === 'Agent' || tool === 'Task' || isReadByInputs(tool);
    case 'Skill':
      return tool === pattern;
    case 'Agent':
    case 'Task':
      return tool === 'Agent' || tool === 'Task';
    default:
      // What the shell does may be a read or a write; which other tool reaches a host is not said by its name.
      if (EDIT_TOOLS.has(pattern)) return tool === 'Bash' || EDIT_TOOLS.has(tool) || isReadByInputs(tool);
      if (READ_TOOLS.has(pattern)) return tool === 'Bash' || READ_TOOLS.has(tool) || isReadByInputs(tool);
      return pattern === 'WebFetch' || pattern === tool || pattern.includes('*') || pattern.startsWith('mcp__');
  }
}
