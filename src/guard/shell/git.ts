// git: options before its verb, code in its configuration, commands that its verbs run, files that they change.

import { wordSet } from '../../lib/group.ts';
import { asFolder, outputsOf, patchedBy, useGivenNames } from './file-arguments.ts';
import { extentOf, joinPath, readListed, usePath } from './paths.ts';
import { trackedFiles } from './project-code.ts';
import { GIT_CODE, IN_BARE_REPOSITORY, inside, PUSH, type Scene } from './scene.ts';
import { pathsIn, suspectPath } from './suspects.ts';
import { isOwnScript } from './variables.ts';
import { ANYTHING, GLOB_ONE, GLOB_STAR, isUnsure, readOptions, type ShellWord } from './words.ts';
import { runPlainShell } from './wrappers.ts';

const GLOBAL = {
  flags: 'pPhv',
  values: 'Cc',
  long: 'paginate no-pager no-replace-objects no-lazy-fetch no-optional-locks no-advice bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs git-dir= work-tree= namespace= super-prefix= config-env= exec-path= attr-source= version help html-path man-path info-path list-cmds=',
};
/** These change neither what is run nor what is read out of files that are not the project's. */
const HARMLESS = new Set(['C', 'P', 'no-pager', 'no-optional-locks', 'no-advice']);
const GIT: ShellWord = { form: 'git', text: 'git' };
/** Keys whose value is a command. */
const CODE_KEY =
  /^(?:alias\..*|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|credential\..*|diff\..*|difftool\..*|mergetool\..*|merge\..*\.driver|filter\..*|gpg\..*|gpg\.program|interactive\.difffilter|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|vcs|proxy)|http\..*proxy.*|init\.templatedir|include.*|protocol\..*|tar\..*|trailer\..*|web\.browser|browser\..*|man\..*|instaweb\..*|sendemail\..*)$/i;

/** Settings that no command comes out of; of others that are not known to hold one, nobody can say. */
const PLAIN_KEY =
  /^(?:user\.|author\.|committer\.|color\.|column\.|advice\.|i18n\.|status\.|branch\.|blame\.|pack\.|index\.|gc\.|fetch\.|push\.|pull\.|rebase\.|commit\.(?!template)|tag\.|log\.|stash\.|rerere\.|safe\.|versionsort\.|feature\.|checkout\.|clone\.|maintenance\.|help\.|grep\.|apply\.|am\.|submodule\.(?:recurse|fetchjobs)|merge\.[a-z]+$|diff\.[a-z]+$|format\.|http\.[a-z]+$|init\.defaultbranch|core\.(?:quotepath|autocrlf|abbrev|ignorecase|filemode|precomposeunicode|longpaths|eol|safecrlf|bare|untrackedcache|preloadindex|commentchar|symlinks|compression|whitespace|logallrefupdates|multipackindex|commitgraph|checkstat|trustctime|protecthfs|protectntfs|excludesfile|attributesfile))/i;

const RUNS_WHAT_IT_IS_TOLD =
  /^(?:filter-branch|difftool|mergetool|send-email|instaweb|daemon|fast-import|for-each-repo)$/;

/** They show or keep what is in files that they are given by name. */
const SHOWS_FILES = wordSet(
  'add update-index stash diff show blame annotate grep log hash-object archive merge-file interpret-trailers fmt-merge-msg commit-tree checkout-index unpack-file whatchanged format-patch mailinfo mktag send-email',
);

