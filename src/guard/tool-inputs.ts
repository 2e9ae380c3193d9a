// What the inputs of a tool say that it does, where troupe has no table for it: commands, paths, addresses. By the mapping of the policy, else
// by the names of the tool and of its inputs. Texts only: nothing is asked of the machine.

import { type WordSet, wordSet } from '../lib/group.ts';
import { filesInPatch } from '../lib/patch-text.ts';

export const EFFECTS = ['command', 'read', 'write', 'url'] as const;

export type Effect = (typeof EFFECTS)[number];

/** Which inputs of a tool have which effect. A dot goes into an object: `options.script`. Lists are taken entry by entry. */
export type InputMapping = { readonly [E in Effect]?: readonly string[] } & {
  /** Of a project: beside what the names say, not instead of it. */
  readonly adds?: true;
};

/** By the name of the tool in rules. */
export type ToolMappings = Readonly<Record<string, InputMapping>>;

export type Fields = Readonly<Record<string, unknown>>;

interface Told {
  /** The folder in which it happens, if the inputs say so. */
  readonly cwd: string | null;
}

export interface ToldCommand extends Told {
  readonly text: string;
  /** `guess`: a text that might be run. `like`: the tool does by its name what this command does. */
  readonly kind: 'run' | 'guess' | 'like';
}

export interface ToldPath extends Told {
  readonly path: string;
  /** `either`: neither the tool nor the input says whether it is read or written. */
  readonly access: 'read' | 'write' | 'copy' | 'either';
  /** With what is below it. */
  readonly isWhole: boolean;
  readonly isGlob: boolean;
}

export interface ToldEffects {
  readonly commands: readonly ToldCommand[];
  readonly paths: readonly ToldPath[];
  readonly addresses: readonly string[];
  /** The server of a tool that by its name reaches the network. */
  readonly service: string | null;
  /** Why not all of it could be read. */
  readonly unknown: string | null;
}

/** Deeper inputs are not looked through. */
const MAX_DEPTH = 12;
const MAX_TEXT = 100_000;

const RUNS = wordSet(
  'run exec execute executes shell bash zsh sh terminal term tty pty stdin console cli command commands cmd powershell pwsh spawn process tmux iterm ssh subprocess system eval repl interpreter stuff python node script scripts',
);
const BROWSES = wordSet('browser playwright puppeteer chrome chromium page devtools selenium webview');
const READS = wordSet(
  'read get list ls view show stat info inspect cat head tail tree describe search find grep glob check exists diff lookup query fetch load scan preview count symbols definition references hover diagnostics',
);
const WRITES = wordSet(
  'write create edit update append insert replace save put set mkdir make touch apply format patch modify store add',
);
const REMOVES = wordSet('delete remove rm rmdir unlink trash erase purge wipe del cleanup clean empty destroy clear');
const COPIES = wordSet('move mv copy cp rename link symlink archive zip tar compress backup duplicate upload download');
/** They say what a path is, or what is directly in it. */
const LISTS = wordSet('list ls stat info exists tree describe');
const NETWORKED = wordSet(
  'github gitlab bitbucket gitea slack linear notion jira confluence atlassian sentry stripe asana trello discord gmail gdrive google calendar outlook sharepoint ' +
    'figma supabase vercel netlify cloudflare aws azure gcp heroku hubspot salesforce intercom zendesk datadog pagerduty twilio sendgrid resend brave tavily exa ' +
    'perplexity firecrawl apify context7 deepwiki fetch http https web browser playwright puppeteer navigate crawl crawler scrape scraper download upload email mail ' +
    'smtp ssh sftp ftp s3 webhook curl wget internet online push pull clone telegram twitter youtube reddit wikipedia arxiv weather openai anthropic huggingface ' +
    'websearch webfetch codesearch npm pypi duckduckgo bing serpapi kagi searxng airtable shopify paypal dropbox onedrive zapier websocket ping dns whois kubernetes kubectl snowflake bigquery',
);
const GIT_VERBS = wordSet(
  'show diff log checkout switch restore reset clean rm mv stash add blame archive grep fetch pull clone push cat-file',
);
const CODE_HOSTS = wordSet('github gitlab bitbucket gitea');

