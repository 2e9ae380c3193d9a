// The part of the guard stub that answers where nobody else could: no node, one that died or hangs, no place for a draft.
// A host takes silence for consent, so wherever a policy is in force something is said.

/** What a host is told where the guard failed, by what the policy has for that. */
export interface FailureAnswers {
  readonly ask: string;
  readonly deny: string;
}

/** Two seconds for the server and these are less than a host waits for its hook. */
const NODE_SECONDS = 7;

export const FAILURE_REASON = 'The guard of troupe could not be asked. See: troupe doctor';

/** Before anything else is done: where the host works, and a way to it. */
export const BEFORE_FAILURES = `case $PWD in /*) here=$PWD ;; *) here= ;; esac
# By \`command\`, which keeps a shell alive whose host has closed it.
command exec 4>&2`;

/** `fail HOST WHY` answers and ends. */
export function failureScript(answers: Readonly<Record<string, FailureAnswers>>): string {
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
  if [ -e "$config/policy.yaml" ]; then
    [ -f "$state/policy/user.on-error" ] && read -r word < "$state/policy/user.on-error"
    hear "$word"
  fi
  place=$here
  until [ -z "$place" ] || [ -e "$place/.troupe" ] || [ -e "$place/.git" ]; do place=\${place%/*}; done
  for name in policy policy.local; do
    [ -e "$place/.troupe/$name.yaml" ] && [ "$place/.troupe/$name.yaml" != "$config/policy.yaml" ] || continue
    found=
    for kept in "$state"/policy/*.on-error; do
      [ -f "$kept" ] && { read -r word && IFS= read -r root && [ "$root" = "$place" ] && found=$word; } < "$kept"
    done
    hear "$found"
  done
}
fail() {
  note "$1" "$2"
  find_on_error
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
export function askNodeScript(isBash: boolean): string {
  const command = `TROUPE_CONFIG=$config "$node" "$hook" guard "$1" "$state/spool/$new" "$PPID" "$since" <&5`;
  // Nobody but the newer ones of bash can wait for an end, for so long, without a process that sleeps.
  const quick = `  if [ "\${BASH_VERSINFO:-0}" -ge 5 ]; then
    exec 6< <(cd "$here" || cd /; ${command.replace('"$node"', 'exec "$node"')})
    runs=$!
    IFS= read -r -t ${NODE_SECONDS} -d '' answer <&6
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
  command exec 5<&0
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
