import { UserError } from '../lib/user-error.ts';

/** What went wrong, in one line for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof UserError) return `${error.message} ${error.remedy}`;
  return error instanceof Error ? error.message : String(error);
}
