// Programs that run others in more ways than can be listed option by option. What may be a command in their words is held against
// denies; no allow needs to name it, and what cannot be read there is no reason to deny.
import { isUnsure } from './marks.ts';
import { inside, type Scene } from './scene.ts';
import type { ShellWord } from './words.ts';

/** They run the command behind their options, wherever these end. */
const PREFIXES: ReadonlySet<string> = new Set(
  (
    'valgrind catchsegv numactl prlimit cgexec faketime fakeroot fakechroot proot bwrap gosu su-exec setpriv capsh unbuffer rlwrap ' +
    'logsave ip daemonize chpst setarch linux32 linux64 i386 x86_64 arch dumb-init tini envdir softlimit wsl conda mamba micromamba ' +
    'rbenv pyenv nodenv nvm fnm volta dotenvx watchexec mosh rsh rlogin oc lxc incus nix guix flatpak launchctl start-stop-daemon pipx ' +
    'uvx devbox pixi op doppler aws-vault chamber infisical sops envchain mpirun mpiexec srun sandbox-exec xcrun winpty chronic retry ' +
    'sem rush hyperfine concurrently sg gcloud pssh salt ansible vagrant dtruss gdb lldb ts with-contenv s6-setuidgid ' +
    'sshpass autossh env_parallel steam-run run0 machinectl ifne pee mispipe lckdo withlock tsp nq pueue xe toolbox distrobox ' +
    'devcontainer xterm alacritty kitty foot wezterm'
  ).split(' '),
);

/** Long options (of some programs with one dash) whose value is run. */
const RUNS =
  /^--?(?:[a-z]+-)*(?:exec|execute|command|cmd|run|pager|pre|filter|shell|editor|call|toolexec|vettool|wrapper|askpass|preview|bind|config|compress-program|option)$|^--on-[a-z-]+$/;

/** Letters whose value is run, where no more than that is known of a program. */
const LETTERS: Readonly<Record<string, RegExp>> = {
  man: /^-P$/,
  nc: /^-[ec]$/,
  ncat: /^-[ec]$/,
  lftp: /^-[ec]$/,
  smbclient: /^-c$/,
  dc: /^-e$/,
  netcat: /^-[ec]$/,
  tcpdump: /^-z$/,
  zip: /^-TT$/,
  nodemon: /^-x$/,
  ansible: /^-a$/,
  'apt-get': /^-o$/,
  apt: /^-o$/,
};

/** So many words are looked at one by one. */
const MAX_WORDS = 60;

export function suspectInner(name: string, all: readonly ShellWord[], scene: Scene): void {
  const words = all.slice(0, MAX_WORDS);
  const within = inside(scene, name, -1, { within: null, self: null, stdin: { kind: 'none' } });
  const asCode = (form: string): void => {
    if (form !== '' && !isUnsure(form)) scene.gathering.suspect(() => scene.runner.runCode(form, within));
  };
  const asWords = (from: number): void => {
    const [first] = words.slice(from);
    if (first !== undefined && !isUnsure(first.form))
      scene.gathering.suspect(() => scene.runner.runWords(words.slice(from), within));
  };
  const isPrefix = PREFIXES.has(name) || /^ld(?:-(?:linux|musl).*)?\.so|^qemu-/.test(name);
  if (all.slice(MAX_WORDS).some(({ form }) => isPrefix || RUNS.test(form.replace(/=.*$/s, '')) || form === '--'))
    scene.gathering.lose(`what ${name} runs stands behind too many words`);
  for (const [index, { form }] of words.entries()) {
    if (index === 0) continue;
    const before = words[index - 1]?.form ?? '';
    const [, option = '', value = ''] = /^(--?[a-z-]+)=([\s\S]*)$/.exec(form) ?? [];
    if (RUNS.test(option)) asCode(codeIn(value));
    else if (index > 1 && (RUNS.test(before) || LETTERS[name]?.test(before))) asCode(codeIn(form));
    else if (name === 'socat') asCode(form.replace(/^(?:EXEC|SYSTEM|SHELL):/i, ''));
    else if (/^\+!/.test(form)) asCode(form.slice(2));
    else if (before === '--' && index > 1 && !HANDS_ON.has(name)) asWords(index);
    if (!isPrefix || form.startsWith('-')) continue;
    if (/\s/.test(form)) asCode(form);
    asWords(index);
  }
}

/** Behind `--` they have arguments for programs that they name otherwise, or names of files. */
const HANDS_ON: ReadonlySet<string> = new Set(
  'npm yarn pnpm bun cargo go vitest jest playwright tsc eslint prettier ls cat head tail touch mkdir wc sort chmod chown cp mv ln tee diff'.split(
    ' ',
  ),
);

/** `alias.x=!rm`, `DPkg::Pre-Invoke::=rm`, `enter:execute(rm)`: behind the name of what is set. */
function codeIn(value: string): string {
  const [, called] = /\bexecute(?:-silent)?\((.*)\)/s.exec(value) ?? [];
  return called ?? value.replace(/^(?:[\w.:-]+=)?!?/, '');
}