export function runGit(words: readonly ShellWord[], scene: Scene): boolean {
  const read = readOptions(words.slice(1), GLOBAL);
  if (!read.isSure) {
    scene.gathering.lose('which command of git this is cannot be told');
    return false;
  }
  for (const { name, value } of read.options) {
    if (name === 'c') checkSetting(value?.form ?? '', scene);
    if (name === 'config-env' && CODE_KEY.test(value?.form.replace(/=.*$/s, '') ?? ''))
      scene.gathering.lose('a setting of git that it may run is only known when it runs');
    if (name === 'exec-path' && value !== null) scene.gathering.miss('git is told where its programs are');
  }
  const folders = read.options.filter(({ name }) => name === 'C').map(({ value }) => value?.form ?? '');
  // `--git-dir=../x.git`: another repository, without files.
  const bare = read.options.flatMap(({ name, value }) =>
    name === 'git-dir' && IN_BARE_REPOSITORY.test(value?.form ?? '') ? [value?.form ?? ''] : [],
  );
  const there: Scene = { ...scene, cwds: moved(scene.cwds, [...folders, ...bare]) };
  const [verb, ...rest] = read.rest;
  for (const { name, value } of read.options)
    if (name === 'work-tree' && value !== null) useWorkTree(value.form, there);
  if (verb === undefined) return false;
  for (const { name, value } of read.options) {
    const [, alias, said = ''] = /^alias\.([^=]+)=([\s\S]*)$/.exec((name === 'c' && value?.form) || '') ?? [];
    if (alias?.toLowerCase() === verb.form.toLowerCase()) runAlias(said, rest, there);
  }
  if (read.options.length > 0) {
    const within = inside(there, 'git', -1, {
      within: { index: scene.self ?? -1, at: words.length - read.rest.length - 1 },
    });
    scene.runner.runWords([GIT, ...read.rest], scene.self === null ? there : within);
    return read.options.every(({ name }) => HARMLESS.has(name));
  }
  runVerb(verb.form, rest, there);
  return false;
}

/** `git x push` where `alias.x` is `!env`: the words after the alias follow its text. */
function runAlias(text: string, rest: readonly ShellWord[], scene: Scene): void {
  const within = inside(scene, 'git alias', -1);
  const words = (text.startsWith('!') ? text.slice(1) : `git ${text}`).trim().split(/\s+/);
  if (/^[\w./ =:,@+-]*$/.test(words.join(' ')))
    scene.runner.runWords([...words.map((form) => ({ form, text: form })), ...rest], within);
  else runPlainShell(`${words.join(' ')} ${rest.map(({ form }) => form).join(' ')}`, within);
}

/** Files of another folder are taken for those of the project: shown, added, written. */
function useWorkTree(form: string, scene: Scene): void {
  for (const kind of ['read', 'write'] as const) usePath(kind, form, `git --work-tree=${form}`, scene, 'all');
}

/** Verbs of git; anything else is an alias, or a program that somebody has installed. */
const VERBS = wordSet(
  'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit ' +
    'commit-graph commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fetch fmt-merge-msg for-each-ref format-patch fsck gc get-tar-commit-id ' +
    'grep hash-object help init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-tree mergetool mv name-rev notes pack-refs patch-id prune pull push range-diff ' +
    'rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stash status submodule switch ' +
    'symbolic-ref tag update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree hook flow',
);
/** Verbs that are told by their words which files they write, in a way that is not looked into. */
const WRITES_BY_WORD = wordSet(
  'merge-file mailinfo mailsplit index-pack pack-objects unpack-file checkout-index read-tree merge-one-file credential-store credential-cache fast-export bugreport diagnose pack-redundant multi-pack-index stripspace submodule',
);
/** Their value is a file or a folder. */
const FILE_OPTION =
  /^--(?:[\w-]*(?:file|dir|directory|marks|template|contents|reference|index-output|output-directory|exclude-from|pathspec-from-file))=(?=.)/;

