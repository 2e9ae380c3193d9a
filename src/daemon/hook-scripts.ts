// The texts of the programs that a host runs at each hook. They start no process they do not need: `cat`, and `mv` where
// nobody else puts the file into its place. POSIX sh (dash, busybox, bash) but for what speaks to the server: that is bash.

import { askNodeScript, type FailureAnswers, failureScript, quote } from './failure-script.ts';

export interface ScriptWords {
  /** Absolute. */
  readonly state: string;
  readonly node: string;
  readonly hookFile: string;
  readonly version: string;
  /** Where the person's policy lies: a host may run with another environment than the one it was installed from. */
  readonly config: string;
  /** Where bash is, if it is anywhere. */
  readonly bash: string | undefined;
  /** By host: what the guard says where nobody could be asked. */
  readonly answers: Readonly<Record<string, FailureAnswers>>;
}

export function observeScript(words: ScriptWords): string {
  return `#!/bin/sh
${head(words, 'keeps what a hook is told')}
fail() {
  note "$1" "$2"
  exit 0
}
no_place() { fail "$1" "$2"; }
no_call() { exit 0; }
${KEEP}
{ printf '\\n{"ppid":%s}\\n' "$PPID" >> "$new" && mv "$new" "$final"; } || fail "$1" 'it could not be put into its place'

# About every fiftieth time, where no server does, we have the spool read.
case $$ in
*[05]0)
  { read -r pid rest < "$state/hook-address" && kill -0 "$pid"; } || (
    # A list of certificates costs each start of node 40 ms.
    unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
    [ -x "$node" ] || node=node
    TROUPE_CONFIG=$config "$node" "$hook" drain "$state" < /dev/null > /dev/null &
  )
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
${failureScript(answers)}${askNodeScript(bash !== undefined)}
# Where nothing can be kept, there is something to decide all the same.
no_place() {
  note "$1" "$2"
  new=-
  ask_node "$1"
}
no_call() { fail "$1" 'it was told nothing'; }
${KEEP}${bash === undefined ? '' : ASK_SERVER}
# Without a server. Whoever answers claims the draft and puts it into its place.
ask_node "$1"
`;
}

function head({ state, config, node, hookFile, version }: ScriptWords, what: string): string {
  return `# troupe ${version}: ${what}. Written by troupe; changes to it are lost.
state=${quote(state)}
config=${quote(config)}
node=${quote(node)}
hook=${quote(hookFile)}
LC_ALL=C`;
}

/** Puts stdin into a draft, byte for byte. Whoever holds a draft is the only one who may write its name. */
const KEEP = `
exec 2> /dev/null
# A host that ends may end its hooks: this one is done in a moment.
trap '' HUP INT TERM
umask 077
PATH=/usr/bin:/bin:$PATH
note() { printf '%s %s %s: %s\\n' "$(date)" "$0" "$1" "$2" >| "$state/hook-failure"; }
case $1 in '' | *[!a-z0-9-]*) no_call "$1" ;; esac
[ -t 0 ] && exit 0

cd "$state/spool" || { mkdir -p "$state/spool" && cd "$state/spool"; } || no_place "$1" 'there is no spool'
set -C
n=0 told=
until [ "$told" ]; do
  [ $n -lt 100 ] || no_place "$1" 'there is no place for it'
  new=.new-$1.$$.$n final=$1.$$.$n.json taken=
  { if [ -e "$final" ]; then taken=yes; else told=part && cat && told=whole; fi; } > "$new"
  [ -z "$taken" ] || rm "$new"
  n=$((n + 1))
done
[ "$told" = whole ] || { rm "$new"; fail "$1" 'not all of it could be kept'; }
[ -s "$new" ] || { rm "$new"; no_call "$1"; }
`;

/**
 * The payload stays where it is, for us alone: only its name is sent. The key is of this run of the server and good for
 * nothing else, and the answer has to bring the proof: whoever took the port of a server that is gone learns and decides
 * nothing. Half an answer has no second proof.
 */
const ASK_SERVER = `
if read -r pid port key proof < "$state/hook-address" && [ "$proof" ]; then
  trap '' PIPE
  answer= SECONDS=0
  {
    printf 'POST /api/hooks/%s?draft=%s&ppid=%s&since=%s HTTP/1.0\\r\\nHost: 127.0.0.1:%s\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' \\
      "$1" "$new" "$PPID" "$since" "$port" "$key" >&3
    IFS= read -r -t 2 -d '' answer <&3
  } 3<> "/dev/tcp/127.0.0.1/$port"
  # One that is late is not asked again until it says that it is back.
  [ $SECONDS -lt 2 ] || printf '' >| "$state/hook-address"
  case $answer in
  'HTTP/1.1 200 '*$'\\r\\n\\r\\n'"$proof"$'\\n'*$'\\n'"$proof"$'\\n')
    answer=\${answer#*$'\\r\\n\\r\\n'"$proof"$'\\n'}
    printf '%s' "\${answer%$'\\n'"$proof"$'\\n'}"
    exit 0
    ;;
  esac
fi
`;