const COMMAND_KEY =
  /^(?:commands?|cmds?|cmdline|commandline|scripts?|shell|bash|sh|zsh|powershell|pwsh|exec|execute|run|argv|programs?|executable|exe|keys|keystrokes|chars|stdin|\w*(?:command|cmd|script|commandline))$/;
const PROGRAM_KEY = /^(?:command|cmd|program|executable|exe|binary|bin|tool|shell)$/;
const ARGUMENTS_KEY = /^(?:args|arguments|argv|params|parameters|options)$/;
const CODE_KEY =
  /^(?:code|sourcecode|expression|expr|python|pythoncode|javascript|js|typescript|ts|ruby|perl|php|snippet|cell|cellsource|function|lua|source)$/;
const SQL_KEY = /^(?:sql|query|queries|statements?|sqlquery)$/;
const FOLDER_KEY = /^(?:cwd|workdir|workingdir|workingdirectory|currentdirectory|workdirectory)$/;
const PATH_KEY =
  /(?:paths?|files?|filenames?|dirs?|directory|directories|folders?|roots?|src|sources?|dst|dest|destinations?|targets?|notebooks?|attachments?|images?|location|archive|workspace|oldname|newname)$/;
const GLOB_KEY = /^(?:globs?|include|includes|includepatterns?|fileglobs?|filepatterns?)$/;
const ADDRESS_KEY =
  /^(?:\w*ur[li]s?|href|links?|endpoint|hosts?|hostname|domains?|website|webhook|origin|server|serverurl|address)$/;
/** Prose, and what is written into files. */
const TEXT_KEY =
  /^(?:q|queries|query|question|questions|title|subject|summary|description|body|messages?|contents?|text|prompts?|comments?|reason|notes?|objective|instructions?|labels?|tags?|html|markdown|data|oldstring|newstring|oldtext|newtext|oldstr|newstr|filetext|thought|explanation|search\w*|term|keywords?|observations?|selector|element|ref|cron|jql|filters?|sort|order|language|lang|model|email|author|name|entities|status|state|pattern|regex|exclude\w*|ignore\w*|value|values|type|id|ids|branch|base|head|milestone|assignees?|todos?|plan|caption|alt|topic|goal|schema|libraryname)$/;
/** Of a text for people, even a tool that runs commands runs none. */
const PROSE_KEY =
  /^(?:title|subject|summary|description|reason|notes?|explanation|thought|comments?|objective|goal|topic|labels?|language|lang|justification)$/;
const ACTION_KEY = /^(?:action|operation|op|method|verb|subcommand|mode|tool|toolname|name|function|command)$/;

const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/^(?:python\d*|py|ipython|jupyter)$/, 'python3 -c'],
  [/^(?:javascript|js|node|nodejs|typescript|ts|deno|bun)$/, 'node -e'],
  [/^(?:ruby|rb)$/, 'ruby -e'],
  [/^perl$/, 'perl -e'],
  [/^php$/, 'php -r'],
  [/^(?:bash|sh|shell|zsh|powershell|pwsh|terminal)$/, 'sh -c'],
];

/** Statements of SQL that reach files and programs. */
const SQL_REACHES =
  /\b(?:copy|program|load_file|readfile|writefile|pg_read_\w*file|pg_ls_dir|lo_import|lo_export|infile|outfile|dumpfile|attach|xp_cmdshell|load_extension|read_csv\w*|read_text|read_blob|read_json\w*|read_parquet|edit|openrowset|utl_file|import_csv)\b/i;
const SQL_COMMAND = /^\s*(?:\\!|\.(?:shell|system)\b)\s*(.+)$/gim;
const SQL_DOT_FILE = /^\s*(?:\\(?:i|ir|o|copy)|\.(?:read|import|open|once|output|load|backup|restore|save))\s+(.+)$/gim;

