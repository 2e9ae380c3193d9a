/** Something the person can fix. Only `main.ts` prints it: one sentence on what happened, one on what to do; no stack. */
export class UserError extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
    this.code = code;
    this.remedy = remedy;
  }
}

/** An error of the operating system: a full disk, a missing permission, a file that was removed. Not a bug in troupe. */
export function isSystemError(error: unknown): error is Error & { readonly code?: string; readonly syscall: string } {
  return error instanceof Error && 'syscall' in error;
}

/** `ENOENT` and the like; undefined where it is none of the system's. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The file does not exist, or a part of its path is not a folder. */
export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For what cannot be missing unless we made a mistake. */
export function assertFound<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`troupe: ${what}`);
  return value;
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For what may fail, and need not work: a process may end, or a file go, while it is looked at. */
export function orElse<T, U>(look: () => T, otherwise: U): T | U {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
