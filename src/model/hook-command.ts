// The commands that stand in a host's settings. The comment at their end is how we know our own again, and of which
// version they are.

export type HookRole = 'observe' | 'guard';

export interface HookCommand {
  readonly role: HookRole;
  /** The script that it runs. */
  readonly file: string;
  /** Of the troupe that wrote it. */
  readonly version: string;
}

/**
 * `exec`, so that the host is the script's parent. A troupe that was removed without a word must not make the host
 * complain at every step: an observer that is gone says nothing. A guard that is gone does.
 */
export function formatHookCommand({ role, file, version }: HookCommand, host: string): string {
  const script = quote(file);
  // What the host tells is read in any case: it should not find the pipe closed.
  const missing =
    role === 'observe'
      ? '{ cat > /dev/null; exit 0; }'
      : `{ cat > /dev/null; echo 'troupe: the guard is gone, nobody checks this call. Run: troupe hooks install --guard' >&2; exit 1; }`;
  return `[ -x ${script} ] || ${missing}; exec ${script} ${host} # troupe ${version} ${role}`;
}

/** Nothing where it is somebody else's. */
export function parseHookCommand(command: string): HookCommand | undefined {
  const [, file, version, role] = command.match(OURS) ?? [];
  if (file === undefined || version === undefined) return undefined;
  return { role: role === 'guard' ? 'guard' : 'observe', file: unquote(file), version };
}

const OURS = /^\[ -x ('(?:[^']|'\\'')*') \] \|\| .*; exec .* # troupe (\S+) (observe|guard)$/s;

function quote(file: string): string {
  return `'${file.replaceAll("'", "'\\''")}'`;
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replaceAll("'\\''", "'");
}