/** The words of a name: `mcp__fs__readTextFile` has mcp, fs, read, text, file. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Inputs that the mapping does not name count as plain data, unless the mapping only adds. */
export function readInputs(tool: string, input: unknown, mapping?: InputMapping): ToldEffects {
  const reading = new Reading(tool, input);
  if (mapping !== undefined) reading.readMapped(mapping, input);
  if (mapping === undefined || mapping.adds) reading.readAll();
  return reading.told();
}

/** Every path that an input of a tool for files names, beside the inputs that hold the text of the file. */
export function pathsIn(fields: Fields): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (depth > MAX_DEPTH || TEXT_KEY.test(key)) return;
    if (typeof value === 'string') {
      if (PATH_KEY.test(key)) found.push(value);
    } else if (Array.isArray(value)) for (const entry of value) visit(entry, key, depth + 1);
    else if (isFields(value))
      for (const [name, entry] of Object.entries(value)) {
        const inner = plainKey(name);
        visit(entry, inner === 'name' && PATH_KEY.test(key) ? key : inner, depth + 1);
      }
  };
  visit(fields, '', 0);
  return [...new Set(found)];
}

class Reading {
  readonly #name: readonly string[];
  readonly #input: unknown;
  readonly #service: string | null;
  readonly #commands: ToldCommand[] = [];
  readonly #paths: ToldPath[] = [];
  readonly #addresses = new Set<string>();
  #unknown: string | null = null;

  constructor(tool: string, input: unknown) {
    this.#name = wordsOfName(tool);
    this.#input = input;
    const [, server = tool] = /^mcp__((?:(?!__).)+)/.exec(tool) ?? [];
    this.#service = this.#name.some((word) => NETWORKED.has(word)) ? server : null;
  }

  told(): ToldEffects {
    return {
      commands: this.#commands,
      paths: this.#paths,
      addresses: [...this.#addresses],
      service: this.#service,
      unknown: this.#unknown,
    };
  }

  readMapped(mapping: InputMapping, input: unknown): void {
    const scene: Scene = { words: [], cwd: folderIn(input), key: '', isExec: true, isBrowser: false };
    for (const effect of EFFECTS)
      for (const place of mapping[effect] ?? [])
        for (const value of valuesAt(input, place.split('.'))) {
          if (effect === 'command') this.#addCommand(value, scene.cwd);
          else if (effect === 'url') this.#addresses.add(value);
          else this.#addPath(value, { ...scene, access: effect, isWhole: true });
        }
  }

  readAll(): void {
    const input = this.#input;
    this.#visit(input, sceneOf(this.#name, null), 0);
    this.#countAs(this.#name, input);
  }

  #visit(value: unknown, scene: Scene, depth: number): void {
    if (depth > MAX_DEPTH) this.#unknown ??= 'its inputs are too deep to be looked through';
    else if (typeof value === 'string') this.#readText(value, scene, depth);
    else if (Array.isArray(value)) this.#readList(value, scene, depth);
    else if (isFields(value)) this.#readFields(value, scene, depth);
  }

