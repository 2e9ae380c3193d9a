// A call by the name its tool has in our rules → what it uses: commands that run, paths read and written, addresses reached. For `Bash` the
// shell is read; for other tools their inputs.

import { isQuiet } from './match/tool-pattern.ts';
import { readPowerShell } from './powershell.ts';
import {
  ANYTHING,
  analyse,
  type CallUses,
  GLOB_ONE,
  GLOB_STAR,
  holdsMark,
  hostOfUrl,
  isAbsolute,
  isInProject,
  normalize,
  type ShellContext,
  type SimpleCommand,
  type UsedPath,
  withLinks,
} from './shell/index.ts';
import {
  decodePercent,
  type Fields,
  type InputMapping,
  pathOfUri,
  pathsIn,
  readInputs,
  type ToldCommand,
  type ToldPath,
  type ToolMappings,
} from './tool-inputs.ts';

const NOTHING: CallUses = {
  commands: [],
  reads: [],
  writes: [],
  hosts: [],
  unknown: null,
  unknownText: null,
  mayBeAnything: false,
  unproven: null,
};

/** Of what the tools with a name in our rules are given, all that a rule can be held against. */
export const JUDGED_FIELDS: readonly string[] =
  'command commands cmd script code args cwd file_path file_paths notebook_path path paths file files pattern glob url urls uri allowed_domains subagent_type skill prompt'.split(
    ' ',
  );

/** Never throws. */
export function usesOf(tool: string, input: unknown, context: ShellContext, mappings: ToolMappings = {}): CallUses {
  const fields = typeof input === 'object' && input !== null ? (input as Fields) : {};
  const mapping = Object.hasOwn(mappings, tool) ? mappings[tool] : undefined;
  if (mapping !== undefined) return useInputs(tool, input, context, mapping);
  switch (tool) {
    case 'Bash':
    case 'Monitor':
      return useCommand(tool, fields, context);
    case 'PowerShell':
      return useCommand(tool, fields, context, readPowerShell);
    case 'Read':
    case 'LS':
    case 'NotebookRead':
    case 'LSP':
      return useFiles('reads', tool, fields, context);
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
    case 'NotebookEdit':
      return useFiles('writes', tool, fields, context);
    case 'Grep':
      return eachPath(fields, (one) => useGrep(one, context));
    case 'Glob':
      return eachPath(fields, (one) => useGlob(one, context));
    case 'WebFetch':
      return useFetch(fields, context);
    case 'WebSearch':
      return { ...NOTHING, hosts: textsOf(fields['allowed_domains']).map((host) => host.toLowerCase()) };
    case 'Agent':
    case 'Task':
      return useOrder(fields, context);
    default:
      return isQuiet(tool) ? NOTHING : useInputs(tool, input, context);
  }
}

function useCommand(
  tool: string,
  fields: Fields,
  context: ShellContext,
  toShell: (text: string) => { readonly text: string; readonly unknown: string | null } = asIs,
): CallUses {
  const { command } = fields;
  if (typeof command !== 'string') return lost('the command is not a text');
  const { text, unknown } = toShell(command);
  const uses = analyse(text, context);
  const whole = unknown === null ? uses : merge(uses, lost(unknown));
  // What is typed into a program that runs goes on when the next line comes.
  if (fields['is_typed'] === true && /\S\S/.test(command) && !/[\r\n]\s*$/.test(command))
    return merge(whole, lost('what is typed is not a whole line'));
  return tool === 'Bash' ? whole : { ...whole, commands: whole.commands.map(transparent) };
}

function asIs(text: string) {
  return { text, unknown: null };
}

/** An order to another agent is no command. But one that is nothing else (`git push`) hands on what the agent itself may not run. */
function useOrder({ prompt }: Fields, context: ShellContext): CallUses {
  if (typeof prompt !== 'string' || prompt.length > 200 || /\n\s*\S/.test(prompt.trim())) return NOTHING;
  return { ...NOTHING, commands: guessedCommands(analyse(prompt.trim(), context)) };
}

