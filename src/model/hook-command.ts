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

export interface FoundCommand extends HookCommand {
  /** Exactly what `formatHookCommand` of this version writes. */
  readonly isAsWritten: boolean;
}

/**
 * Nothing where it is somebody else's. What began as ours and was changed is ours still: it is to be found, told of and
 * taken out.
 */
export function parseHookCommand(command: string, host: string): FoundCommand | undefined {
  const [, quoted, version, role] = command.match(OURS) ?? [];
  if (quoted === undefined || version === undefined) return undefined;
  const found: HookCommand = { role: role === 'guard' ? 'guard' : 'observe', file: unquote(quoted), version };
  return { ...found, isAsWritten: formatHookCommand(found, host) === command };
}

const OURS = /^\[ -x ('(?:[^']|'\\'')*') \] \|\| .* # troupe (\S+) (observe|guard)$/s;

function quote(file: string): string {
  return `'${file.replaceAll("'", "'\\''")}'`;
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replaceAll("'\\''", "'");
}