  #readList(list: readonly unknown[], scene: Scene, depth: number): void {
    // A command may come as its words.
    if (list.length > 0 && list.every((entry) => typeof entry === 'string')) {
      if (COMMAND_KEY.test(scene.key)) this.#addCommand(quoteAll(list as string[]), scene.cwd);
      else if (ARGUMENTS_KEY.test(scene.key)) {
        this.#addCommand(quoteAll(list as string[]), scene.cwd, 'guess');
        for (const program of programsIn(scene.words))
          this.#addCommand(`${program} ${quoteAll(list as string[])}`, scene.cwd, 'like');
      }
    }
    for (const entry of list) this.#visit(entry, scene, depth + 1);
  }

  #readFields(fields: Fields, outer: Scene, depth: number): void {
    const named = new Map(Object.entries(fields).map(([name, value]) => [plainKey(name), value]));
    // `{ tool: "bash", arguments: { … } }`, `{ action: "delete", … }`
    const actions = [...named].flatMap(([key, value]) =>
      ACTION_KEY.test(key) && typeof value === 'string' && value.length < 60 ? wordsOfName(value) : [],
    );
    const scene = sceneOf([...outer.words, ...actions], folderIn(fields) ?? outer.cwd);
    this.#readWhole(named, scene);
    if (['hidden', 'includehidden', 'searchhidden'].some((key) => named.get(key) === true))
      for (const [key, value] of named)
        if (PATH_KEY.test(key) && typeof value === 'string')
          this.#addPath(`${value}/.*`, { ...scene, access: 'read', isWhole: false }, true);
    for (const [name, value] of Object.entries(fields)) {
      const key = plainKey(name);
      const isName = key === 'name' && PATH_KEY.test(outer.key);
      // `files: { ".env": "…" }`
      if (PATH_KEY.test(outer.key) && /[./~]/.test(name)) this.#addPath(name, { ...scene, ...accessOf(scene.words) });
      this.#visit(value, { ...scene, key: isName ? outer.key : key, fields }, depth + 1);
    }
    if (actions.length > 0) this.#countAs(scene.words, fields);
  }

  /** A program with its arguments, its variables and what comes in to it. */
  #readWhole(named: ReadonlyMap<string, unknown>, scene: Scene): void {
    const find = (pattern: RegExp): unknown => [...named].find(([key]) => pattern.test(key))?.[1];
    const program = find(PROGRAM_KEY);
    if (typeof program !== 'string' || program === '') return;
    const given = find(ARGUMENTS_KEY);
    const args = Array.isArray(given)
      ? quoteAll(given.filter((entry) => typeof entry === 'string'))
      : typeof given === 'string'
        ? given
        : '';
    const env = find(/^(?:env|environment|envvars|variables)$/);
    const sets = isFields(env)
      ? Object.entries(env).map(([name, value]) => `${name.replace(/\W/g, '_')}=${quote(String(value))}`)
      : [];
    const stdin = named.get('stdin') ?? named.get('input');
    const line = [...sets, program, args].filter((text) => text !== '').join(' ');
    if (typeof stdin === 'string' && stdin !== '')
      this.#addCommand(`printf %s ${quote(stdin)} | ${line}`, scene.cwd, scene.isExec ? 'run' : 'guess');
    else if (args !== '' || sets.length > 0) this.#addCommand(line, scene.cwd);
  }

  #readText(text: string, scene: Scene, depth: number): void {
    const { key } = scene;
    if (text.trim() === '' || text.length > MAX_TEXT) {
      if (text.length > MAX_TEXT && !TEXT_KEY.test(key)) this.#unknown ??= 'an input is too long to be looked through';
      return;
    }
    const inner = parseInner(text);
    if (inner !== undefined && !/^(?:contents?|filetext|newstring|oldstring|newstr|oldstr)$/.test(key)) {
      this.#visit(inner, scene, depth + 1);
      return;
    }
    if (FOLDER_KEY.test(key)) return;
    if (!/^(?:contents?|filetext|newstring|oldstring|newstr|oldstr)$/.test(key))
      for (const file of filesInPatch(text)) this.#addPath(file, { ...scene, access: 'write', isWhole: false });
    if (key === 'prompt') for (const [uri] of text.matchAll(/\bfile:\/\/\S+/gi)) this.#readAddress(uri, scene);
    // What is typed into a terminal is run there.
    if (scene.isExec && TYPED_KEY.test(key) && typesInto(scene.words))
      this.#addCommand(text.replace(/\{(?:enter|return)\}/gi, '\n').replace(/\{[a-z+-]{2,12}\}/gi, ' '), scene.cwd);
    if (SQL_KEY.test(key)) this.#readSql(text, scene);
    if (CODE_KEY.test(key) && !scene.isBrowser) this.#readCode(text, scene);
    else if (COMMAND_KEY.test(key) && !scene.isBrowser) this.#addCommand(text, scene.cwd);
    else if (GLOB_KEY.test(key)) this.#addPath(text, { ...scene, access: 'read', isWhole: false }, true);
    else if (ADDRESS_KEY.test(key) || /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(text)) this.#readAddress(text, scene);
    else if (PATH_KEY.test(key)) this.#addPath(text, { ...scene, ...accessOf(scene.words) });
    else this.#guess(text, scene);
  }

  /** An input of which nothing is known. */
  #guess(text: string, scene: Scene): void {
    // An order that is nothing else than a command hands on what the agent itself may not run.
    if (scene.key === 'prompt' && text.length <= 200 && !text.trim().includes('\n'))
      this.#addCommand(text, scene.cwd, 'guess');
    if (PROSE_KEY.test(scene.key)) return;
    if (TEXT_KEY.test(scene.key) && !scene.isExec) return;
    if (!/\s/.test(text) && looksLikePath(text)) this.#addPath(text, { ...scene, access: 'either', isWhole: false });
    if (/^[\w./~$"'\\({]/.test(text) && !scene.isBrowser) {
      this.#addCommand(text, scene.cwd, 'guess');
      // `mcp__git__run { input: "push" }`
      for (const program of programsIn(scene.words)) this.#addCommand(`${program} ${text}`, scene.cwd, 'guess');
    }
    // Code that starts other tools: `tools.exec_command({ cmd: "git push" })`.
    if (scene.isExec && text.includes('('))
      for (const [, , literal = ''] of text.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)+)\1/g))
        this.#addCommand(literal, scene.cwd, 'guess');
  }

  #readCode(code: string, scene: Scene): void {
    if (scene.key === 'source' && !scene.isExec) {
      this.#addPath(code, { ...scene, ...accessOf(scene.words) });
      return;
    }
    if (scene.key === 'function' && /^[\w.]*$/.test(code)) return;
    const said = [...Object.entries(scene.fields ?? {})].flatMap(([name, value]) =>
      /^(?:language|lang|runtime|kernel|interpreter|engine)$/.test(plainKey(name)) && typeof value === 'string'
        ? wordsOfName(value)
        : [],
    );
    const interpreters = LANGUAGES.filter(([name]) =>
      [...said, scene.key, ...scene.words].some((word) => name.test(word)),
    );
    const chosen = interpreters.length > 0 ? interpreters.map(([, start]) => start) : ['python3 -c', 'node -e'];
    for (const start of chosen) this.#addCommand(`${start} ${quote(code)}`, scene.cwd);
  }

  #readSql(text: string, scene: Scene): void {
    for (const [, command = ''] of text.matchAll(SQL_COMMAND)) this.#addCommand(command, scene.cwd);
    for (const [, file = ''] of text.matchAll(SQL_DOT_FILE))
      this.#addEither(file.trim().replace(/^['"]|['"]$/g, ''), scene);
    if (!SQL_REACHES.test(text)) return;
    for (const [, literal = ''] of text.matchAll(/'((?:[^']|'')*)'/g)) {
      if (/\bprogram\b|xp_cmdshell/i.test(text)) this.#addCommand(literal, scene.cwd);
      if (looksLikePath(literal)) this.#addEither(literal, scene);
    }
  }

  #readAddress(text: string, scene: Scene): void {
    const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
    if (scheme === '' && looksLikePath(text) && /^[./~]/.test(text))
      this.#addPath(text, { ...scene, ...accessOf(scene.words) });
    else if (
      /^(?:https?|wss?|ftps?|sftp|ssh|git|smtps?|imaps?|ldaps?|redis|mysql|postgres\w*|mongodb\S*|amqps?)$/i.test(
        scheme,
      )
    )
      this.#addresses.add(text);
    else if (scheme !== '' && text.includes('://'))
      this.#addPath(pathOfUri(text), { ...scene, ...accessOf(scene.words) });
    else if (scheme.toLowerCase() === 'file') this.#addPath(pathOfUri(text), { ...scene, ...accessOf(scene.words) });
    else if (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?$|^localhost\b/.test(text)) this.#addresses.add(text);
  }

  /** What a tool does by its name, in the words of the command that does the same. */
  #countAs(name: readonly string[], input: unknown): void {
    const has = (...list: readonly string[]): boolean => list.some((word) => name.includes(word));
    const isCodeHost = name.some((word) => CODE_HOSTS.has(word));
    const add = (text: string): void => this.#addCommand(text, null, 'like');
    if (
      has('push') &&
      (isCodeHost ||
        has(
          'git',
          'repo',
          'repository',
          'vcs',
          'branch',
          'branches',
          'commit',
          'commits',
          'tag',
          'tags',
          'files',
          'remote',
        ))
    )
      add('git push');
    if (
      has('publish', 'submit', 'sync') &&
      has('git', 'repo', 'repository', 'vcs', 'branch', 'branches', 'commits', 'remote')
    )
      add('git push');
    if (
      isCodeHost &&
      has('create', 'update', 'delete', 'commit', 'upload', 'write', 'edit') &&
      has('file', 'files', 'commit', 'tree', 'ref', 'contents')
    )
      add('git push');
    const isRequest = (has('pull', 'merge') && has('request')) || has('pr', 'mr');
    if (isRequest && has('create', 'open')) add('gh pr create');
    if (isRequest && has('merge') && !has('create', 'get', 'list', 'read')) add('gh pr merge');
    if (has('create', 'publish') && has('release')) add('gh release create');
    if (has('publish') && has('package', 'npm')) add('npm publish');
    if (has('git')) {
      const verb = name.findLast((word) => GIT_VERBS.has(word));
      if (verb !== undefined) add(`git ${verb} ${gitWords(input).join(' ')}`);
    }
    if (name.some((word) => REMOVES.has(word)))
      for (const { path, access } of this.#paths) if (access !== 'read') add(`rm -r ${quote(path)}`);
    if (has('kill', 'terminate') && isFields(input))
      for (const [key, value] of Object.entries(input))
        if (/pid|process/i.test(key) && /^(?:number|string)$/.test(typeof value))
          add(`kill -9 ${quote(String(value))}`);
  }

  #addCommand(text: string, cwd: string | null, kind: ToldCommand['kind'] = 'run'): void {
    const plain = text.trim();
    if (plain === '' || this.#commands.some((one) => one.text === plain && one.kind === kind)) return;
    if (this.#commands.length > 200) this.#unknown ??= 'it has too many inputs to be looked through';
    else this.#commands.push({ text: plain, cwd, kind });
  }

  #addEither(path: string, scene: Scene): void {
    this.#addPath(path, { ...scene, access: 'either', isWhole: false });
  }

  #addPath(path: string, { access, isWhole, cwd }: Scene & Pick<ToldPath, 'access' | 'isWhole'>, isGlob = false): void {
    if (path.length > 4_096 || /\n/.test(path)) return;
    // `src/a.ts:12:1`
    const file = (/^file:/i.test(path) ? pathOfUri(path) : path).replace(/(?<=[\w.])(?::\d+){1,2}$/, '');
    if (this.#paths.length > 500) this.#unknown ??= 'it has too many inputs to be looked through';
    else this.#paths.push({ path: file, access, isWhole, isGlob: isGlob || /[*?]|\{[^}]*,/.test(file), cwd });
  }
}

