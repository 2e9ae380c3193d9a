// `Edit(src/**)`, `Read(~/.ssh/**)`, `Read(//etc/**)`, `Read(.env)` against a path: as .gitignore reads patterns.

import type { GuardedCall } from '../guarded-call.ts';
import { ANYTHING, normalize, type UsedPath } from '../shell/index.ts';
import {
  ANY,
  type Certainty,
  IN_NAME,
  literal,
  MAYBE_TWO,
  matches,
  ONE,
  ONE_OF,
  pathTokens,
  type Token,
} from './wildcard.ts';

type Bases = Pick<GuardedCall, 'project' | 'cwd' | 'home'>;

export function isEveryPath(argument: string): boolean {
  return /^(?:\*|\*\*|\/\/\*\*|\*\*\/\*)$/.test(argument.trim());
}

export function holdsPath(argument: string, used: UsedPath, bases: Bases, certainty: Certainty): boolean {
  // Some file systems do not tell large from small letters: denies do not either.
  const fold = (text: string) => (certainty === 'may' ? text.normalize('NFC').toLowerCase() : text);
  const path = used.path === '/' ? '' : used.path;
  const text = pathTokens(fold(used.below === null ? path || '/' : `${path}/${used.below}`));
  const alone = pathTokens(fold(path || '/'));
  // A folder as a whole may hold whatever may lie anywhere (`**/.env`): every `mv a b` would be denied for it.
  const isAnyFolder = used.below === ANYTHING && used.path !== '/' && isAnywhere(argument.trim());
  const isHeld = rootedPatterns(argument.trim(), bases, certainty).some((rooted) => {
    const pattern = readGlob(fold(rooted));
    if (!isAnyFolder && matches(pattern, text, certainty)) return true;
    // A folder that is meant with all below it is meant itself.
    return certainty === 'may' && used.below !== null && matches(pattern, alone, certainty);
  });
  if (isHeld || !isAnyFolder || certainty !== 'may') return isHeld;
  // Unless it is the very folder that the pattern names: `rm -rf .claude` for `**/.claude/settings.json`.
  return foldersIn(argument.trim()).some((folder) => matches(readGlob(fold(`/**/${folder}`)), alone, certainty));
}

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

function escapeGlob(path: string): string {
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
