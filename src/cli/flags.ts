import { known } from '../lib/json.ts';
import type { Where } from '../sessions/index.ts';
import type { CliContext } from './run-cli.ts';

/** Flags that several commands share: what to look at, and for whom to write. */
export interface SharedFlags {
  readonly json: boolean;
  readonly root?: readonly string[];
  readonly host?: string;
}

export const sharedFlags = {
  json: { kind: 'boolean', brief: 'Write JSON (docs/JSON.md has the names)', default: false },
  root: {
    kind: 'parsed',
    parse: String,
    variadic: true,
    optional: true,
    placeholder: 'DIR',
    brief:
      "Look here instead of the hosts' own data folders: a folder, a file, or the address of a server; may be given several times",
  },
  host: {
    kind: 'parsed',
    parse: String,
    optional: true,
    placeholder: 'HOST',
    brief: 'Only this host, whatever the files look like (troupe --help lists them)',
  },
} as const;

/** One word that may be left out. */
export function optionalArgument(placeholder: string, brief: string) {
  return { kind: 'tuple', parameters: [{ parse: String, optional: true, placeholder, brief }] } as const;
}

export const sessionArgument = optionalArgument('SESSION', 'The first characters of its id; default: the newest');

export function whereOf({ root, host }: Pick<SharedFlags, 'root' | 'host'>): Where {
  return { roots: root ?? [], ...known({ host }) };
}

export function writeJson(context: CliContext, value: unknown): void {
  context.face.terminal.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function writeLines(context: CliContext, lines: readonly string[]): void {
  context.face.terminal.write(`${lines.join('\n')}\n`);
}

/** Nothing is the beginning of everything: who gives it most likely has an empty variable. */
export function toWord(text: string): string {
  if (text.trim() === '') throw new SyntaxError('It is empty');
  return text;
}

export function toIndex(text: string): number {
  return text === '0' ? 0 : toCount(text);
}

export function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new SyntaxError(`«${text}» is not a number from 1 on`);
  return count;
}

export function toPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new SyntaxError(`«${text}» is not a port (1 to 65535)`);
  return port;
}

export function toSpeed(text: string): number {
  const speed = Number(text);
  if (!(speed >= 0.1 && speed <= 1000)) throw new SyntaxError(`«${text}» is not a speed from 0.1 to 1000`);
  return speed;
}