/** What is around a value: the words that say what happens, and where. */
interface Scene {
  readonly words: readonly string[];
  readonly cwd: string | null;
  readonly key: string;
  readonly isExec: boolean;
  readonly isBrowser: boolean;
  readonly fields?: Fields;
}

function sceneOf(names: readonly string[], cwd: string | null): Scene {
  const has = (set: WordSet): boolean => names.some((word) => set.has(word));
  return { words: names, cwd, key: '', isExec: has(RUNS), isBrowser: has(BROWSES) };
}

const TYPED_KEY = /^(?:text|input|data|value|line|lines|characters|string)$/;

function typesInto(names: readonly string[]): boolean {
  const types = names.some((word) => /^(?:stdin|keys|keystrokes|type|send|input|write|paste|enter)$/.test(word));
  return types && !names.some((word) => /^files?$/.test(word));
}

/** By the last word that says so: `mcp__writer__read_file` reads. */
function accessOf(names: readonly string[]): Pick<ToldPath, 'access' | 'isWhole'> {
  const last = names.findLast((word) => [READS, WRITES, REMOVES, COPIES].some((set) => set.has(word)));
  if (last === undefined) return { access: 'either', isWhole: true };
  if (COPIES.has(last)) return { access: 'copy', isWhole: true };
  if (REMOVES.has(last)) return { access: 'write', isWhole: true };
  // `archive_create` reads what it packs.
  if (WRITES.has(last) && names.some((word) => COPIES.has(word))) return { access: 'copy', isWhole: true };
  if (WRITES.has(last)) return { access: 'write', isWhole: false };
  return { access: 'read', isWhole: !names.some((word) => LISTS.has(word)) };
}

