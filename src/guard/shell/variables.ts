// Variables that change what commands do: code in them is judged, and no pattern allows what runs under the others.

import { hasWrittenFile, usePath } from './paths.ts';
import { inside, type Scene } from './scene.ts';
import { ANYTHING, isUnsure } from './words.ts';

/** Their value is a command line that some program runs. */
const HOLDS_CODE =
  /^(?:GIT_SSH_COMMAND|GIT_SSH|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|PROMPT_COMMAND|PS0|PS1|PS4|LESSOPEN|LESSCLOSE|BROWSER|FCEDIT|RSYNC_RSH|CVS_RSH|NULLCMD|READNULLCMD|MANPAGER|(?:[A-Z]+_)*(?:PAGER|EDITOR|VISUAL|SHELL|COMMAND)|npm_config_(?:script_shell|editor|git))$/i;

/** They say which program or library is loaded, or how words are read. */
const CHANGES_PROGRAMS =
  /^(?:PATH|IFS|ENV|BASH_ENV|ZDOTDIR|HOME|CDPATH|PWD|OLDPWD|SHELLOPTS|BASHOPTS|GLOBIGNORE|FPATH|PERL5.*|PERLLIB|PYTHON(?:PATH|STARTUP|HOME|INSPECT)|RUBY(?:OPT|LIB)|NODE_(?:OPTIONS|PATH)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|GCONV_PATH|LD_.*|DYLD_.*|GIT_.*|SSH_.*|npm_.*|MAKEFLAGS|.*_(?:PRELOAD|WRAPPER|COMMAND|OPTIONS)|CC|CXX|RUSTC.*|BASH_FUNC.*)$/i;

/** Programs run code or take options out of them, whatever they were asked to do. */
const INJECTS_CODE =
  /^(?:MAKEFILES|COMPILER_PATH|GCC_EXEC_PREFIX|MANOPT|LESS|ZIPOPT|UNZIP|APT_CONFIG|PSQLRC|RIPGREP_CONFIG_PATH|PIP_(?:PYTHON|CONFIG_FILE)|CURL_HOME|WGETRC|GNUPGHOME|TCLLIBPATH|BASH_ENV|ENV|ZDOTDIR|PERL5(?:DB|OPT)|RUBYOPT|PYTHON(?:STARTUP|INSPECT|HOME|BREAKPOINT|WARNINGS)|NODE_OPTIONS|(?:_JAVA|JAVA_TOOL|JDK_JAVA|TAR|ERL_AFLAGS|ERL_FLAGS|ELIXIR_ERL)_?OPTIONS|ERL_(?:A|Z)?FLAGS|JAVA_OPTS|MAKEFLAGS|GNUMAKEFLAGS|MFLAGS|LD_(?:PRELOAD|AUDIT)|DYLD_INSERT_LIBRARIES|GCONV_PATH|EXINIT|VIMINIT|GVIMINIT|FZF_DEFAULT_OPTS|LUA_INIT\w*|R_PROFILE\w*|PHPRC|PHP_INI_SCAN_DIR|GIT_CONFIG(?:_GLOBAL|_SYSTEM)?|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|OPENSSL_CONF|RSYNC_CONNECT_PROG|SSLKEYLOGFILE|npm_config_(?:node_options|userconfig|globalconfig)|YARN_RC_FILENAME|CMAKE_\w+_LAUNCHER|PERL_MM_OPT|SCREENRC|INPUTRC|LESSKEY\w*)$/i;

/** Sizes, warnings and the number of jobs. */
const HARMLESS_OPTIONS =
  /^(?:\s*(?:--?max-(?:old|semi)-space-size[= ]\d+|--(?:no-)?(?:warnings|deprecation)|--enable-source-maps|--experimental-[\w-]+|--trace-[\w-]+|--stack-trace-limit=\d+|--openssl-legacy-provider|--dns-result-order=\w+|--unhandled-rejections=\w+|-X(?:mx|ms|ss)\w+|-D[\w.-]+=[\w.-]*|-?j\s?\d*|-[ksBi]|ignore|default|error|\/dev\/null|0|1)\s*)*$/;

/** They make a name of a command mean something else, or hold code that nobody here reads. */
const RENAMES_COMMANDS = /^(?:BASH_ALIASES|BASH_CMDS|BASH_FUNC_.*|GIT_CONFIG_(?:PARAMETERS|KEY_\d+|VALUE_\d+))$/;

