// The commands that stand in a host's settings. The comment at their end is how we know our own again, and of which
// version they are.

export type HookRole = 'observe' | 'guard';

export interface HookCommand {
  readonly role: HookRole;
  /** The script that it runs. */
  readonly file: string;
  /** Of the troupe that wrote it. */
  readonly version: string;
  /** Of a guard: the person's policy. Where it is there and the guard is not, nothing runs that nobody checked. */
  readonly policy?: string;
}

/**
 * `exec`, so that the host is the script's parent. A troupe that was removed without a word must not make the host
 * complain at every step: an observer that is gone says nothing. A guard that cannot run does, and where there is a
 * policy it stops the call: of all codes, hosts take 2 alone for a no. An `exec` that fails ends the shell, and an end
 * runs the trap; but in bash only with `execfail`.
 */
export function formatHookCommand({ role, file, version, policy }: HookCommand, host: string): string {
  const script = quote(file);
  const run = `[ -x ${script} ] || ${MISSING[role]}; exec ${script} ${host}`;
  const mark = `# troupe ${version} ${role}`;
  return role === 'guard' && policy !== undefined
    ? `p=${quote(policy)}; ${AT_END}; shopt -s execfail 2> /dev/null; ${run}; exit 1 ${mark}`
    : `${run} ${mark}`;
}

const CANNOT_RUN =
  'troupe: the guard cannot run, so nobody checked this call. To mend it: troupe hooks install --guard. To do without it: ' +
  'troupe hooks uninstall, or remove the hooks that end in # troupe from the settings.';

const AT_END = `trap 'echo "${CANNOT_RUN}" >&2; for f in "$p" .troupe/policy.yaml .troupe/policy.local.yaml; do [ ! -e "$f" ] || exit 2; done' 0`;

/** What the host tells is read in any case: it should not find the pipe closed. */
const MISSING: Readonly<Record<HookRole, string>> = {
  observe: '{ cat > /dev/null; exit 0; }',
  guard: '{ cat > /dev/null; exit 1; }',
};

export interface FoundCommand extends HookCommand {
  /** Exactly what `formatHookCommand` of this version writes. */
  readonly isAsWritten: boolean;
}

/**
 * Nothing where it is somebody else's. What began as ours and was changed is ours still: it is to be found, told of and
 * taken out.
 */
export function parseHookCommand(command: string, host: string): FoundCommand | undefined {
  const [, policy, script, version, role] = command.match(OURS) ?? [];
  if (script === undefined || version === undefined) return undefined;
  const found: HookCommand = {
    role: role === 'guard' ? 'guard' : 'observe',
    file: unquote(script),
    version,
    ...(policy !== undefined && { policy: unquote(policy) }),
  };
  return { ...found, isAsWritten: formatHookCommand(found, host) === command };
}

const OURS = /^(?:p=('(?:[^']|'\\'')*'); .*; )?\[ -x ('(?:[^']|'\\'')*') \] \|\| .* # troupe (\S+) (observe|guard)$/s;

function quote(file: string): string {
  return `'${file.replaceAll("'", "'\\''")}'`;
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replaceAll("'\\''", "'");
}