/** Only what surely is a command if the text is one. */
function guessedCommands({ commands }: CallUses): readonly SimpleCommand[] {
  return commands
    .filter(({ isSuspected, words }) => isSuspected !== true && /^[a-z./~$"']/.test(words[0] ?? ''))
    .map((command) => ({ ...transparent(command), within: null, isSuspected: true }));
}

/** What cannot be told of it is no reason to deny: an allow names the tool. */
function transparent(command: SimpleCommand): SimpleCommand {
  return { ...command, isTransparent: true };
}

/** Tools of MCP servers and others that are not known: what their inputs name is held against denies. */
function useInputs(tool: string, input: unknown, context: ShellContext, mapping?: InputMapping): CallUses {
  const told = readInputs(tool, input, mapping);
  const all = [
    ...told.commands.map((command) => useToldCommand(tool, command, context)),
    ...told.paths.map((path) => useToldPath(tool, path, context)),
    ...(told.addresses.length > 0 ? [useAddresses(told.addresses, tool, context)] : []),
  ].reduce(merge, NOTHING);
  const hosts = told.service === null ? all.hosts : [...all.hosts, `mcp:${told.service}`];
  const uses = { ...all, hosts, unproven: null };
  return told.unknown === null ? uses : merge(uses, lost(told.unknown));
}

function useToldCommand(tool: string, { text, cwd, kind }: ToldCommand, context: ShellContext): CallUses {
  const there = cwd === null ? context : { ...context, cwd: placeOf(cwd, context) };
  const isWindows = /powershell|pwsh/i.test(tool);
  const read = isWindows && kind === 'run' ? readPowerShell(text) : { text, unknown: null };
  const uses = analyse(read.text, there);
  if (kind === 'guess') return { ...NOTHING, commands: guessedCommands(uses) };
  if (kind === 'like') {
    const commands = uses.commands.map((command) => ({ ...transparent(command), wrappers: [tool] }));
    return { ...NOTHING, commands, reads: uses.reads, writes: uses.writes, hosts: uses.hosts };
  }
  const whole = { ...uses, commands: uses.commands.map(transparent) };
  return read.unknown === null ? whole : merge(whole, lost(read.unknown));
}

function useToldPath(tool: string, { path, access, isWhole, isGlob, cwd }: ToldPath, context: ShellContext): CallUses {
  const there = cwd === null ? context : { ...context, cwd: placeOf(cwd, context) };
  const isGuess = access === 'either';
  const kinds = access === 'read' ? ['reads' as const] : access === 'write' ? ['writes' as const] : BOTH;
  // Who edits a file may be shown it.
  const used = kinds.flatMap((kind) =>
    formsOf(path, context).flatMap((form) => [
      use(kind, form, isWhole ? ANYTHING : null, tool, there),
      ...(isGlob ? [useGlobbed(kind, form, '.', tool, there)] : []),
    ]),
  );
  const seen =
    access === 'write' ? formsOf(path, context).map((form) => guessed(use('reads', form, null, tool, there))) : [];
  return [...used.map((one) => (isGuess ? guessed(one) : one)), ...seen].reduce(merge, NOTHING);
}

const BOTH = ['reads', 'writes'] as const;

function guessed(uses: CallUses): CallUses {
  const mark = (used: UsedPath): UsedPath => ({ ...used, isGuess: true });
  return { ...uses, reads: uses.reads.map(mark), writes: uses.writes.map(mark) };
}

function placeOf(folder: string, context: ShellContext): string | null {
  const absolute = toAbsolute(formsOf(folder, context).at(-1) ?? folder, context);
  return absolute === null ? null : normalize(absolute);
}

/** What a tool may make of it: variables, `%2e`, and the backslashes and drives of Windows. */
function formsOf(path: string, { home, cwd }: ShellContext): readonly string[] {
  const plain = path.trim();
  const expanded = plain
    .replace(/\$\{?HOME\}?|%USERPROFILE%|%HOME%|\$env:(?:HOME|USERPROFILE)/gi, home ?? '~')
    .replace(/\$\{?PWD\}?|%CD%/gi, cwd ?? '.');
  const forms = [path, plain, expanded, decodePercent(expanded)];
  const slashed = forms.map((form) =>
    form
      .replaceAll('\\', '/')
      .replace(/^\/\/[?.]\//, '')
      .replace(/^[A-Za-z]:\/?(?=.)/, '/')
      .replace(/::?\$DATA$/i, '')
      .replace(/^\/+(?=\/)/, ''),
  );
  return [...new Set([...forms, ...slashed])].filter((form) => form !== '');
}

/** `file_path`, `file_paths`, `files: [{ path }]` …: all of them count, however many a host takes. */
function useFiles(kind: 'reads' | 'writes', tool: string, fields: Fields, context: ShellContext): CallUses {
  const paths = pathsIn(fields);
  const globs = textsOf(fields['globs']);
  const used = [
    ...paths.map((path) => useFile(kind, path, tool, context)),
    ...globs.flatMap(splitGlobs).map((glob) => useGlobbed(kind, glob, '.', tool, context)),
  ];
  return used.length === 0 ? lost('which file is not said') : used.reduce(merge);
}

function useFile(kind: 'reads' | 'writes', path: string, via: string, context: ShellContext): CallUses {
  if (path === '') return lost('which file is not said');
  if (!/^file:/i.test(path)) return use(kind, path, null, via, context);
  return merge(use(kind, pathOfUri(path), null, via, context), use(kind, path, null, via, context));
}

/** Some hosts look in many places at once. */
function eachPath(fields: Fields, useOne: (fields: Fields) => CallUses): CallUses {
  const places = [...new Set([fields['path'], fields['paths'], fields['dir_path'], fields['folder']].flat())];
  const named = places.filter((place) => place !== undefined && place !== null);
  if (named.length === 0)
    return Array.isArray(fields['path']) ? lost('where it looks is not said') : useOne({ ...fields, path: undefined });
  return named
    .map((path) => (typeof path === 'string' ? useOne({ ...fields, path }) : lost('where it looks is not said')))
    .reduce(merge);
}

/** A host may fetch many at once. */
function useFetch({ url, urls, prompt }: Fields, context: ShellContext): CallUses {
  // Some hosts take addresses out of what they are asked.
  const inside = typeof prompt === 'string' ? (prompt.match(/\bfile:\/\/\S+/gi) ?? []) : [];
  if (inside.length > 0) return inside.map((one) => useAddress(one, 'WebFetch', context)).reduce(merge);
  const single = url === undefined && urls !== undefined ? [] : [url];
  const many = urls === undefined || Array.isArray(urls) ? (urls ?? []) : [undefined];
  return useAddresses([...single, ...many], 'WebFetch', context);
}

function useAddresses(addresses: readonly unknown[], tool: string, context: ShellContext): CallUses {
  if (addresses.length === 0 || !addresses.every((one) => typeof one === 'string'))
    return lost('the address is not a text');
  return addresses.map((address) => useAddress(address, tool, context)).reduce(merge);
}

function useAddress(address: string, tool: string, context: ShellContext): CallUses {
  const inner = address.trim().replace(/^(?:view-source|jar|blob|feed):/i, '');
  if (/^file:/i.test(inner) || /^[~/](?!\/)/.test(inner)) {
    const path = /^file:/i.test(inner) ? pathOfUri(inner) : inner;
    return formsOf(path, context)
      .map((form) => use('reads', form, null, tool, context))
      .reduce(merge);
  }
  const reached = { ...NOTHING, hosts: [hostOfAddress(inner)] };
  // A request to the server that answers an approval is the same as the command.
  if (!/\/api\/(?:asks|pairing|login)\b/.test(decodePercent(inner))) return reached;
  const answer = analyse('troupe guard answer', context).commands.map(transparent);
  return { ...reached, commands: answer };
}

/** Names are listed, nothing is read: the folder that it begins in counts, and a pattern that is one file. */
function useGlob(fields: Fields, context: ShellContext): CallUses {
  const { pattern, path } = fields;
  if (typeof pattern !== 'string') return lost('the pattern is not a text');
  const folder = typeof path === 'string' && path !== '' ? path : '.';
  return expandBraces(pattern)
    .map((one) => {
      const first = one.search(/[*?[{]/);
      const fixed = first < 0 ? one : one.slice(0, one.lastIndexOf('/', first) + 1);
      const place = isAbsolute(fixed) || fixed.startsWith('~') ? fixed : `${folder}/${fixed}`;
      return use('reads', place, null, 'Glob', context);
    })
    .reduce(merge);
}

/**
 * All files of the project are not held against denies, or one for a single file would deny every search. Those of other folders
 * are, and those that a glob asks for. */
function useGrep(fields: Fields, context: ShellContext): CallUses {
  const { path, glob } = fields;
  const folder = typeof path === 'string' && path !== '' ? path : '.';
  const globs = [glob].flat().flatMap((one) => (typeof one === 'string' ? splitGlobs(one) : []));
  const wanted = globs.filter((one) => one !== '' && !one.startsWith('!'));
  if (wanted.length === 0) {
    const place = toAbsolute(folder, context);
    const isOwn = place !== null && isInProject(normalize(place), context);
    return use('reads', folder, isOwn ? null : ANYTHING, 'Grep', context);
  }
  return wanted.map((one) => useGlobbed('reads', one, folder, 'Grep', context)).reduce(merge);
}

/** Every file by its name, ignored ones too. */
const EVERY_FILE = /^(?:\*\*\/|\.\/|\/)*(?:\*+|\*\.\*|\.?\*+)$/;

/** It is made to find a name that begins with a dot: `*nv`, `*.local`. A search opens hidden files, too. */
const FOR_HIDDEN = /(?:^|\/)\*[^*/]*$(?<!\.(?!env$|local$|dev\w*$|prod\w*$|stag\w*$|test$|secret\w*$)\w+)/;

function useGlobbed(
  kind: 'reads' | 'writes',
  glob: string,
  folder: string,
  via: string,
  context: ShellContext,
): CallUses {
  if (holdsMark(glob)) return use(kind, folder, ANYTHING, via, context);
  if (glob.includes('..'))
    return merge(use(kind, folder, ANYTHING, via, context), use(kind, `${folder}/${glob}`, null, via, context));
  const isRooted = isAbsolute(glob) && via !== 'Grep';
  const mark = (text: string): string =>
    text
      .replace(/\\(.)/g, '$1')
      .replace(/\*\*\//g, `${ANYTHING}/`)
      .replace(/\*\*/g, ANYTHING)
      .replace(/\*/g, GLOB_STAR)
      .replace(/\?|\[[^\]]*\]/g, GLOB_ONE)
      .replace(/^\//, '');
  const place = isRooted ? '/' : folder;
  // `**/x` is also `x`. Of `*Service*` only the word itself is held against denies: with stars on both sides it would overlap with all.
  const flat = glob.replace(/\*\*\//g, '');
  const [, word] = /^(?:.*\/)?\*([^*/]+)\*$/.exec(flat) ?? [];
  const used = (word === undefined ? [...new Set([glob, flat])] : [word, `.${word}`]).map((one) =>
    use(kind, place, mark(one), via, context),
  );
  if (EVERY_FILE.test(glob)) used.push(guessed(use(kind, place, `${ANYTHING}/.${ANYTHING}`, via, context)));
  else if (FOR_HIDDEN.test(glob))
    used.push(guessed(use(kind, place, mark(glob.replace(/\*([^*/]*)$/, '**$1')), via, context)));
  // A name is looked for in every folder; what stars could find there is too much to be held against anything.
  else if (!/[*?[\\/]/.test(glob)) used.push(use(kind, place, `${ANYTHING}/${glob}`, via, context));
  return used.reduce(merge);
}

/** `*.ts,*.js` and `*.ts *.js` are two, `{a,b}.ts` is one of two. */
function splitGlobs(text: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let piece = '';
  for (const char of text) {
    if (char === '{') depth++;
    if (char === '}') depth--;
    if (depth <= 0 && (/\s/.test(char) || char === ',')) {
      pieces.push(piece);
      piece = '';
    } else piece += char;
  }
  return [...pieces, piece].filter((one) => one !== '').flatMap(expandBraces);
}

const MAX_GLOBS = 256;

/** More than so many are not told apart. */
function expandBraces(glob: string): readonly string[] {
  let open = [glob];
  const done: string[] = [];
  while (open.length > 0 && open.length + done.length <= MAX_GLOBS) {
    const [one = '', ...others] = open;
    // The innermost first: `{a,{b,c}}` becomes `{a,b}` and `{a,c}`.
    const [braces, inner] = /\{([^{}]*)\}/.exec(one) ?? [];
    open = others;
    if (braces === undefined) done.push(one);
    else open.push(...(inner ?? '').split(',').map((choice) => one.replace(braces, () => choice)));
  }
  return open.length > 0 ? ['**'] : [...new Set(done)];
}

function use(
  kind: 'reads' | 'writes',
  path: string,
  below: string | null,
  via: string,
  context: ShellContext,
): CallUses {
  if (path.includes('\0') || holdsMark(path)) return lost('a path holds control characters');
  const absolute = toAbsolute(withoutProc(path), context);
  if (absolute === null) return lost('where a path begins is not known');
  const places = withLinks(absolute, context);
  const list: UsedPath[] = (places ?? [normalize(absolute)]).map((place) => ({ path: place, below, via }));
  return { ...NOTHING, [kind]: list, unknown: places === null ? `where ${path} leads cannot be seen` : null };
}

/** `/proc/self/cwd/x` is `x`, `/proc/self/root/x` is `/x`. */
function withoutProc(path: string): string {
  const [whole, kind] = /^\/+proc\/+(?:self|thread-self|\d+)\/+(?:task\/+\d+\/+)?(cwd|root)(?=\/|$)/.exec(path) ?? [];
  return whole === undefined ? path : (kind === 'cwd' ? '.' : '') + path.slice(whole.length) || '/';
}

function toAbsolute(path: string, { cwd, home }: ShellContext): string | null {
  if (isAbsolute(path)) return path;
  if (path === '~' || path.startsWith('~/')) return home === null ? null : `${home}/${path.slice(2)}`;
  return cwd === null ? null : `${cwd}/${path}`;
}

function merge(one: CallUses, other: CallUses): CallUses {
  // Places in the list of commands move with it.
  const shift = one.commands.length;
  const moved = other.commands.map((command) =>
    command.within === null
      ? command
      : { ...command, within: { ...command.within, index: command.within.index + shift } },
  );
  return {
    ...one,
    commands: [...one.commands, ...moved],
    hosts: [...one.hosts, ...other.hosts],
    reads: [...one.reads, ...other.reads],
    writes: [...one.writes, ...other.writes],
    unknown: one.unknown ?? other.unknown,
    unknownText: one.unknown === null ? other.unknownText : one.unknownText,
    mayBeAnything: one.mayBeAnything || other.mayBeAnything,
    unproven: one.unproven ?? other.unproven,
  };
}

function hostOfAddress(address: string): string {
  return hostOfUrl(address) ?? hostOfUrl(`https://${address}`) ?? '*';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function lost(why: string): CallUses {
  return { ...NOTHING, unknown: why, mayBeAnything: true };
}
