// Programs that run the command behind their options. One line each; what an option is must be known, or all is lost.

import { joinPath, usePath } from './paths.ts';
import { readMixedOptions } from './program-options.ts';
import { inside, type Scene } from './scene.ts';
import { checkVariable } from './variables.ts';
import {
  ANYTHING,
  hasOption,
  isUnsure,
  type OptionSpec,
  optionValue,
  type ReadOptions,
  readOptions,
  type ShellWord,
} from './words.ts';

interface Wrapper extends OptionSpec {
  /** So many words stand before the command: the seconds of `timeout`. */
  readonly before?: number;
  /** Allows see through it, as Claude Code's do. */
  readonly isTransparent?: boolean;
  /** Its words are put together and given to a shell: `watch`. */
  readonly asCode?: boolean;
  /** Options whose value is code for a shell: `su -c`. */
  readonly code?: string;
  /** It needs one of these words first: `uv run`. */
  readonly verbs?: string;
  /** What it runs is not on this machine's files. */
  readonly isElsewhere?: boolean;
  /** Words `NAME=value` may stand before the command. */
  readonly takesVariables?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: 'AbBEeHiKklNnPSsVv',
    values: 'CDghpRrTtUu',
    long: 'user= group= host= chdir= chroot= prompt= role= type= other-user= close-from= command-timeout= askpass background bell edit preserve-env set-home login remove-timestamp reset-timestamp list no-update non-interactive preserve-groups stdin shell validate',
    takesVariables: true,
  },
  doas: { flags: 'LnSs', values: 'aCu' },
  pkexec: { long: 'user= disable-internal-agent keep-cwd' },
  su: { flags: 'lmfpP', values: 'csgGTw', long: 'command= shell= login', code: 'c command' },
  runuser: { flags: 'lmfpP', values: 'csgGTuw', long: 'command= shell= login user=', code: 'c command' },
  env: {
    flags: 'i0v',
    values: 'uCS',
    long: 'ignore-environment null unset= chdir= split-string= debug block-signal default-signal ignore-signal',
    code: 'S split-string',
    takesVariables: true,
  },
  nice: { values: 'n', long: 'adjustment=', flags: '0123456789', isTransparent: true },
  ionice: { flags: 't', values: 'cnpPu', long: 'class= classdata= ignore', isTransparent: true },
  chrt: { flags: 'abdfimorRv', values: 'TPDp', before: 1 },
  taskset: { flags: 'ac', before: 1, long: 'all-tasks cpu-list' },
  nohup: { isTransparent: true },
  setsid: { flags: 'cfw', long: 'ctty fork wait' },
  timeout: {
    flags: 'fpv',
    values: 'ks',
    long: 'foreground preserve-status verbose kill-after= signal=',
    before: 1,
    isTransparent: true,
  },
  gtimeout: { flags: 'fpv', values: 'ks', long: 'foreground preserve-status verbose kill-after= signal=', before: 1 },
  stdbuf: { values: 'ioe', long: 'input= output= error=', isTransparent: true },
  time: {
    flags: 'pvaqlh',
    values: 'fo',
    long: 'portability verbose append quiet format= output=',
    isTransparent: true,
  },
  gtime: { flags: 'pvaq', values: 'fo', long: 'portability verbose append quiet format= output=' },
  caffeinate: { flags: 'dimsu', values: 'tw' },
  strace: {
    flags: 'cCdDfFhiknqrtTvVwxXyYzZ',
    values: 'abeEIoOpPsSuU',
    long: 'output= env= trace= follow-forks quiet summary summary-only',
    takesVariables: true,
  },
  ltrace: { flags: 'bcCfhirStTV', values: 'aAeFlnopsuwDx' },
  'ssh-agent': { flags: 'csDdk', values: 'aEOPt' },
  choom: { values: 'np', long: 'adjust= pid=' },
  perf: {
    verbs: 'stat record trace sched kmem lock mem c2c kvm ftrace',
    flags: 'adgvBiSr',
    values: 'eopFcrxtCI',
    long: 'output= event= repeat= append detailed big-num no-inherit all-cpus log-fd= per-core',
  },
  unshare: {
    flags: 'mpufinUrcCT',
    values: 'RSGw',
    long: 'mount pid uts fork ipc net user map-root-user map-current-user cgroup time mount-proc kill-child root= wd= setuid= setgid=',
  },
  nsenter: { flags: 'amuinpUCTFZ', values: 'tSGrw', long: 'all target= mount uts ipc net pid user cgroup time' },
  chroot: { long: 'userspec= groups= skip-chdir', before: 1 },
  setpriv: {
    flags: 'd',
    long: 'reset-env no-new-privs nnp clear-groups keep-groups init-groups dump list-caps reuid= regid= ruid= euid= rgid= egid= groups= inh-caps= ambient-caps= bounding-set= securebits= pdeathsig= ptracer= selinux-label= apparmor-profile= landlock-access= landlock-rule= seccomp-filter=',
  },
  flock: {
    flags: 'sxenouFv',
    values: 'wEc',
    long: 'shared exclusive unlock nonblock close no-fork verbose wait= timeout= command=',
    before: 1,
    code: 'c command',
  },
  script: {
    flags: 'aefqr',
    values: 'cEImnoOtTB',
    long: 'command= quiet append return flush log-io= log-out= log-in= log-timing= timing=',
    code: 'c command',
    before: 1,
  },
  watch: {
    flags: 'bcCdegprtwx',
    values: 'nqs',
    long: 'interval= differences beep color errexit chgexit precise no-title no-wrap exec',
    asCode: true,
  },
  entr: { flags: 'acdnprsxz' },
  busybox: {},
  toybox: {},
  repeat: { before: 1 },
  noglob: {},
  nocorrect: {},
  command: { flags: 'p', isTransparent: true },
  builtin: { isTransparent: true },
  exec: { flags: 'cl', values: 'a', isTransparent: true },
  coproc: {},
  '-': {},
  npm: {
    verbs: 'exec x',
    flags: 'yq',
    values: 'cw',
    long: 'yes no quiet package= call= workspace= workspaces prefix=',
    code: 'c call',
  },
  npx: { flags: 'yq', values: 'pc', long: 'yes no quiet package= call= workspace= workspaces', code: 'c call' },
  bunx: { long: 'bun' },
  pnpx: {},
  pnpm: {
    verbs: 'exec dlx',
    flags: 'rcw',
    values: 'CF',
    long: 'recursive dir= filter= package= shell-mode parallel workspace-root silent',
  },
  yarn: { verbs: 'exec dlx', values: 'p', flags: 'q', long: 'cwd= package= quiet silent' },
  uv: {
    verbs: 'run',
    flags: 'qvn',
    values: 'pwme',
    long: 'with= python= project= directory= extra= group= env-file= quiet verbose no-sync frozen locked isolated all-extras module dev no-dev offline',
  },
  poetry: { verbs: 'run', flags: 'qvn', values: 'CP', long: 'quiet directory= project= no-interaction' },
  pipenv: { verbs: 'run' },
  rye: { verbs: 'run' },
  hatch: { verbs: 'run' },
  bundle: { verbs: 'exec', long: 'keep-file-descriptors gemfile=' },
  rustup: { verbs: 'run', before: 1 },
  direnv: { verbs: 'exec', before: 1 },
  mise: { verbs: 'exec x', flags: 'qvy', values: 'Cj' },
  asdf: { verbs: 'exec' },
  dotenv: { values: 'efvpc', flags: 'o', long: 'overload' },
  'cross-env': { takesVariables: true },
  'cross-env-shell': { takesVariables: true, asCode: true },
  'systemd-run': {
    flags: 'PqtrGS',
    values: 'pEuMH',
    long: 'user system scope pty pipe quiet wait collect remain-after-exit unit= property= slice= description= uid= gid= working-directory= setenv= on-active= on-calendar=',
  },
  'systemd-inhibit': { long: 'what= who= why= mode=' },
  firejail: { long: 'quiet noprofile private net= profile=' },
  proxychains: { values: 'f', flags: 'q' },
  proxychains4: { values: 'f', flags: 'q' },
  torsocks: {},
  'dbus-run-session': {},
  'xvfb-run': { flags: 'al', values: 'efnpsw', long: 'auto-servernum server-args= server-num=' },
  'start-stop-daemon': {
    flags: 'SKTVobqtvmC',
    values: 'xnuaPpcgrdkNIR',
    long: 'start stop status remove-pidfile test oknodo quiet verbose exec= startas= name= user= pid= ppid= group= signal= retry= background no-close make-pidfile pidfile= chuid= chdir= chroot= umask= nicelevel= procsched= iosched= notify-await notify-timeout=',
  },
};