/** Bash or zsh evaluates their value as arithmetic, or finds and reads commands by them. */
const SHELLS_OWN =
  /^(?:ARGV0|BASH\w*|COPROC\w*|DIRSTACK\w*|E?[GU]ID|EXECIGNORE|FUNCNEST|GLOBSORT|HIST\w+|KEYTIMEOUT|LINENO|LISTMAX|MAILCHECK|MODULE_PATH|OPTIND|POSIXLY_CORRECT|PPID|PROMPT\w*|PS\d|RPROMPT|RPS\d|S?RANDOM|SAVEHIST|SECONDS|SHLVL|SPROMPT|STTY|TIMEFMT|TMOUT|TMP(?:PREFIX|SUFFIX)|TRY_BLOCK\w+|ZLE\w*|ZSH\w*|aliases|commands|dirstack|dis_\w+|functions|galiases|histchars|module_path|nameddirs|options|saliases)$/;

/** Arguments for programs, or code that they load. Small letters are a script's own: `opts=-la`. */
const ARGUMENTS = /^(?:\w*FLAGS|\w*OPTS|\w+_(?:HOOKS|PLUGINS|RUNNER|LINKER)|GLIBC_TUNABLES|LOCPATH)$/;

/** Numbers to zsh: what else they are set to is evaluated. */
const SIZE = /^(?:COLUMNS|LINES)$/;

/** Set before a command, these change nothing that a rule could mean (beside how it looks and how much it says). */
const HARMLESS =
  /^(?:NODE_ENV|CI|DEBUG|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|TERM|COLUMNS|LINES|TZ|LANG|LANGUAGE|LC_[A-Z]+|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|GIT_TERMINAL_PROMPT|GOOS|GOARCH|CGO_ENABLED|NODE_NO_WARNINGS)$/;

