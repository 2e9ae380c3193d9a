import { access, chmod, constants, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../lib/edit-file.ts';
import { asObject, asText } from '../lib/json.ts';
import { readText } from '../lib/regular-file.ts';
import { ensureStateFolder } from '../lib/state-folder.ts';

/** The commands that a host runs, as files. */
export interface HookStubs {
  /** Keeps what a hook is told, and says nothing. */
  readonly observe: string;
  /** Does so, too, and prints what was decided. */
  readonly guard: string;
  /** Prints the status line of a session. */
  readonly statusLine: string;
}

interface HookStubOptions {
  /** The program that runs `hookFile`. */
  readonly node: string;
  /** dist/hook.cjs of the installed package. */
  readonly hookFile: string;
  /** Where the person's policy lies; the state folder, where left out. */
  readonly configFolder?: string;
  /** By host: what the guard says where nobody could be asked. */
  readonly answers?: Readonly<Record<string, FailureAnswers>>;
}

/** Writes both into the state folder, whole at any moment: hooks may run meanwhile. The same again changes nothing. */
export async function writeHookStubs(folder: string, options: HookStubOptions): Promise<HookStubs> {
  await ensureStateFolder(folder);
  const state = path.resolve(folder);
  const bin = path.join(state, 'bin');
  for (const made of [bin, path.join(state, 'spool')]) await mkdir(made, { recursive: true, mode: 0o700 });
  const [observe, guard] = [path.join(bin, 'observe'), path.join(bin, 'guard')];
  const statusLine = path.join(bin, 'statusline');
  const words = await wordsFor(folder, options);
  await writeProgram(observe, observeScript(words));
  await writeProgram(guard, guardScript(words));
  await writeProgram(statusLine, statusLineScript(words));
  return { observe, guard, statusLine };
}

async function wordsFor(folder: string, options: HookStubOptions): Promise<ScriptWords> {
  const { node, hookFile, configFolder = folder, answers = {} } = options;
  const [version, bash] = [await versionOf(hookFile), await findBash()];
  const [state, config] = [path.resolve(folder), path.resolve(configFolder)];
  return { state, config, node, hookFile, version, bash, answers };
}

/** Whether a script is what this version writes with these options. bash may have been found in another of its usual places. */
export async function isOwnStub(folder: string, text: string, options: HookStubOptions): Promise<boolean> {
  const words = await wordsFor(folder, options);
  const shells = [words.bash, '/bin/bash', '/usr/bin/bash', undefined];
  return text === observeScript(words) || shells.some((bash) => text === guardScript({ ...words, bash }));
}

async function writeProgram(file: string, text: string): Promise<void> {
  if ((await readText(file).catch(() => undefined)) === text) return chmod(file, 0o700);
  replaceFile(file, text, 0o700);
}

/** Of the package that the hook file belongs to. */
async function versionOf(hookFile: string): Promise<string> {
  try {
    const manifest = path.join(path.dirname(hookFile), '..', 'package.json');
    const { name, version } = asObject(JSON.parse(await readText(manifest))) ?? {};
    return (name === 'troupe' && asText(version)) || 'unknown';
  } catch {
    return 'unknown';
  }
}

/** By its place, so that no `env` has to look for it at each call. */
async function findBash(): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/bin', '/usr/bin'];
  for (const folder of folders.filter((one) => path.isAbsolute(one))) {
    const file = path.join(folder, 'bash');
    // What stands behind #! ends at a space.
    if (/\s/.test(file)) continue;
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

interface ScriptWords extends Required<Omit<HookStubOptions, 'configFolder'>> {
  /** Absolute. */
  readonly state: string;
  readonly version: string;
  /** Where the person's policy lies: a host may run with another environment than the one it was installed from. */
  readonly config: string;
  /** Where bash is, if it is anywhere. */
  readonly bash: string | undefined;
}

export function observeScript(words: ScriptWords): string {
  return `#!/bin/sh
${head(words, 'keeps what a hook is told')}
${keep('cat')}
break
done
${NOTE}
case $left in
nothing) exit 0 ;;
draft)
  { [ -f "$new" ] && printf '\\n{"ppid":%s%s}\\n' "$PPID" "$parent" >> "$new" && mv "$new" "$final"; } || trouble='it could not be put into its place'
  ;;
esac
[ -z "$trouble" ] || {
  note "$1" "$trouble"
  exit 0
}

# About every fiftieth time, where no server does, we have the spool read. All of it in the background: the host does not wait for
# what somebody may have put in place of the file.
case $$ in
*[05]0)
  (
    [ -f "$state/hook-address" ] && pid=$(dd bs=20 count=1 < "$state/hook-address") && kill -0 "\${pid%% *}" && exit 0
    # A list of certificates costs each start of node 40 ms.
    unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
    [ -x "$node" ] || node=node
    TROUPE_CONFIG=$config exec "$node" "$hook" drain "$state"
  ) < /dev/null > /dev/null &
  ;;
esac
exit 0
`;
}

export function guardScript(words: ScriptWords): string {
  const { bash, answers } = words;
  // -p: what the environment would have bash read first, or redefine, is none of ours.
  return `#!${bash === undefined ? '/bin/sh' : `${bash} -p`}
${head(words, 'keeps what a hook is told, and prints what troupe has to say about it')}
since=${bash === undefined ? '' : '$EPOCHREALTIME'}
${BEFORE_FAILURES}
${bash === undefined ? keep('cat') : `${TAKE_FIRST}${keep('take')}${ASK_SERVER}`}
break
done
${NOTE}${failureScript(answers)}${askNodeScript(bash !== undefined)}
case $left in
nothing) fail "$1" 'it was told nothing' ;;
part)
  # A full disk must not make a denial a question. Of a short call we have all of it.
  if [ "\${#first}" -gt 0 ] && [ "\${#first}" -lt 2048 ]; then
    new=- stdin_is_first=yes
  else
    find_on_error
    [ -z "$said" ] || stricter=deny
    fail "$1" "$trouble"
  fi
  note "$1" "$trouble"
  ;;
stdin)
  # Where nothing can be kept, there is something to decide all the same.
  note "$1" "$trouble"
  new=-
  ;;
esac
# Without a server. Whoever answers claims the draft and puts it into its place.
ask_node "$1"
`;
}

/**
 * Prints what the command of before prints, then ours. Without a server only what the host says itself is known: its own cost of
 * the session, sub-agents included.
 */
export function statusLineScript(words: ScriptWords): string {
  const { bash } = words;
  const shell = bash === undefined ? '/bin/sh' : `${bash} -p`;
  return `#!${shell}
${head(words, 'prints the status line of a session').replace(/\nLC_ALL=C$/, '')}
exec 2> /dev/null
${bash === undefined ? 'told=$(cat)' : `IFS= read -r -d '' -n 65536 told`}
[ -z "$1" ] || { before=$(printf '%s' "$told" | sh -c "$1") && [ -z "$before" ] || printf '%s\\n' "$before"; }
# Not before: the command of before is to run in the language of its person.
LC_ALL=C
${bash === undefined ? SAY_HOSTS_COST_BY_SED : ASK_SERVER_FOR_LINE}
`;
}

const ASK_SERVER_FOR_LINE = `[[ $told =~ '"session_id"'[[:space:]]*:[[:space:]]*'"'([A-Za-z0-9._-]{1,100})'"' ]]
session=\${BASH_REMATCH[1]}
case $COLUMNS in '' | *[!0-9]*) COLUMNS= ;; esac
proof= why=' · troupe server not running'
[ "$session" ] && [ -f "$state/hook-address" ] && read -r -t 2 -d '' -n 400 pid port key proof <> "$state/hook-address"
if [ "$proof" ]; then
  trap '' PIPE
  answer=
  {
    printf 'POST /api/hooks/statusline?session=%s&columns=%s HTTP/1.0\\r\\nHost: 127.0.0.1:%s\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' \\
      "$session" "$COLUMNS" "$port" "$key" >&3
    IFS= read -r -t 2 -d '' answer <&3
  } 3<> "/dev/tcp/127.0.0.1/$port"
  case $answer in
  'HTTP/1.1 200 '*$'\\r\\n\\r\\n'"$proof"$'\\n'*$'\\n'"$proof"$'\\n')
    answer=\${answer#*$'\\r\\n\\r\\n'"$proof"$'\\n'}
    printf '%s\\n' "\${answer%$'\\n'"$proof"$'\\n'}"
    exit 0
    ;;
  # A session that has not said anything yet.
  'HTTP/1.1 404 '*) why= ;;
  esac
fi
[[ $told =~ '"total_cost_usd"'[[:space:]]*:[[:space:]]*([0-9]{1,9}(\\.[0-9]{1,12})?) ]] || exit 0
printf '$%.2f%s\\n' "\${BASH_REMATCH[1]}" "$why"`;

const SAY_HOSTS_COST_BY_SED = `usd=$(printf '%s' "$told" | sed -n 's/.*"total_cost_usd"[[:space:]]*:[[:space:]]*\\([0-9.]*\\).*/\\1/p')
[ -z "$usd" ] || printf '$%.2f\\n' "$usd"`;

function head({ state, config, node, hookFile, version }: ScriptWords, what: string): string {
  return `# troupe ${version}: ${what}. Written by troupe; changes to it are lost.
state=${quote(state)}
config=${quote(config)}
node=${quote(node)}
hook=${quote(hookFile)}
LC_ALL=C`;
}

/**
 * Puts stdin into a draft, byte for byte. Whoever holds a draft is the only one who may write its name. What comes behind the
 * loop is read by a shell only where somebody needs it: `left` says where the payload is then, `trouble` why it is not in a draft.
 */
const keep = (take: string): string => `
exec 2> /dev/null
# A host that ends may end its hooks: this one is done in a moment.
trap '' HUP INT TERM
umask 077
PATH=/usr/bin:/bin:$PATH
new= final= trouble= left=nothing parent= first= stricter= stdin_is_first=
# Who started the program that runs us, where an agent did (identity.ts).
case $TROUPE_PARENT in '' | *[!A-Za-z0-9._:@-]*) TROUPE_PARENT= ;; *) parent=',"parent":"'$TROUPE_PARENT'"' ;; esac
case $TROUPE_AGENT in *[!A-Za-z0-9._:@/?-]*) TROUPE_AGENT= ;; esac
while :; do
case $1 in '' | *[!a-z0-9-]*) break ;; esac
[ -t 0 ] && exit 0

left=stdin
cd "$state/spool" || { mkdir -p "$state/spool" && cd "$state/spool"; } || { trouble='there is no spool' && break; }
set -C
n=0 told=
until [ "$told" ]; do
  [ $n -lt 100 ] || { trouble='there is no place for it' && break 2; }
  new=.new-$1.$$.$n final=$1.$$.$n.json taken=
  # Not even the shell's own care for files that are there (set -C) keeps it from waiting for the reader of a FIFO.
  [ -e "$new" ] || { if [ -e "$final" ]; then taken=yes; else told=part && ${take} && told=whole; fi; } > "$new"
  [ -z "$taken" ] || rm "$new"
  n=$((n + 1))
done
[ "$told" = whole ] || { rm "$new"; trouble='not all of it could be kept' left=part && break; }
[ -s "$new" ] || { rm "$new"; left=nothing && break; }
left=draft
`;

/**
 * Most payloads are short, and starting `cat` takes a millisecond. bash reads what is no file byte by byte, so only the
 * beginning is read by itself.
 */
const TAKE_FIRST = `
take() {
  if IFS= read -r -d '' -n 2048 first; then
    # Whoever stops before has met the end that it looks for.
    if [ \${#first} -lt 2048 ]; then printf '%s\\0' "$first"; else printf '%s' "$first"; fi && cat
  else
    printf '%s' "$first"
  fi
}`;

const NOTE = `note() {
  [ -e "$state/hook-failure" ] && [ ! -f "$state/hook-failure" ] ||
    printf '%s %s %s: %s\\n' "$(date)" "$0" "$1" "$2" >| "$state/hook-failure"
}
`;

/**
 * The payload stays where it is, for us alone: only its name is sent. The key is of this run of the server and good for
 * nothing else, and the answer has to bring the proof: whoever took the port of a server that is gone learns and decides
 * nothing. Half an answer has no second proof.
 *
 * A server that has to ask a person first says so at once, in a part that ends with NUL, and for how many seconds at most.
 * Then the host may end us: we say nothing, and the server sees us go. It may also go without a word, so now and then we
 * look whether it is there. A server that goes leaves the decision to node.
 *
 * An agent may put a FIFO in place of the address: opened for both directions (<>), it lets itself be opened at once even where it
 * takes the place of the file just before, and nothing is waited for longer than -t. Of a file without end, -n is read.
 */
const ASK_SERVER = `
proof=
[ -f "$state/hook-address" ] && read -r -t 2 -d '' -n 400 pid port key proof <> "$state/hook-address"
if [ "$proof" ]; then
  trap '' PIPE
  answer= SECONDS=0
  {
    printf 'POST /api/hooks/%s?draft=%s&ppid=%s&since=%s%s HTTP/1.0\\r\\nHost: 127.0.0.1:%s\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' \\
      "$1" "$new" "$PPID" "$since" "\${TROUPE_PARENT:+&parent=$TROUPE_PARENT}\${TROUPE_AGENT:+&above=$TROUPE_AGENT}" "$port" "$key" >&3
    IFS= read -r -t 2 -d '' answer <&3
    # One that is late is not asked again until it says that it is back.
    [ $SECONDS -lt 2 ] || [ ! -f "$state/hook-address" ] || printf '' >| "$state/hook-address"
    case $answer in
    'HTTP/1.1 200 '*$'\\r\\n\\r\\n'"$proof"$'\\nhold '[0-9]*$'\\n')
      hold=\${answer##*hold } hold=\${hold%$'\\n'} answer=\${answer%%"$proof"*} SECONDS=0
      trap - HUP INT TERM
      while part= && [ $SECONDS -lt "$hold" ]; do
        IFS= read -r -t 1 -d '' part <&3
        ended=$? answer=$answer$part
        [ $ended -gt 128 ] || break
        kill -0 "$PPID" || exit 0
      done
      trap '' HUP INT TERM
      ;;
    esac
  } 3<> "/dev/tcp/127.0.0.1/$port"
  case $answer in
  'HTTP/1.1 200 '*$'\\r\\n\\r\\n'"$proof"$'\\n'*$'\\n'"$proof"$'\\n')
    answer=\${answer#*$'\\r\\n\\r\\n'"$proof"$'\\n'}
    printf '%s' "\${answer%$'\\n'"$proof"$'\\n'}"
    exit 0
    ;;
  esac
fi
`;

// The part of the guard stub that answers where nobody else could: no node, one that died or hangs, no place for a draft.
// A host takes silence for consent, so wherever a policy is in force something is said.

/** What a host is told where the guard failed, by what the policy has for that. */
export type FailureAnswers = Readonly<Record<'ask' | 'deny', string>>;

/** Two seconds for the server and these are less than a host waits for its hook. */
const NODE_SECONDS = 7;

export const FAILURE_REASON = 'The guard of troupe could not be asked. See: troupe doctor';

/** Before anything else is done: where the host works, and a way to it. */
const BEFORE_FAILURES = `case $PWD in /*) here=$PWD ;; *) here= ;; esac
# By \`command\`, which keeps a shell alive whose host has closed it.
command exec 4>&2`;

/** `fail HOST WHY` answers and ends. */
function failureScript(answers: Readonly<Record<string, FailureAnswers>>): string {
  const cases = Object.entries(answers).flatMap(([host, { ask, deny }]) => [
    `  ${host}.ask) printf '%s' ${quote(ask)} ;;`,
    `  ${host}.deny) printf '%s' ${quote(deny)} ;;`,
  ]);
  return `
code=0

# The strictest on_error of the policies that hold here, as it was when they were compiled; before that, to ask.
hear() {
  case $1 in
  deny) said=deny ;;
  none) said=\${said:-none} ;;
  *) [ "$said" = deny ] || said=ask ;;
  esac
}
find_on_error() {
  said= word=
  if [ -e "$config/policy.yaml" ] || [ -L "$config/policy.yaml" ]; then
    [ -f "$state/policy/user.on-error" ] && read -r word < "$state/policy/user.on-error"
    hear_policy "$config/policy.yaml" "$word"
  fi
  place=$here
  until [ -z "$place" ] || [ -e "$place/.troupe" ] || [ -e "$place/.git" ]; do place=\${place%/*}; done
  for name in policy policy.local; do
    { [ -e "$place/.troupe/$name.yaml" ] || [ -L "$place/.troupe/$name.yaml" ]; } && [ "$place/.troupe/$name.yaml" != "$config/policy.yaml" ] || continue
    found=
    for kept in "$state"/policy/*.on-error; do
      [ -f "$kept" ] && { read -r word && IFS= read -r root && [ "$root" = "$place" ] && found=$word; } < "$kept"
    done
    hear_policy "$place/.troupe/$name.yaml" "$found"
  done
}
# What was kept may have been changed by an agent: it can make things stricter than the file says, but not looser.
hear_policy() {
  own=
  [ -f "$1" ] && while IFS= read -r line || [ -n "$line" ]; do
    case $line in on_error:*) ;; *) continue ;; esac
    line=\${line#on_error:} line=\${line%%#*}
    case $line in *deny*) own=deny ;; *none*) [ "$own" ] || own=none ;; *) [ "$own" = deny ] || own=ask ;; esac
  done < "$1"
  case $own.$2 in
  deny.* | *.deny) hear deny ;;
  none.none) hear none ;;
  *) hear ask ;;
  esac
}
fail() {
  note "$1" "$2"
  find_on_error
  [ -z "$said" ] || said=\${stricter:-$said}
  case $1.$said in
${cases.join('\n')}
  *. | *.none) ;;
  *)
    printf '%s\\n' ${quote(FAILURE_REASON)} >&4
    code=2
    ;;
  esac
  if [ -f "$new" ] && [ ! -e ".held-\${new#.new-}" ]; then
    printf '\\n{"ppid":%s%s,"decision":"%s","reason":"%s"}\\n' "$PPID" "$parent" "\${said:-none}" ${quote(FAILURE_REASON)} >> "$new" && mv "$new" "$final"
  fi
  exit $code
}
`;
}

/** `ask_node HOST` prints what it says and ends, or fails. The payload lies in the draft, or still waits on stdin. */
function askNodeScript(isBash: boolean): string {
  const command = `TROUPE_CONFIG=$config "$node" "$hook" guard "$1" "$state/spool/$new" "$PPID" "$since" <&5`;
  // Nobody but the newer ones of bash can wait for an end, for so long, without a process that sleeps.
  const quick = `  if [ "\${BASH_VERSINFO:-0}" -ge 5 ]; then
    # Node has more to do behind its answer: nobody waits for that, so it holds nothing of the host's.
    exec 6< <(cd "$here" || cd /; ${command.replace('"$node"', 'exec "$node"').replace('<&5', 'end <&5 4>&- 5<&-')})
    runs=$!
    IFS= read -r -t ${NODE_SECONDS} -d '' answer <&6 && printf '%s' "$answer" && exit 0
    [ $? -le 128 ] || kill -9 "$runs"
    wait "$runs" || fail "$1" 'node gave no answer'
    printf '%s' "$answer"
    exit 0
  fi
`;
  // Hosts wait until nobody holds what they gave us: the sleeper must not.
  return `
ask_node() {
  # A list of certificates costs each start of node 40 ms.
  unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
  [ -x "$node" ] || node=node
  ${isBash ? `if [ "$stdin_is_first" ]; then command exec 5< <(printf '%s' "$first"); else command exec 5<&0; fi` : 'command exec 5<&0'}
${isBash ? quick : ''}  answer=$(
    cd "$here" || cd /
    ${command} &
    runs=$!
    {
      trap 'kill -9 "$naps"' TERM
      sleep ${NODE_SECONDS} &
      naps=$!
      wait "$naps" && kill -9 "$runs"
    } > /dev/null 4>&- 5<&- &
    watches=$!
    wait "$runs"
    code=$?
    kill "$watches"
    exit $code
  ) || fail "$1" 'node gave no answer'
  printf '%s' "$answer"
  exit 0
}
`;
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