/** What a tool of git is given, beside the folder of the repository and what people write. */
function gitWords(input: unknown): readonly string[] {
  if (!isFields(input)) return [];
  return Object.entries(input)
    .filter(
      ([name]) => !/repo|path$|cwd|dir|message|author|count|context/i.test(name) || /^paths?$|^files?$/i.test(name),
    )
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === 'string' && value !== '' && value.length < 500)
    .flatMap((value) => (/^[\w\s./:@~^{}=*-]+$/.test(value) ? value.split(/\s+/).map(quote) : [quote(value)]));
}

/** Programs that have a name of their own among the words of a tool: `git` of `mcp__git__run`. */
function programsIn(names: readonly string[]): readonly string[] {
  return names.filter((word) =>
    /^(?:git|gh|glab|npm|pnpm|yarn|docker|kubectl|aws|gcloud|az|rm|cat|hg|svn|jj|troupe|bash|sh|curl|wget|make|tar|ssh|python|node)$/.test(
      word,
    ),
  );
}

function folderIn(input: unknown): string | null {
  if (!isFields(input)) return null;
  const found = Object.entries(input).find(
    ([name, value]) => FOLDER_KEY.test(plainKey(name)) && typeof value === 'string',
  );
  return found === undefined ? null : String(found[1]);
}

