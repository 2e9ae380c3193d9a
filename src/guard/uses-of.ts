// A call by the name its tool has in our rules → what it uses. For `Bash` the shell is read; other tools name their files.

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
  type UsedPath,
  withLinks,
} from './shell/index.ts';

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

/** Of what tools are given, all that a rule can be held against. */
export const JUDGED_FIELDS: readonly string[] =
  'command file_path file_paths notebook_path path pattern glob url urls allowed_domains subagent_type skill'.split(
    ' ',
  );

type Fields = Readonly<Record<string, unknown>>;

/** Never throws. */
export function usesOf(tool: string, input: unknown, context: ShellContext): CallUses {
  const fields = typeof input === 'object' && input !== null ? (input as Fields) : {};
  switch (tool) {
    case 'Bash':
      return typeof fields['command'] === 'string'
        ? analyse(fields['command'], context)
        : lost('the command is not a text');
    case 'Read':
      return useFile('reads', fields['file_path'], 'Read', context);
    case 'NotebookRead':
      return useFile('reads', fields['notebook_path'], tool, context);
    case 'LS':
      return useFile('reads', fields['path'], tool, context);
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
      // A patch may change many files: each is judged.
      return 'file_paths' in fields
        ? useEach(fields['file_paths'], 'which file is not said', (file) => useFile('writes', file, tool, context))
        : useFile('writes', fields['file_path'], tool, context);
    case 'NotebookEdit':
      return useFile('writes', fields['notebook_path'], tool, context);
    case 'Grep':
      return eachPath(fields, (one) => useGrep(one, context));
    case 'Glob':
      return eachPath(fields, (one) => useGlob(one, context));
    case 'WebFetch':
      return useAddresses('urls' in fields ? fields['urls'] : [fields['url']]);
    case 'WebSearch':
      return { ...NOTHING, hosts: textsOf(fields['allowed_domains']).map((host) => host.toLowerCase()) };
    default:
      return useForeign(tool, fields, context);
  }
}

/** Tools of MCP servers and others that are not known: what their inputs name is held against denies. */
function useForeign(tool: string, fields: Fields, context: ShellContext): CallUses {
  const found: CallUses[] = [];
  for (const [key, value] of Object.entries(fields))
    for (const text of typeof value === 'string' ? [value] : textsOf(value)) {
      if (/^(?:command|cmd|script)s?$/i.test(key)) found.push(analyse(text, context));
      else if (/path|file|dir|folder|source|destination|target|uri/i.test(key) && looksLikePath(text)) {
        const file = text.replace(/^file:\/\/(?:localhost(?=\/))?/, '');
        found.push(use('reads', file, ANYTHING, tool, context), use('writes', file, null, tool, context));
      }
    }
  const { commands, reads, writes, hosts } = found.reduce(merge, NOTHING);
  // What cannot be told of them is no reason to deny: an allow names the tool.
  return {
    ...NOTHING,
    commands: commands.map((command) => ({ ...command, isTransparent: true })),
    reads,
    writes,
    hosts,
  };
}

function looksLikePath(text: string): boolean {
  return text.length < 4_096 && !/[\n\0]/.test(text) && (!/^\w+:\/\//.test(text) || text.startsWith('file://'));
}

function useFile(kind: 'reads' | 'writes', path: unknown, via: string, context: ShellContext): CallUses {
  if (typeof path !== 'string' || path === '') return lost('which file is not said');
  return use(kind, path, null, via, context);
}

function useEach(values: unknown, otherwise: string, useOne: (value: unknown) => CallUses): CallUses {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return list.length === 0 ? lost(otherwise) : list.map(useOne).reduce(merge);
}

/** Some hosts look in many places at once. */
function eachPath(fields: Fields, useOne: (fields: Fields) => CallUses): CallUses {
  const { path } = fields;
  if (!Array.isArray(path)) return useOne(fields);
  return useEach(path, 'where it looks is not said', (one) => useOne({ ...fields, path: one }));
}

/** A host may fetch many at once. */
function useAddresses(addresses: unknown): CallUses {
  const list: readonly unknown[] = Array.isArray(addresses) ? addresses : [];
  if (list.length === 0 || !list.every((one) => typeof one === 'string')) return lost('the address is not a text');
  return { ...NOTHING, hosts: list.map(hostOfAddress) };
}

/** Names are listed, nothing is read: the folder that it begins in counts, and a pattern that is one file. */
function useGlob(fields: Fields, context: ShellContext): CallUses {
  const { pattern, path } = fields;
  if (typeof pattern !== 'string') return lost('the pattern is not a text');
  const folder = typeof path === 'string' ? path : '.';
  const first = pattern.search(/[*?[{]/);
  const fixed = first < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf('/', first) + 1);
  return use('reads', isAbsolute(fixed) || fixed.startsWith('~') ? fixed : `${folder}/${fixed}`, null, 'Glob', context);
}

/**
 * All files of the project are not held against denies, or one for a single file would deny every search. Those of other folders
 * are, and those that a glob asks for. */
function useGrep(fields: Fields, context: ShellContext): CallUses {
  const { path, glob } = fields;
  const folder = typeof path === 'string' && path !== '' ? path : '.';
  if (typeof glob !== 'string' || glob === '') {
    const place = toAbsolute(folder, context);
    const isOwn = place !== null && isInProject(normalize(place), context);
    return use('reads', folder, isOwn ? null : ANYTHING, 'Grep', context);
  }
  if (holdsMark(glob) || glob.includes('..')) return use('reads', folder, ANYTHING, 'Grep', context);
  const marked = glob
    .replace(/^!.*/, ANYTHING)
    .replace(/\*\*\/?|\{[^}]*\}/g, ANYTHING)
    .replace(/\*/g, GLOB_STAR)
    .replace(/\?|\[[^\]]*\]/g, GLOB_ONE);
  const here = use('reads', folder, marked.replace(/^\//, ''), 'Grep', context);
  // A name is looked for in every folder; what stars could find there is too much to be held against anything.
  return glob === marked && !glob.includes('/')
    ? merge(here, use('reads', folder, `${ANYTHING}/${glob}`, 'Grep', context))
    : here;
}

function use(
  kind: 'reads' | 'writes',
  path: string,
  below: string | null,
  via: string,
  context: ShellContext,
): CallUses {
  if (path.includes('\0') || holdsMark(path)) return lost('a path holds control characters');
  const absolute = toAbsolute(path, context);
  if (absolute === null) return lost('where a path begins is not known');
  const places = withLinks(absolute, context);
  const list: UsedPath[] = (places ?? [normalize(absolute)]).map((place) => ({ path: place, below, via }));
  return { ...NOTHING, [kind]: list, unknown: places === null ? `where ${path} leads cannot be seen` : null };
}

function toAbsolute(path: string, { cwd, home }: ShellContext): string | null {
  if (isAbsolute(path)) return path;
  if (path === '~' || path.startsWith('~/')) return home === null ? null : `${home}/${path.slice(2)}`;
  return cwd === null ? null : `${cwd}/${path}`;
}

function merge(one: CallUses, other: CallUses): CallUses {
  return {
    ...one,
    commands: [...one.commands, ...other.commands],
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