export function isWrapper(name: string): boolean {
  return Object.hasOwn(WRAPPERS, name);
}

/** Does it run the words behind it? Without its verb it does not: `pnpm test`, `npm config set`. */
export function wrapsCommand(name: string, words: readonly ShellWord[]): boolean {
  if (!isWrapper(name)) return false;
  const { verbs } = WRAPPERS[name] as Wrapper;
  return verbs === undefined || words.some(({ form }) => verbs.split(' ').includes(form));
}

/** Runs what is inside; says whether allows may look through to that. */
export function runWrapper(name: string, words: readonly ShellWord[], scene: Scene): boolean {
  const wrapper = WRAPPERS[name] as Wrapper;
  // It only says where a command is.
  if (name === 'command' && /^-p?[vV]$/.test(words[1]?.form ?? '')) return true;
  const isLogin = name === 'su' || name === 'runuser';
  const read = isLogin ? readMixedOptions(words.slice(1), wrapper) : readOptions(words.slice(1), wrapper);
  let rest = [...read.rest];
  const told = [...read.options];
  /** Options that stand behind a first word. */
  const readBehind = (inner: Scene): ShellWord[] => {
    const behind = readOptions(rest, wrapper);
    if (!behind.isSure) lost(name, scene);
    runCodeOptions(wrapper, behind, inner);
    told.push(...behind.options);
    return [...behind.rest];
  };
  // Without the verb it is no wrapper: `pnpm test`, `uv sync`.
  if (wrapper.verbs !== undefined) {
    const verb = rest.shift()?.form ?? '';
    if (!wrapper.verbs.split(' ').includes(verb)) return false;
    rest = readBehind(inside(scene, name, -1));
  }
  if (!read.isSure) lost(name, scene);

  if (name === 'dotenv') {
    const file = optionValue(read, 'e', 'f');
    usePath('read', file?.form ?? '.env', `dotenv ${file?.text ?? ''}`, scene);
    if (rest[0]?.form === 'run') rest.shift();
  }

  const elsewhere: Partial<Scene> = {
    ...(wrapper.isElsewhere && { isElsewhere: true }),
    ...movedBy(name, read, scene),
  };
  const output = WRITES_OUTPUT.test(name)
    ? optionValue({ ...read, options: told }, 'o', 'output')
    : name === 'script'
      ? (rest[0] ?? null)
      : null;
  if (output !== null && /^[|!]/.test(output.form))
    runPlainShell(output.form.slice(1), inside(scene, `${name} -o`, -1));
  if (output !== null) usePath('write', output.form, `${name} ${output.text}`, scene);
  const logs =
    name === 'script' ? read.options.filter(({ name: option }) => /^[OIBTm]$|^log-|^timing$/.test(option)) : [];
  for (const { value } of logs) if (value !== null) usePath('write', value.form, `${name} ${value.text}`, scene);
  // It makes the file that it locks.
  if (name === 'flock' && rest[0] !== undefined) usePath('write', rest[0].form, `${name} ${rest[0].text}`, scene);
  const asText = inside(scene, name, -1, elsewhere);
  runCodeOptions(wrapper, read, asText);
  const sets = wrapper.takesVariables ? takeVariables(rest, scene) : [];
  sets.push(...takenAway(name, read));
  // `env - claude`
  if (name === 'env' && rest[0]?.form === '-') {
    rest.shift();
    sets.push('HOME', ...takeVariables(rest, scene));
  }
  if (name === 'start-stop-daemon') {
    runDaemon(read, rest, scene);
    return false;
  }
  if (isLogin) {
    if (!read.isSure || read.options.length === 0 || hasOption(read, 's', 'shell')) lost(name, scene);
    // `runuser -u NAME COMMAND`; behind `su NAME` stand words for a shell.
    if (name === 'runuser' && hasOption(read, 'u', 'user')) scene.runner.runWords(rest, asText);
    return false;
  }
  // Below another root, all files have other names.
  if (name === 'chroot' && !/^\/+$/.test(rest[0]?.form ?? '')) lost(name, scene);
  rest = rest.slice(wrapper.before ?? 0);
  if (RUNS_PACKAGES.test(name)) rest = rest.map((word, index) => (index === 0 ? withoutVersion(word) : word));
  // `flock file -c code`: options once more.
  if (rest[0]?.form.startsWith('-') && rest[0].form !== '-') {
    rest = readBehind(asText);
  }
  if (name === 'script' && !hasOption(read, 'c', 'command') && scene.stdin.kind !== 'none') lost(name, scene);
  if (rest.length === 0) {
    // A shell that is asked for without words reads what comes in.
    if (
      (name === 'sudo' || name === 'doas') &&
      hasOption(read, 's', 'i', 'shell', 'login') &&
      scene.stdin.kind !== 'none'
    )
      lost(name, scene);
    // `exec > file`: its redirections are judged by themselves.
    return name === 'exec' && words.length === 1;
  }
  // `uv run -`: a program of Python comes in.
  if (name === 'uv' && rest[0]?.form === '-' && scene.stdin.kind !== 'none') lost(name, scene);
  const within = inside(scene, name, words.length - rest.length, elsewhere);
  if (wrapper.asCode || (name === 'entr' && hasOption(read, 's')))
    runPlainShell(rest.map(({ form }) => form).join(' '), asText);
  else scene.runner.runWords(rest, within, sets);
  // `exec` and `command` change nothing of where we are, but a `cd` in them does.
  scene.cwds = name === 'command' || name === 'builtin' ? within.cwds : scene.cwds;
  // `time -o file -f text` writes what it likes.
  return wrapper.isTransparent === true && read.isSure && output === null;
}