function valuesAt(value: unknown, [first, ...rest]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) {
    // A command may come as its words.
    if (first === undefined && value.every((entry) => typeof entry === 'string')) return [quoteAll(value), ...value];
    return value.flatMap((entry) => valuesAt(entry, first === undefined ? [] : [first, ...rest]));
  }
  if (first === undefined) return typeof value === 'string' && value !== '' ? [value] : [];
  const inner = typeof value === 'string' ? parseInner(value) : value;
  return isFields(inner) && Object.hasOwn(inner, first) ? valuesAt(inner[first], rest) : [];
}

function parseInner(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `file:///a/%62`, `vscode://file/a`, `repo://x/a`: what stands behind the scheme, and the host where there is one. */
export function pathOfUri(uri: string): string {
  const [, scheme = '', rest = uri] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  const path = rest
    .replace(/[?#].*$/s, '')
    .replace(scheme.toLowerCase() === 'file' ? /^\/\/(?:[^/]*(?=\/))?/ : /^\/+/, '');
  return decodePercent(path);
}

export function decodePercent(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function looksLikePath(text: string): boolean {
  return text.length < 4_096 && !/\n/.test(text) && /^[.~/$]|[/\\]|^[A-Za-z]:|\.[A-Za-z0-9]{1,8}$|^id_\w+$/.test(text);
}

function plainKey(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function quoteAll(list: readonly string[]): string {
  return list.map(quote).join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
