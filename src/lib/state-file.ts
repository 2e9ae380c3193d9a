import { readTextSync } from './regular-file.ts';
import { codeOf } from './system-error.ts';
import { UserError } from './user-error.ts';

/** What is said where the file cannot be understood. */
export interface StateTrouble {
  readonly code: string;
  /** What cannot be read from it. */
  readonly what: string;
  readonly remedy: string;
}

/** What a face has kept of its work; undefined where it has not begun. Throws a `UserError`. */
export function loadState<State>(
  file: string,
  parse: (text: string) => State,
  { code, what, remedy }: StateTrouble,
): State | undefined {
  try {
    return parse(readTextSync(file));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(code, `${what} cannot be read from ${file}: ${why}`, remedy, { cause });
  }
}
