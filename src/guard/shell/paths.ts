// A word that names a file → where that is, or may be: from every folder it may be run in, as written and with links followed.

import type { Scene, ShellContext, UsedPath } from './scene.ts';
import { ANYTHING, CHOICE, GLOB_STAR, IN_WORD, isUnsure, type ShellWord, UNSURE } from './words.ts';

const MAX_FORMS = 64;

/** Not files that anybody keeps. */
export function isNoFile(place: string): boolean {
  if (!place.startsWith('/dev/')) return false;
  return place === '/dev/null' || /^\/dev\/(?:zero|u?random|tty|full|std(?:in|out|err)|fd\/\d+|pts\/\d+)$/.test(place);
}

/** What comes in, by the name of a file. */
export function isStdinFile(form: string): boolean {
  return /^\/dev\/(?:stdin$|fd\/)|^\/proc\/(?:self|thread-self|\d+)\/fd\//.test(normalize(form));
}

/** `all`: with everything below it, as `rm` takes it. */
export function usePath(
  kind: 'read' | 'write',
  form: string,
  via: string,
  scene: Scene,
  extent?: 'all',
  isSuspected = false,
  isGone = false,
): void {
  if (scene.isElsewhere || form === '') return;
  const among = scene.gathering.listingOf(form.replace(/^\.\//, ''));
  if (among !== null) {
    const root = scene.context.projectDir ?? scene.context.cwd ?? '/';
    if (among.length > 0) scene.gathering.addPath(kind, { path: root, below: null, via, among, isGuess: true });
    return;
  }
  const isGuess = /[\uE000\uE001]/.test(form) || (scene.cwds === null && !isAbsolute(form));
  const add = (found: UsedPath): void =>
    scene.gathering.addPath(kind, {
      ...found,
      ...((isGuess || isSuspected) && { isGuess: true as const }),
      ...(isSuspected && { isSuspected: true as const }),
      ...(isGone && { isGone: true as const }),
    });
  const plain = withoutProc(form);
  for (const { path, below } of eachChoice(plain, scene).flatMap((chosen) => placesOfPath(chosen, scene))) {
    const found = withLinks(path, scene.context);
    if (found === null) scene.gathering.miss(`where ${via} leads cannot be seen`);
    const written = found ?? [normalize(path)];
    for (const place of [...written, ...written.flatMap((one) => linkedPlaces(one, scene))]) {
      if (extent !== 'all') add({ path: place, below, via });
      // `public/*` with all below is `public` as a whole.
      else if (below === null || below === GLOB_STAR) add({ path: place, below: ANYTHING, via });
      else for (const rest of [below, `${below}/${ANYTHING}`]) add({ path: place, below: rest, via });
    }
  }
}

/** `ln -s FILE l; > l`: where the links of this call lead. */
function linkedPlaces(place: string, { gathering: { links } }: Scene): readonly string[] {
  return [...links].flatMap(([link, targets]) =>
    place === link || place.startsWith(`${link}/`) ? targets.map((target) => target + place.slice(link.length)) : [],
  );
}

/** `ln A B`, `cp -l A B` and `cp -s A B`: B, or what is called as A in it, is A from now on. */
export function rememberLinks(name: string, args: readonly string[], scene: Scene): void {
  const isLink = name === 'ln' || args.some((form) => /^-[a-zA-Z]*[ls]|^--(?:link|symbolic-link)$/.test(form));
  const at = args.findIndex((form) => /^-[a-zA-Z]*t$|^--target-directory$/.test(form));
  const folder = at < 0 ? undefined : args[at + 1];
  const plain = args.filter((form, index) => !form.startsWith('-') && (at < 0 || index !== at + 1));
  const sources = folder === undefined && plain.length > 1 ? plain.slice(0, -1) : plain;
  const end = folder ?? (plain.length > 1 ? (plain.at(-1) ?? '.') : '.');
  if (!isLink || sources.length > MAX_LINKS) return;
  const { links } = scene.gathering;
  const chosen = sources.flatMap((form) => eachChoice(form, scene)).filter((form) => !isUnsure(form));
  for (const cwd of scene.cwds ?? ['/'])
    for (const source of chosen)
      for (const to of eachChoice(end, scene).filter((form) => !isUnsure(form)))
        for (const link of [joinPath(cwd, to), joinPath(cwd, `${to}/${baseName(source)}`)]) {
          const folders = [cwd, link.slice(0, link.lastIndexOf('/'))];
          const targets = folders.map((one) => joinPath(one, source));
          const all = [...targets, ...targets.flatMap((target) => linkedPlaces(target, scene))];
          links.set(
            link,
            [...new Set(all)].filter((target) => target !== link && target !== '/'),
          );
        }
}

const MAX_LINKS = 16;

/** `/proc/self/cwd/x` is `x`, `/proc/self/root/x` is `/x`. */
function withoutProc(form: string): string {
  const [whole, kind] = /^\/+proc\/+(?:self|thread-self|\d+)\/+(cwd|root)(?=\/|$)/.exec(form) ?? [];
  if (whole === undefined) return form;
  return (kind === 'cwd' ? '.' : '') + form.slice(whole.length) || '/';
}

/**
 * A program that is given a folder may read everything in it. Folders of the project do not count as a whole, nor those around it
 * as `..`: otherwise a deny for one file there would deny every search.
 */
export function extentOf(form: string, scene: Scene): 'all' | undefined {
  if (isAbsolute(form)) return isInProject(normalize(form), scene.context) ? undefined : 'all';
  if (scene.cwds === null) return 'all';
  const isAround = /^\.\.(?:\/\.\.)*\/?$/.test(form);
  const places = isAround ? scene.cwds : scene.cwds.map((folder) => joinPath(folder, form));
  return places.every((place) => isInProject(place, scene.context)) ? undefined : 'all';
}

/** In the project, or below the folder in which the call is made. */
export function isInProject(place: string, { projectDir, cwd }: ShellContext): boolean {
  return [projectDir, cwd].some((root) => root !== null && `${place}/`.startsWith(`${root}/`));
}

/** With each text that its marks of choice stand for; too many are not told apart. */
export function eachChoice(form: string, scene: Scene): readonly string[] {
  let forms = [form];
  for (let mark = CHOICE.exec(form)?.[0]; mark !== undefined; mark = CHOICE.exec(forms[0] ?? '')?.[0]) {
    const values = scene.gathering.choicesOf(mark);
    forms = forms.flatMap((before) => values.map((value) => before.replaceAll(mark as string, value)));
    if (forms.length === 0 || forms.length > MAX_FORMS) return [ANYTHING];
  }
  return forms;
}

function placesOfPath(form: string, scene: Scene): readonly Omit<UsedPath, 'via'>[] {
  const { fixed, rest } = splitUnsure(form);
  // `..` behind something that is not known may lead anywhere.
  if (rest !== null && /(?:^|\/)\.\.(?:\/|$)/.test(rest)) return [{ path: '/', below: ANYTHING }];
  if (isAbsolute(fixed)) return [{ path: fixed, below: rest }];
  // A word that begins with something that is not known may be an absolute path.
  if (fixed === '' && rest !== null && beginsAnywhere(rest)) return [{ path: '/', below: rest }];
  if (scene.cwds === null) {
    if (/(?:^|\/)\.\.(?:\/|$)/.test(fixed)) return [{ path: '/', below: ANYTHING }];
    const name = normalize(fixed).slice(1);
    const below = rest === null ? name : name === '' ? rest : `${name}/${rest}`;
    return [
      { path: '/', below: below === '' ? ANYTHING : `${ANYTHING}/${below}` },
      { path: '/', below: below || null },
    ];
  }
  return scene.cwds.map((cwd) => ({ path: `${cwd}/${fixed}`, below: rest }));
}

function beginsAnywhere(rest: string): boolean {
  return rest.startsWith(ANYTHING) || rest.startsWith(IN_WORD);
}

/** What is certain of it, up to a slash, and the rest. */
function splitUnsure(form: string): { readonly fixed: string; readonly rest: string | null } {
  if (!isUnsure(form)) return { fixed: form, rest: null };
  const first = form.search(UNSURE);
  const slash = form.lastIndexOf('/', first);
  return { fixed: form.slice(0, slash + 1), rest: form.slice(slash + 1).replace(/\/+$/, '') };
}

/** Both count: what is written there, and where links lead; `..` behind a link is the link's. Null: it could not be asked. */
export function withLinks(path: string, context: Pick<ShellContext, 'resolve'>): readonly string[] | null {
  const written = normalize(path);
  try {
    const real = normalize(context.resolve(path));
    return real === written ? [written] : [written, real];
  } catch {
    return null;
  }
}

// Paths as texts: `.` and `..` taken out, nothing asked of a disk.

export function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}

export function joinPath(folder: string, path: string): string {
  return normalize(isAbsolute(path) ? path : `${folder}/${path}`);
}

/** What this call has written into a file that it runs now; undefined: nothing. */
export function writtenText(form: string, scene: Scene): string | null | undefined {
  if (isUnsure(form) || scene.gathering.written.size === 0) return undefined;
  const found = (scene.cwds ?? ['']).map((cwd) => scene.gathering.written.get(joinPath(cwd, form)));
  return found.find((text) => text !== undefined);
}

/** Absolute and without `.`, `..`, double slashes and a slash at the end. */
export function normalize(path: string): string {
  const kept: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') kept.pop();
    else kept.push(name);
  }
  return `/${kept.join('/')}`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Allows need not name a move inside the project. */
export function moveTo(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const target = words.slice(1).find(({ form }) => !/^-(?:[A-Za-z@]*|-)$/.test(form) || form === '-');
  const form = target?.form ?? (name === 'cd' || name === 'chdir' ? scene.home : null);
  const before = scene.cwds;
  if (form === null || form === '-' || /^[+-]\d+$/.test(form) || isUnsure(form) || name === 'popd') {
    scene.cwds = null;
    return false;
  }
  // CDPATH is not looked at: a name without ./ may be found elsewhere, which is only so where it is set.
  scene.cwds =
    before === null ? (isAbsolute(form) ? [joinPath('/', form)] : null) : before.map((cwd) => joinPath(cwd, form));
  const places = scene.cwds?.flatMap((cwd) => withLinks(cwd, scene.context) ?? ['/']);
  return places?.every((place) => place !== '/' && isInProject(place, scene.context)) ?? false;
}

/** `echo 'git push' > bin/ls; PATH=bin:$PATH ls`: a list of folders, and a file that was written into one of them. */
export function hasWrittenFile(form: string, { gathering, cwds }: Scene): boolean {
  const paths = [...gathering.written.keys(), ...gathering.placed.keys()];
  if (paths.length === 0) return false;
  const folders = form.split(':').flatMap((folder) => (cwds ?? ['']).map((cwd) => joinPath(cwd, folder)));
  return folders.some((folder) => folder !== '/' && paths.some((path) => path.startsWith(`${folder}/`)));
}

/** `echo '…' > z.js; node -e 'require("./z")'`: code that names a file which the call writes may run it. */
export function loadsWritten(code: string, { gathering }: Scene): boolean {
  if (gathering.written.size === 0 || !/require|import|source|\bdo\b|load|exec|open|use\b|run/.test(code)) return false;
  return [...gathering.written.keys()].some((path) => {
    const name = baseName(path).replace(/\.\w+$/, '');
    const folder = baseName(path.slice(0, path.lastIndexOf('/')));
    return name !== '' && (code.includes(name) || (name === 'index' && code.includes(folder)));
  });
}

/** Folders of the project do not count as a whole: what is in them does, as far as it is known to be there (`grep -r x .`, `tar c .`). */
export function readListed(
  list: readonly ShellWord[],
  name: string,
  scene: Scene,
  args: readonly ShellWord[] = [],
): void {
  const { listFolder } = scene.context;
  if (listFolder === undefined) return;
  const hasOnly = args.some(({ form }) => /^--include(?:=|$)/.test(form));
  const left = args.flatMap(({ form }, index) => {
    const [, glob] = /^--exclude(?:-dir)?=(.*)$/s.exec(form) ?? [];
    const next = /^(?:--exclude(?:-dir)?|-x)$/.test(form) ? args[index + 1]?.form : undefined;
    return [glob, next].flatMap((one) => (one === undefined ? [] : [one.replace(/[\uE000-\uE003]/g, '*')]));
  });
  for (const { form, text } of list) {
    if (hasOnly || isUnsure(form)) continue;
    for (const cwd of scene.cwds ?? []) {
      const place = joinPath(cwd, form);
      const among = listFolder(place)
        .filter((file) => !left.some((glob) => file.split('/').some((part) => fitsGlob(glob, part))))
        .map((file) => joinPath(place, file));
      if (among.length > 0)
        scene.gathering.addPath('read', { path: place, below: null, via: `${name} ${text}`, among });
    }
  }
}

export function fitsGlob(glob: string, name: string): boolean {
  const pieces = glob
    .replace(/^\.\//, '')
    .replace(/\/\**$/, '')
    .split('*')
    .map((piece) => piece.replace(/[.+^${}()|[\]\\?]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`).test(name);
}

/** What an archive holds may lie over every file of the project, if it is unpacked there and not in a folder of its own. */
export function unpack({ form }: ShellWord, name: string, scene: Scene): void {
  const { projectDir, cwd } = scene.context;
  const places = isUnsure(form) ? [] : (scene.cwds ?? []).map((folder) => joinPath(folder, form));
  if (places.some((place) => [projectDir, cwd].some((root) => root !== null && `${root}/`.startsWith(`${place}/`))))
    usePath('write', ANYTHING, `${name} into ${form}`, scene);
}
