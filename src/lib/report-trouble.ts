import { isatty } from 'node:tty';
import { isSystemError, UserError } from './user-error.ts';

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

/**
 * Ctrl-C, a kill, and a terminal that is closed. Who has no terminal has none to lose: `nohup` takes all three ways to it,
 * and asks to ignore the signal; Node forgets the latter when it starts, so the former has to tell.
 */
export function onEndSignal(end: () => void): void {
  const hasTerminal = [0, 1, 2].some(isatty);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  if (hasTerminal) process.once('SIGHUP', end);
  else process.on('SIGHUP', () => {});
}