/** What may assign a variable without its name standing there. */
const ASSIGNS_UNSEEN =
  /\b(?:eval|source|read|mapfile|readarray|getopts|unset|declare|typeset|local|readonly|export|let|trap|shopt|setopt)\b|\bprintf\s+["']?[-$]|\bset\b(?!\s+[-+][a-z]+(?:\s+pipefail)?\s*[;\n&|])|(?:^|[\s;&|(){])\.\s|\(\(|\$\[|\$\{!|\$\{\(/;

/**
 * Remembers what a variable comes to (`for f in a b`, `x=a`), where that is sure: words without blanks, all known but for globs,
 * and nothing else in this shell that names it to change it.
 */
export function rememberVariable(name: string, values: readonly string[], scene: Scene): void {
  if (values.length === 0 || values.length > 32) return;
  if (values.some((value) => value === '' || /[\s\uE000\uE001\uE010-\uE04F]/.test(value))) return;
  if (!isSetOnce(name, scene.code)) return;
  const mark = scene.gathering.addChoice(values);
  if (mark !== null) scene.variables = new Map([...scene.variables, [name, mark]]);
}

/** The same of names of files, as a form that is known to name no others. */
export function rememberListed(name: string, form: string, scene: Scene): void {
  const isRead = new RegExp(`\\bread\\b[^;\\n]*\\s${name}\\b`).test(scene.code);
  const code = isRead ? scene.code.replace(/\bread\b/, ' ') : scene.code;
  if (/[\uE000\uE001]/.test(form) || !isSetOnce(name, code, isRead ? 0 : 1)) return;
  scene.variables = new Map([...scene.variables, [name, form]]);
}

/** By an assignment, a loop or the one `read`, and by nothing else. */
function isSetOnce(name: string, code: string, times = 1): boolean {
  if (!/^[A-Za-z_]\w*$/.test(name) || (/^[A-Z]/.test(name) && !isOrdinaryVariable(name))) return false;
  const sets = code.match(new RegExp(`(?<![$\\w{-])${name}(?=\\+?=|\\[|\\s+in\\b)`, 'g')) ?? [];
  return sets.length === times && !ASSIGNS_UNSEEN.test(code);
}

/** `./x.sh`, and not a program of the system. */
export function isOwnScript(form: string): boolean {
  return /^\s*(?:!\s*)?(?:\.{1,2}\/|\/(?!usr\/|bin\/|opt\/))/.test(form);
}

export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

/** One that no shell and no program gives a meaning to, as far as is known. */
export function isOrdinaryVariable(name: string): boolean {
  if (HOLDS_CODE.test(name) && name === name.toUpperCase()) return false;
  return ![RENAMES_COMMANDS, CHANGES_PROGRAMS, SHELLS_OWN, ARGUMENTS, SIZE].some((list) => list.test(name));
}

/** `isPassed`: programs get it, so one of them may run its value (`CC='rm x' make`). */
export function checkVariable(name: string, form: string, scene: Scene, isPassed = false): void {
  checkSpecial(name, /^\d+$/.test(form), scene);
  if (HARMLESS.test(name)) return;
  if (isPassed && /^[A-Z][A-Z0-9_.]*$/.test(name) && form !== '' && !isUnsure(form)) {
    const within = inside(scene, `${name}=`, -1, { self: null, within: null, stdin: { kind: 'none' } });
    scene.gathering.suspect(() => scene.runner.runCode(form, within));
  }
  const isHarmless = name === 'LESS' ? /^[-\w]*$/.test(form) : HARMLESS_OPTIONS.test(form) && name !== 'PYTHONINSPECT';
  // `GIT_TRACE=FILE`, `TMPDIR=FOLDER`, `KUBECONFIG=FILE`: a program may read it, and write to it.
  if ((isPassed || /^GIT_/.test(name)) && /^[.~/]|\//.test(form) && !form.includes(':') && !isUnsure(form)) {
    const isDotFolder = /(?:^|\/)\.[\w-]+\/?$/.test(form);
    usePath('read', form, `${name}=${form}`, scene, undefined, true);
    usePath('write', form, `${name}=${form}`, scene, isDotFolder ? 'all' : undefined, true);
  }
  if (name === 'SHELL' && isPassed && !/(?:^|\/)(?:ba|z|da|k|fi)?sh$/.test(form))
    scene.gathering.lose('SHELL is set to a program that is not a shell');
  if (INJECTS_CODE.test(name) && !isHarmless)
    scene.gathering.lose(`${name} is set, which makes programs run other code`);
  else if (RENAMES_COMMANDS.test(name)) scene.gathering.lose(`${name} is set, which changes what words mean`);
  else if (HOLDS_CODE.test(name) && isUnsure(form))
    scene.gathering.lose(`${name} is set to a command that is only known when it runs`);
  else if (HOLDS_CODE.test(name) && isOwnScript(form))
    scene.gathering.lose(`${name} is set to a script that is not looked into`);
  else if (HOLDS_CODE.test(name)) {
    const changes = { isPosix: true, self: null, within: null, stdin: { kind: 'none' } } as const;
    scene.gathering.miss(`${name} is set, which some program runs`);
    scene.runner.runCode(form, inside(scene, `${name}=`, -1, changes));
  } else if (CHANGES_PROGRAMS.test(name)) {
    scene.gathering.miss(`${name} is set, which changes what is run`);
    if (hasWrittenFile(form, scene)) scene.gathering.lose(`${name} names a folder in which this call puts a file`);
  }
}

function checkSpecial(name: string, isNumber: boolean, scene: Scene): void {
  if (SHELLS_OWN.test(name) || ARGUMENTS.test(name) || (SIZE.test(name) && !isNumber))
    scene.gathering.markUnproven(`${name} is set, which can change what is run`);
}

/** However a variable comes by its value: `declare -x`, `read`, `: ${x:=y}`. Who hands it on later is denied what `export` is. */
export function alsoExports(name: string, form: string, scene: Scene): void {
  if (!/^[A-Z][A-Z0-9_]*$/.test(name) || HARMLESS.test(name)) return;
  const word = { form: `${name}=${form}`, text: `${name}=…` };
  scene.gathering.alsoKnownAs(() =>
    scene.runner.runWords([{ form: 'export', text: 'export' }, word], inside(scene, `${name}=`, -1)),
  );
}

/** Set by `read`, by arithmetic, by an expansion: to what, nobody looks. */
export function checkUnseen(name: string, scene: Scene): void {
  alsoExports(name, ANYTHING, scene);
  checkSpecial(name, false, scene);
  if (HARMLESS.test(name)) return;
  // Small letters are a script's own: `while read command`.
  if (RENAMES_COMMANDS.test(name) || (HOLDS_CODE.test(name) && name === name.toUpperCase()))
    scene.gathering.lose(`${name} is set to something that is only known when it runs`);
  else if (CHANGES_PROGRAMS.test(name)) scene.gathering.miss(`${name} is set, which changes what is run`);
}
