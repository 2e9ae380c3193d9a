import { isatty } from 'node:tty';

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