/** `env -u HOME claude`: the same as another one that is set for it. */
function takenAway(wrapper: string, { options }: ReadOptions): string[] {
  return options.flatMap(({ name, value }) => {
    if (ALL_TAKEN[wrapper]?.test(name)) return ['HOME'];
    return wrapper === 'env' && /^(?:u|unset)$/.test(name) && value !== null ? [value.form] : [];
  });
}

const ALL_TAKEN: Readonly<Record<string, RegExp>> = {
  env: /^(?:i|ignore-environment)$/,
  exec: /^c$/,
  setpriv: /^reset-env$/,
};

/** `-S -x PROGRAM -- WORDS` runs it; `-K` ends whatever it names. */
function runDaemon(read: ReadOptions, rest: readonly ShellWord[], scene: Scene): void {
  if (!read.isSure) lost('start-stop-daemon', scene);
  if (hasOption(read, 'K', 'stop')) {
    const [name, file] = [optionValue(read, 'n', 'name'), optionValue(read, 'p', 'pidfile')];
    const words = ['killall', name?.form ?? (file === null ? 'troupe' : '')].map((form) => ({ form, text: form }));
    scene.runner.runWords(file === null ? words : KILL_SOME, inside(scene, 'start-stop-daemon -K', -1));
    return;
  }
  const program = optionValue(read, 'a', 'startas') ?? optionValue(read, 'x', 'exec');
  if (program !== null) scene.runner.runWords([program, ...rest], inside(scene, 'start-stop-daemon', -1));
}

