/** The system said no: a full disk, a missing right, a file that went. Nothing that a better program could have avoided. */
export function isSystemError(error: unknown): error is Error & { readonly code?: string; readonly syscall: string } {
  return error instanceof Error && 'syscall' in error;
}

/** `ENOENT` and the like; undefined where it is none of the system's. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** There is no such file, or its folder is none any more. */
export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
