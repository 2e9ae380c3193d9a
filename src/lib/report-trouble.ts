import { isSystemError } from './system-error.ts';
import { UserError } from './user-error.ts';

/** What was said already: what fails at each look is no news the second time. */
const said = new Set<string>();
const REMEMBERED = 1_000;

/** Something went wrong while following or serving: the rest goes on, and the words are there, once. */
export function reportTrouble(error: unknown): void {
  const words = wordsFor(error);
  if (said.has(words)) return;
  if (said.size >= REMEMBERED) said.clear();
  said.add(words);
  process.stderr.write(`troupe: ${words}\n`);
}

function wordsFor(error: unknown): string {
  if (error instanceof UserError) return `${error.message}\n${error.remedy}`;
  if (isSystemError(error)) return `the system said no, and troupe goes on without: ${error.message}`;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `this is a bug of troupe, please report it.\n${stack}`;
}
