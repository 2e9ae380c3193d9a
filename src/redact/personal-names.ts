import { isDictionaryWord } from './dictionary.ts';
import { quote } from './rule.ts';
import { SEPARATORS } from './view.ts';

/** Whom the texts may name: what is known of this machine and of the session. */
export interface Person {
  /** The home folder of this machine's user. */
  readonly home?: string;
  readonly users?: readonly string[];
  readonly hosts?: readonly string[];
  /** Names and addresses of people, such as git's author. */
  readonly names?: readonly string[];
}

interface PersonalSpan {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  readonly id: 'home-directory' | 'user-name' | 'host-name' | 'person';
}

export interface PersonalFinder {
  /** A quick look that says no of nearly every text, and whether or not what ends a word is written in code there. */
  readonly mayHold: (text: string) => boolean;
  readonly find: (text: string) => readonly PersonalSpan[];
}

/** `/home/NAME` and what systems have in its place. */
const HOME = /(?<![\w.~-])(?:\/mnt\/[a-z]|\/[a-z](?=\/Users)|\/(?:var|export|usr))?\/(?:home|Users)\/([\w.@-]{1,64})/g;
const WINDOWS_HOME = /\b[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)([^\\/\s"'<>|:*?;,()]{1,64})/g;
/** Names of folders that a host makes of paths: `projects/-home-NAME-project`. */
const DASHED_HOME = /(?<=projects(?:\/|\\{1,4}))(?:[A-Z]-)?-(?:home|Users)-([A-Za-z0-9]{1,64})(?=-|["'\s/\\]|$)/g;
/** Folders that are nobody's, and names that manuals use. */
const NOBODY =
  /^(?:shared|public|default|all|user|users|user-?name|username|name|you|your-?(?:user)?-?name|me|someone|somebody|foo|bar|index|page|.*\.(?:html?|js|tsx?|css|php|json|md))$/i;

/** Places of home folders, and of the names that are known. `~` stands for a home, so that paths stay readable. */
export function createPersonalFinder({ home, users = [], hosts = [], names = [] }: Person): PersonalFinder {
  const homes = [
    // The parts of a path are the same with any separator.
    ...(home === undefined ? [] : [{ words: home.split(/[\\/]+/), patterns: homePatterns(home) }]),
    ...users.filter((user) => user.length > 1).map((user) => ({ words: [user], patterns: userHomePatterns(user) })),
  ].map(({ words, patterns }) => ({ words: words.map(lettersOf).sort(longestFirst), patterns }));
  const lists = [
    { id: 'person', words: names.filter((name) => (/[@\s]/.test(name) ? isName(name) : isUserName(name))), behind: '' },
    { id: 'user-name', words: users.filter(isUserName), behind: '' },
    { id: 'host-name', words: hosts.filter(isUserName), behind: '' },
    // A machine by the name of a word is one behind the name of its user.
    { id: 'host-name', words: hosts.filter((host) => isName(host) && !isUserName(host)), behind: '(?<=\\w@)' },
  ] as const;
  const words = lists.flatMap(({ id, words: each, behind }) =>
    each.length === 0 ? [] : [{ id, pattern: anyWord(each, behind) }],
  );
  const all = lists.flatMap(({ words: each }) => each);
  const loosely = all.length === 0 ? undefined : new RegExp(alternatives(all), 'iu');
  const isSplit = all.some((word) => [...word].some((letter) => SEPARATORS.has(letter)));
  const own = home === undefined ? undefined : homes[0]?.words;
  const mayHoldHome = (text: string): boolean =>
    holdsHomeOfAnybody(text) || (own?.every((part) => text.includes(part)) ?? false);
  return {
    mayHold: (text) => isSplit || mayHoldHome(text) || (loosely?.test(text) ?? false),
    find: (text) => {
      const spans: PersonalSpan[] = [];
      const add = (id: PersonalSpan['id'], start: number, value: string): void => {
        spans.push({ start, end: start + value.length, value, id });
      };
      for (const { words: parts, patterns } of homes)
        if (parts.every((part) => text.includes(part)))
          for (const pattern of patterns)
            for (const { 0: value, index } of text.matchAll(pattern)) add('home-directory', index, value);
      if (holdsHomeOfAnybody(text))
        for (const pattern of [HOME, WINDOWS_HOME, DASHED_HOME])
          for (const { 0: value, 1: name = '', index } of text.matchAll(pattern))
            if (!NOBODY.test(name)) add('home-directory', index, value);
      for (const { id, pattern } of words)
        for (const { 0: value, index } of text.matchAll(pattern)) add(id, index, value);
      return spans;
    },
  };
}

/** Without one of these, none of the patterns for homes matches. */
function holdsHomeOfAnybody(text: string): boolean {
  return text.includes('/home/') || text.includes('Users') || text.includes('-home-');
}

/** The user that a working folder belongs to. */
function userOfFolder(folder: string): string | undefined {
  const match = new RegExp(HOME.source).exec(folder) ?? new RegExp(WINDOWS_HOME.source).exec(folder);
  const name = match?.index === 0 ? match[1] : undefined;
  return name !== undefined && !NOBODY.test(name) ? name : undefined;
}

/** Words that are names of users, too; and those that our own formats use. */
const ORDINARY = new Set(
  (
    'root user users admin administrator dev developer test tester guest node app apps www web home work local localhost host hostname ' +
    'server client ubuntu debian fedora arch linux mac macbook macos windows docker container runner build builder ci git github gitlab ' +
    'vagrant vscode codespace jenkins postgres mysql redis nginx apache daemon nobody system default public shared demo example sample ' +
    'project main master code data claude assistant agent agents task tool text thinking image file name model session message summary ' +
    'notice attachment fork teammate workflow internal running waiting completed failed stopped unknown exact strong guess none ' +
    'pro air mini studio imac laptop desktop pc box machine computer workstation dell lenovo thinkpad cloud remote pi mail staff operator service'
  ).split(' '),
);

function isName(name: string): boolean {
  return name.length >= 3 && !ORDINARY.has(name.toLowerCase()) && !/^\d+$/.test(name);
}

/** Short names are parts of other words, and words are words: those are replaced in paths only. */
function isUserName(name: string): boolean {
  return name.length >= 5 && !isDictionaryWord(name) && isName(name);
}

/** Of a name, its longest part without a mark: those are written in other ways. */
function lettersOf(name: string): string {
  return name.split(/[^A-Za-z0-9]+/).reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

function homePatterns(home: string): readonly RegExp[] {
  if (home.length < 2) return [];
  const path = home.replace(/[\\/]+$/, '');
  const separators = quote(path).replace(/\\\/|\\\\/g, '(?:\\\\{1,4}|\\\\{0,3}/)');
  const dashed = quote(path.replace(/[^A-Za-z0-9]/g, '-'));
  return [
    new RegExp(`(?<![\\w.~-])${separators}(?![\\w.-]*[A-Za-z0-9])`, 'g'),
    // A host's name of a folder: at the end of a word, or in front of the dashes of what lies below.
    ...(path.length >= 8 ? [new RegExp(`(?<![\\w])${dashed}(?![A-Za-z0-9])`, 'g')] : []),
  ];
}

/** Also where a letter stands right before it: `-I/home/NAME/include`. */
function userHomePatterns(user: string): readonly RegExp[] {
  const name = quote(user);
  const dashed = quote(user.replace(/[^A-Za-z0-9]/g, '-'));
  return [
    new RegExp(`\\/(?:home|Users)\\/${name}(?![\\w.-]*[A-Za-z0-9])`, 'g'),
    new RegExp(`(?<!\\w)(?:[A-Z]-)?-(?:home|Users)-${dashed}(?![A-Za-z0-9])`, 'g'),
  ];
}

function anyWord(names: readonly string[], behind: string): RegExp {
  return new RegExp(`${behind}(?<![\\p{L}\\p{N}])(?:${alternatives(names)})(?![\\p{L}\\p{N}])`, 'giu');
}

function alternatives(names: readonly string[]): string {
  return [...new Set(names)].sort(longestFirst).map(quote).join('|');
}

const longestFirst = (a: string, b: string): number => b.length - a.length || (a < b ? -1 : 1);

export interface NamedPeople {
  readonly users: readonly string[];
  readonly names: readonly string[];
}

export interface People {
  readonly users: Set<string>;
  readonly names: Set<string>;
}

/** Whether none of them is new. */
export function areKnown({ users, names }: NamedPeople, people: People): boolean {
  return users.every((user) => people.users.has(user)) && names.every((name) => people.names.has(name));
}

export function areSame(a: People, b: People): boolean {
  return a === b || (isSame(a.users, b.users) && isSame(a.names, b.names));
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}

/** Whom a session names by its structure: the author that git told, the owner of a working folder. */
export function peopleIn(value: unknown): NamedPeople {
  const users = new Set<string>();
  const names = new Set<string>();
  collectPeople(value, users, names);
  return { users: [...users], names: [...names] };
}

function collectPeople(value: unknown, users: Set<string>, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    if (key === 'cwd' && typeof field === 'string') {
      const user = userOfFolder(field);
      if (user !== undefined) users.add(user);
    } else if (key === 'author' && typeof field === 'object' && field !== null) {
      for (const name of Object.values(field)) if (typeof name === 'string') names.add(name);
    } else if (typeof field === 'object') collectPeople(field, users, names);
  }
}