const KILL_SOME: readonly ShellWord[] = [
  { form: 'kill', text: 'kill' },
  { form: ANYTHING, text: '$(cat FILE)' },
];

const RUNS_PACKAGES = /^(?:npm|npx|bunx|pnpx|pnpm|yarn)$/;

/** `npx troupe@0.1.0 stop` runs the program `troupe`. */
function withoutVersion({ form, text }: ShellWord): ShellWord {
  const strip = (word: string): string => word.replace(/(?<=[^/])@[^/]*$/, '');
  return { form: strip(form), text: strip(text) };
}

const WRITES_OUTPUT = /^(?:strace|ltrace|g?time|perf)$/;

/** `env -C folder`, `sudo -D folder`: the command runs there. */
function movedBy(name: string, read: ReadOptions, scene: Scene): Partial<Scene> {
  const folder = optionValue(read, ...(name === 'env' ? ['C', 'chdir'] : name === 'sudo' ? ['D', 'chdir'] : []));
  if (folder === null) return {};
  if (isUnsure(folder.form) || scene.cwds === null) return { cwds: null };
  return { cwds: scene.cwds.map((cwd) => joinPath(cwd, folder.form)) };
}

function runCodeOptions(wrapper: Wrapper, read: ReadOptions, scene: Scene): void {
  const option = read.options.find(({ name, value }) => value !== null && wrapper.code?.split(' ').includes(name));
  const code = option?.value ?? null;
  const dashed = `${scene.wrappers.at(-1) ?? ''} ${option?.name.length === 1 ? '-' : '--'}${option?.name}`;
  if (option !== undefined) scene = { ...scene, wrappers: [...scene.wrappers.slice(0, -1), dashed] };
  // `env -S` has an escape for a blank.
  if (code !== null) runPlainShell(wrapper === WRAPPERS['env'] ? code.form.replaceAll('\\_', ' ') : code.form, scene);
  // `systemd-run -p ExecStop='rm x' ls`
  for (const { name, value } of read.options) {
    const [, file] =
      /^(?:EnvironmentFile|LoadCredential\w*|Standard\w+|RootImage)=(?:[a-z]+:)?-?([~./][\s\S]*)$/.exec(
        value?.form ?? '',
      ) ?? [];
    if ((name === 'p' || name === 'property') && file !== undefined)
      for (const kind of ['read', 'write'] as const) usePath(kind, file, `${value?.text}`, scene);
    const [, started] = /^Exec\w+=([\s\S]*)$/.exec(value?.form ?? '') ?? [];
    if ((name === 'p' || name === 'property') && started !== undefined) runPlainShell(started, scene);
  }
}

/** Code for a shell, that has marks where it is not known. */
export function runText(form: string, scene: Scene): void {
  if (isUnsure(form)) scene.gathering.lose('the code of a shell is only known when it runs');
  else scene.runner.runCode(form, scene);
}

/** What programs hand to a shell, they hand to the plain one. */
export function runPlainShell(form: string, scene: Scene): void {
  runText(form, { ...scene, isPosix: true });
}

/** Takes `NAME=value` off the beginning; their names. */
function takeVariables(words: ShellWord[], scene: Scene): string[] {
  const names: string[] = [];
  for (;;) {
    const [, name, value] = /^([^=]*)=([\s\S]*)$/.exec(words[0]?.form ?? '') ?? [];
    if (name === undefined || value === undefined) return names;
    checkVariable(name, value, scene, true);
    names.push(name);
    words.shift();
  }
}

/** False: allows cannot look through it. */
export function lost(name: string, scene: Scene): false {
  scene.gathering.lose(`what ${name} runs cannot be told from its options`);
  return false;
}