/** What the settings of the project, or of the person, say that a word means. */
function aliasesIn(verb: string, scene: Scene): readonly string[] {
  const { readScript } = scene.context;
  if (readScript === undefined || !/^[\w.-]+$/.test(verb)) return [];
  const files = [...(scene.cwds ?? []).map((cwd) => `${cwd}/.git/config`), `${scene.context.home}/.gitconfig`];
  return files.flatMap((file) => {
    const [, section = ''] = /^\s*\[alias\]([^[]*)/im.exec(readScript(file) ?? '') ?? [];
    const [, value] = new RegExp(`^\\s*${verb.replace(/[.]/g, '\\.')}\\s*=\\s*(.+?)\\s*$`, 'im').exec(section) ?? [];
    return value === undefined ? [] : [value.replace(/^"|"$/g, '').replaceAll('\\"', '"')];
  });
}

function runUnknown(verb: string, words: readonly ShellWord[], scene: Scene): void {
  for (const text of aliasesIn(verb, scene)) runAlias(text, words, scene);
  if (words.length > 0) scene.gathering.suspect(() => scene.runner.runWords(words, inside(scene, `git ${verb}`, -1)));
  for (const { form } of words) for (const path of pathsIn(form)) suspectPath(path, `git ${verb}`, scene);
}

function moved(cwds: Scene['cwds'], folders: readonly string[]): Scene['cwds'] {
  if (cwds === null || folders.some(isUnsure)) return folders.length === 0 ? cwds : null;
  return cwds.map((cwd) => folders.reduce(joinPath, cwd));
}

function checkSetting(setting: string, scene: Scene): void {
  const equals = setting.indexOf('=');
  const key = equals < 0 ? setting : setting.slice(0, equals);
  const value = equals < 0 ? '' : setting.slice(equals + 1);
  if (isUnsure(key)) scene.gathering.lose('a setting of git is only known when it runs');
  else if (/^help\.autocorrect$/i.test(key)) scene.gathering.lose('git may correct its command into another one');
  else if (CODE_KEY.test(key)) runSetting(key, value, scene);
  else if (PLAIN_KEY.test(key) && /^[.~/]|\//.test(value)) usePath('read', value, `git ${key}`, scene);
  else if (!PLAIN_KEY.test(key)) {
    scene.gathering.lose(`git may run what its setting ${key} says`);
    scene.gathering.suspect(() => runPlainShell(value, inside(scene, `git ${key}`, -1)));
  }
}

function runSetting(key: string, value: string, scene: Scene): void {
  scene.gathering.miss(`git's ${key} is set, which git may run`);
  const within = inside(scene, `git ${key}`, -1);
  if (isOwnScript(value) || /hookspath|templatedir/i.test(key))
    scene.gathering.lose(`git's ${key} names a script that is not looked into`);
  if (value.startsWith('!')) runPlainShell(value.slice(1), within);
  else if (!/^alias\./i.test(key)) runPlainShell(value, within);
  else runPlainShell(`git ${value}`, within);
}

/** Another way to do what `git push` does: the other repository is made to fetch, or is given the objects. */
const PUSHES = /^(?:receive-pack|http-push|cvsexportcommit|remote-\w+)$/;
const PUSHES_BY_WORD: Readonly<Record<string, RegExp>> = {
  svn: /^dcommit|^set-tree/,
  p4: /^submit/,
  subtree: /^push/,
  annex: /^(?:sync|push|assist|copy|move)/,
};
const CHANGES_BRANCHES = /^(?:branch|tag|symbolic-ref|update-ref|reset|merge|notes|replace)$/;
const SETS_BARE = /\bGIT_DIR=\S*[\w-]\.git\b/;
const FILLS = /^(?:unpack-objects|index-pack|fast-import|update-ref)$/;

function pushes(verb: string, plain: readonly ShellWord[], scene: Scene): boolean {
  if (PUSHES.test(verb) || PUSHES_BY_WORD[verb]?.test(plain[0]?.form ?? '')) return true;
  const isAway = extentOf('.', scene) === 'all';
  const isBare = scene.cwds?.some((cwd) => IN_BARE_REPOSITORY.test(cwd)) || SETS_BARE.test(scene.code);
  if (isBare && CHANGES_BRANCHES.test(verb)) return true;
  if (FILLS.test(verb)) return isAway;
  if (verb !== 'fetch' && verb !== 'pull') return false;
  const [from, ...refs] = plain;
  const form = from?.form ?? '';
  const isPath = /^[.~/\uE000\uE001]|^[^:@]+\/[^:@]*$|\.(?:bundle|bdl)$|^file:/.test(form);
  const isNew = isAway && /\bremote\s+add\b|\bremote\.|\.git\/config/.test(scene.code);
  return (isPath && (isAway || refs.some((ref) => ref.form.includes(':')))) || isNew;
}

/** What this call wrote where git looks for hooks and aliases is run by the next command of git. */
function useWrittenSettings(scene: Scene): void {
  for (const [path, text] of scene.gathering.written) {
    const isHook = path.includes('/hooks/');
    if (!GIT_CODE.test(path) || (!isHook && isPlainSettings(text))) continue;
    if (text === null || isUnsure(text) || !isHook)
      scene.gathering.lose('git may run what this call writes into its settings or hooks');
    else
      scene.gathering.suspect(() => scene.runner.runCode(text, inside(scene, path, -1, { stdin: { kind: 'none' } })));
  }
}

function isPlainSettings(text: string | null): boolean {
  return (
    text !== null &&
    !/alias|hook|!|monitor|command|pager|editor|askpass|filter|textconv|driver|include|insteadof|url|proxy|program|helper|vcs|template/i.test(
      text,
    )
  );
}

function runVerb(verb: string, words: readonly ShellWord[], scene: Scene): void {
  const { gathering } = scene;
  useWrittenSettings(scene);
  if (isUnsure(verb) || RUNS_WHAT_IT_IS_TOLD.test(verb)) {
    const isKnown = !isUnsure(verb);
    gathering.lose(
      isKnown ? `git ${verb} runs what it is told to` : 'which command of git this is is only known when it runs',
    );
    return;
  }
  const plain = words.filter(({ form }) => !form.startsWith('-'));
  const dashes = words.findIndex(({ form }) => form === '--');
  const paths = dashes >= 0 ? words.slice(dashes + 1) : plain;
  const via = `git ${verb}`;
  if (pushes(verb, plain, scene)) gathering.alsoKnownAs(() => scene.runner.runWords(PUSH, inside(scene, via, -1)));
  const writeAll = (list: readonly ShellWord[]): void => {
    for (const { form, text } of list) usePath('write', form, `${via} ${text}`, scene, 'all');
  };
  runOptions(verb, words, scene);
  showTracked(verb, words, scene);
  if (/^(?:init|clone)$/.test(verb) && words.some(({ form }) => /^--templ/.test(form)))
    for (const cwd of scene.cwds ?? ['']) gathering.written.set(joinPath(cwd, '.git/hooks/post-checkout'), null);
  if (!VERBS.has(verb) && !WRITES_BY_WORD.has(verb)) runUnknown(verb, words, scene);
  if (WRITES_BY_WORD.has(verb))
    for (const { form } of words) for (const path of pathsIn(form)) suspectPath(path, via, scene);
  for (const [index, { form }] of words.entries()) {
    const value = FILE_OPTION.test(form)
      ? form.replace(FILE_OPTION, '')
      : FILE_OPTION.test(`${form}=x`) || (form === '-X' && verb === 'ls-files')
        ? words[index + 1]?.form
        : undefined;
    if (value !== undefined && !isUnsure(value)) suspectPath(value, via, scene);
  }
  // What was tracked goes with the branch.
  if (
    (/^(?:checkout|switch)$/.test(verb) && words.some(({ form }) => /^--orphan/.test(form))) ||
    (verb === 'read-tree' && words.some(({ form }) => /^-u|^--(?:reset|empty)$/.test(form))) ||
    (/^(?:reset|checkout|switch|restore|stash|clean|merge|pull|rebase|read-tree)$/.test(verb) &&
      extentOf('.', scene) === 'all')
  )
    usePath('write', '.', via, scene, 'all', false, true);
  if (/^(?:archive|format-patch|bundle|bugreport|diagnose|diff|log|show)$/.test(verb))
    writeAll(outputsOf('git', words));
  writeAll(optionValues(words, /^--prefix(?:=|$)/));
  if (verb === 'bundle') {
    writeAll(plain.slice(1, 2));
    showFiles(paths, via, scene);
  }
  switch (verb) {
    case 'config': {
      // Options with values may stand before it: `--file f alias.x '!rm'`.
      for (const [index, { form }] of words.entries()) {
        const [, attached] = /^(?:-f|--file?(?:=|$)|--blob(?:=|$))(.*)$/s.exec(form) ?? [];
        if (attached === undefined) continue;
        const file = (attached || (words[index + 1]?.form ?? '')).replace(/^[^:]*:(?=[^:])/, '');
        usePath('read', file, via, scene);
        if (plain.length > 2) usePath('write', file, via, scene);
      }
      const [, said] = plain;
      if (
        said !== undefined &&
        /\./.test(plain[0]?.form ?? '') &&
        (!PLAIN_KEY.test(plain[0]?.form ?? '') || /^help/i.test(plain[0]?.form ?? ''))
      )
        for (const cwd of scene.cwds ?? ['']) gathering.written.set(joinPath(cwd, '.git/config'), null);
      const at = plain.findIndex(({ form }) => CODE_KEY.test(form));
      const [key, value] = at < 0 ? [] : plain.slice(at);
      if (key === undefined || value === undefined) return;
      if (/^alias\./i.test(key.form))
        for (const cwd of scene.cwds ?? ['']) gathering.written.set(joinPath(cwd, '.git/config'), null);
      // Hooks of a project are scripts like its others, until the same call runs them.
      if (!/hookspath/i.test(key.form)) runSetting(key.form, value.form, scene);
      else for (const cwd of scene.cwds ?? ['']) gathering.written.set(joinPath(cwd, '.git/config'), null);
      return;
    }
    case 'rebase':
      for (const [index, { form }] of words.entries()) {
        const [, attached] = /^(?:--ex(?:ec?)?=|-[a-wyzA-Z]*x)([\s\S]*)$/.exec(form) ?? [];
        const code = /^--ex(?:ec?)?$/.test(form) || attached === '' ? words[index + 1]?.form : attached;
        if (code !== undefined) runPlainShell(code, inside(scene, 'git rebase -x', -1));
      }
      return;
    case 'bisect':
      if (words[0]?.form === 'run' && words.length > 1)
        scene.runner.runWords(words.slice(1), inside(scene, 'git bisect run', -1));
      return;
    case 'submodule':
      if (plain[0]?.form === 'foreach') {
        const at = words.findIndex(({ form }) => form === 'foreach');
        const code = words.slice(at + 1).filter(({ form }) => form !== '--recursive' && form !== '-q');
        runPlainShell(
          code.map(({ form }) => form).join(' '),
          inside({ ...scene, cwds: null }, 'git submodule foreach', -1),
        );
      }
      return;
    case 'stash':
      if (stashesUntracked(words))
        gathering.alsoKnownAs(() => scene.runner.runWords([GIT, STASH, UNTRACKED], inside(scene, via, -1)));
      showFiles(plain, via, scene);
      return;
    case 'sparse-checkout':
      if (/^(?:set|init|reapply)$/.test(plain[0]?.form ?? '')) usePath('write', '.', via, scene, 'all', false, true);
      return;
    case 'rm':
      if (!words.some(({ form }) => form === '--cached')) {
        const files = paths.filter(({ form }) => !form.startsWith('-'));
        gathering.alsoKnownAs(() => scene.runner.runWords([RM, ...files], inside(scene, via, -1)));
      }
      if (!words.some(({ form }) => form === '--cached') || plain.some(({ form }) => form === '.'))
        for (const { form, text } of paths)
          usePath('write', form.replace(/^:(?:\/|\(top\))?|^\*$/, './'), `${via} ${text}`, scene, 'all', false, true);
      return;
    case 'mv':
    case 'clean':
      writeAll(paths.length > 0 ? paths : [{ form: '.', text: '.' }]);
      return;
    case 'restore':
    case 'checkout':
      // `git checkout main a.ts`: a branch first, or none.
      writeAll(verb === 'checkout' && dashes < 0 ? paths.slice(1) : paths);
      return;
    case 'clone':
    case 'init':
    case 'worktree':
      writeAll((verb === 'init' ? plain : plain.slice(1)).filter(({ form }) => !form.includes('://')));
      return;
    case 'commit':
    case 'tag':
    case 'notes':
      for (const { form } of fileValues(words)) usePath('read', form, via, scene);
      return;
    case 'apply':
    case 'am':
      gathering.miss(`which files git ${verb} changes is said in a patch`);
      for (const { form, text } of plain) usePath('read', form, `${via} ${text}`, scene);
      for (const file of patchedBy(words, scene)) usePath('write', file, via, scene);
      return;
    case 'cat-file':
      if (
        scene.stdin.kind !== 'none' ||
        words.some(({ form }) => form.startsWith('--batch-a') || /^[\uE000\uE001]/.test(form))
      )
        usePath('read', ANYTHING, via, scene);
      showFiles(plain, via, scene);
      return;
    default:
      if (!SHOWS_FILES.has(verb) && !/^diff-\w/.test(verb)) return;
      // `git hash-object --stdin-paths`
      if (words.some(({ form }) => form === '--stdin-paths' || form === '--stdin')) useGivenNames(via, scene);
      if (verb === 'grep' && words.some(({ form }) => /^--(?:no-ind|unt)/.test(form)))
        readListed(plain.length > 1 ? plain.slice(1) : [{ form: '.', text: '.' }], via, scene);
      else if (verb === 'diff' && words.some(({ form }) => /^--no-ind/.test(form))) readListed(plain, via, scene);
      if (words.some(({ form }) => /^--no-ind/.test(form)))
        for (const { form, text } of plain) usePath('read', form, `${via} ${text}`, scene, extentOf(form, scene));
      // `-L1,1:.env`, `--add-file=.env`
      for (const { form, text } of words) {
        const [, path] = /^(?:-L[^:]*:|--[\w-]*file=)([\s\S]+)$/.exec(form) ?? [];
        if (path !== undefined) usePath('read', path.replace(/^.*:/, ''), `${via} ${text}`, scene);
      }
      for (const { form } of words) {
        const [, path] = /^--output=([\s\S]+)$/.exec(form) ?? [];
        if (path !== undefined) usePath('write', path, `${via} --output`, scene);
      }
      // Its first word is a pattern, unless an option gives that.
      showFiles(
        verb === 'grep' && dashes < 0 && !words.some(({ form }) => /^-\w*[ef]/.test(form)) ? plain.slice(1) : plain,
        via,
        scene,
      );
  }
}

const HAS_PATCH = /^-[a-zA-Z]*[pu]|^--(?:patch|unified|cc|word-diff|color-words)|^-U|^-[LWc]/;
const NAMES_ONLY =
  /^--(?:stat|name-only|name-status|numstat|shortstat|dirstat|summary|compact-summary|no-patch|quiet|raw|check|files-with-matches|count)|^-[sqlc]$/;

/** Does it show what is in files without naming them? */
function showsContent(verb: string, words: readonly ShellWord[], isPath: (word: ShellWord) => boolean): boolean {
  const has = (option: RegExp): boolean => words.some(({ form }) => option.test(form));
  const end = words.findIndex(({ form }) => form === '--');
  const revisions = words
    .slice(0, end < 0 ? undefined : end)
    .filter((word) => !word.form.startsWith('-') && !isPath(word));
  switch (verb) {
    case 'show':
      return (
        (showsPatch(words) || !has(NAMES_ONLY)) &&
        (revisions.length === 0 || revisions.some(({ form }) => !/^[^:]+:./.test(form)))
      );
    case 'diff':
      return revisions.length > 0 && !has(/^--no-ind/) && (showsPatch(words) || !has(NAMES_ONLY));
    case 'log':
    case 'whatchanged':
    case 'reflog':
    case 'diff-tree':
    case 'diff-index':
    case 'rev-list':
      return showsPatch(words);
    case 'stash':
      return words[0]?.form === 'show' && showsPatch(words);
    case 'grep':
      return !has(/^-[a-zA-Z]*[lLc]|^--(?:files-with|name-only|count)/);
    case 'format-patch':
    case 'fast-export':
      return true;
    case 'archive':
      return !has(/^-l$|^--list$/);
    default:
      return false;
  }
}

function showsPatch(words: readonly ShellWord[]): boolean {
  return words.some(({ form }) => HAS_PATCH.test(form) && !/^-(?:c|-pretty|-p[a-z]*=)/.test(form));
}

/** Whole histories and trees: of the files that git keeps, those that a rule names are shown. */
function showTracked(verb: string, words: readonly ShellWord[], scene: Scene): void {
  const via = `git ${verb}`;
  const here: ShellWord = { form: '.', text: '.' };
  const has = (option: RegExp): boolean => words.some(({ form }) => option.test(form));
  const end = words.findIndex(({ form }) => form === '--');
  if (
    (verb === 'add' && has(/^-[a-zA-Z]*f|^--force$/)) ||
    (verb === 'stash' && has(/^--(?:include|only)-untr/) && has(/^show$/))
  ) {
    const given = verb === 'add' ? words.filter(({ form }) => !form.startsWith('-')) : [];
    readListed(given.length > 0 ? given : [here], via, scene);
  }
  if (scene.context.listTracked === undefined || !WHOLE.has(verb)) return;
  const all = trackedFiles(scene);
  const isPath = ({ form }: ShellWord): boolean =>
    !isUnsure(form) &&
    (scene.cwds ?? []).some((cwd) => {
      const place = joinPath(cwd, form.replace(/[*?[].*$/, ''));
      return all?.some((file) => file === place || file.startsWith(`${place}/`)) ?? false;
    });
  if (!showsContent(verb, words, isPath)) return;
  const inTree = words.flatMap(({ form, text }) => {
    const [, path] = /^[^:]+:(.+)$/.exec(form) ?? [];
    return verb === 'archive' && path !== undefined ? [{ form: path, text }] : [];
  });
  const paths =
    end >= 0
      ? words.slice(end + 1)
      : [...inTree, ...words.filter((word) => !word.form.startsWith('-') && isPath(word))];
  const wanted = paths
    .filter(({ form }) => !/^:[!^(]/.test(form))
    .map(({ form }) => form.replace(/[^/]*[*?[\uE000-\uE04F].*$/, '') || '.');
  const left = paths.flatMap(({ form }) => /^:(?:[!^]|\(exclude\))(.*)$/.exec(form)?.[1] ?? []);
  const files = all === null ? null : wanted.length === 0 ? all : trackedFiles(scene, wanted);
  if (files === null) usePath('read', ANYTHING, via, scene);
  else {
    const excluded = left.flatMap((one) => (scene.cwds ?? []).map((cwd) => joinPath(cwd, one.replace(/[*?[].*$/, ''))));
    const among = files.filter(
      (file) => !excluded.some((place) => place !== '/' && `${file}/`.startsWith(`${place.replace(/\/$/, '')}/`)),
    );
    const root = scene.context.projectDir ?? scene.context.cwd ?? '/';
    if (among.length > 0) scene.gathering.addPath('read', { path: root, below: null, via, among, isGuess: true });
  }
}

const WHOLE = wordSet(
  'show diff log whatchanged reflog diff-tree diff-index rev-list stash grep format-patch fast-export archive',
);

/** `git show HEAD:.env` shows a file of the past. */
function showFiles(words: readonly ShellWord[], via: string, scene: Scene): void {
  for (const { form, text } of words.map(asFolder))
    if (/[./*]/.test(form)) usePath('read', markPathspec(form.replace(/^[^:]*:(?=[^:])/, '')), `${via} ${text}`, scene);
}

/** git itself reads `'.en*'` as a glob. */
function markPathspec(form: string): string {
  return form
    .replace(/^\((?:glob|top|icase|exclude|,)*\)/, '')
    .replace(/\*(?!\.)/g, ANYTHING)
    .replace(/\*/g, GLOB_STAR)
    .replace(/\?|\[[^\]]*\]/g, GLOB_ONE);
}

const RM: ShellWord = { form: 'rm', text: 'rm' };
const STASH: ShellWord = { form: 'stash', text: 'stash' };
const UNTRACKED: ShellWord = { form: '-u', text: '-u' };

/** `-ku`, `--incl`; a message is behind -m. */
function stashesUntracked(words: readonly ShellWord[]): boolean {
  const end = words.findIndex(({ form }) => form === '--');
  return words
    .slice(0, end < 0 ? undefined : end)
    .some(
      ({ form }, at) =>
        /^-[kqpS]*[ua]|^--(?:inc|al)/.test(form) && !/^-[kqpSua]*m$|^--message$/.test(words[at - 1]?.form ?? ''),
    );
}

/** In the same word, or the next. */
function optionValues(words: readonly ShellWord[], option: RegExp): readonly ShellWord[] {
  return words.flatMap((word, index) => {
    if (!option.test(word.form)) return [];
    const value = word.form.replace(option, '');
    return value === '' ? words.slice(index + 1, index + 2) : [{ form: value, text: word.text }];
  });
}

/** `-F file`, `--file=file`, `-t file` */
function fileValues(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.flatMap(({ form, text }, index) => {
    const [, attached] = /^(?:-[a-zA-Z]*[Ft]|--(?:file|template)(?:=|$))(.*)$/s.exec(form) ?? [];
    const next = words[index + 1];
    if (attached) return [{ form: attached, text }];
    return attached === '' && next !== undefined ? [next] : [];
  });
}

const RUN_OPTIONS = ['upload-pack', 'receive-pack', 'exec', 'open-files-in-pager', 'config', 'extcmd'];

/** Options of many verbs whose value is run, settings of a clone, and addresses that are commands. */
function runOptions(verb: string, words: readonly ShellWord[], scene: Scene): void {
  const within = inside(scene, `git ${verb}`, -1);
  for (const [index, { form }] of words.entries()) {
    const next = words[index + 1]?.form ?? '';
    const [, said = '', value] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(form) ?? [];
    // Long options may be cut short.
    const long = said.length < 2 ? undefined : RUN_OPTIONS.find((option) => option.startsWith(said));
    if (form.startsWith('ext::') && form.includes('%'))
      scene.gathering.lose(`git ${verb} runs a command in an address`);
    if (form.startsWith('ext::')) runPlainShell(form.slice(5), within);
    else if (long === 'config' && verb === 'clone') checkSetting(value ?? next, scene);
    else if (long === 'exec' && verb === 'rebase') continue;
    else if (long !== undefined && long !== 'config') runPlainShell(value ?? next, within);
    else if (verb === 'clone' && form === '-u') runPlainShell(next, within);
    else if (verb === 'clone' && form === '-c') checkSetting(next, scene);
    else if (verb === 'grep' && /^-[a-zA-Z]*O./.test(form)) runPlainShell(form.slice(form.indexOf('O') + 1), within);
  }
}
