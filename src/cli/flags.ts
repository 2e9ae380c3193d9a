import { known } from '../lib/json.ts';
import { parseWhen, type When } from '../lib/when.ts';
import type { SessionScope } from '../sessions/index.ts';

export interface JsonFlag {
  readonly json: boolean;
}

/** Flags that several commands share: what to look at, and for whom to write. */
export interface SharedFlags extends JsonFlag {
  readonly root?: readonly string[];
  readonly host?: string;
}

export const sharedFlags = {
  json: toggle('Write JSON (docs/JSON.md has the names)'),
  root: {
    ...optional(
      String,
      'DIR',
      "Look here instead of the hosts' own data folders: a folder, a file, or the address of a server; may be given several times",
    ),
    variadic: true,
  },
  host: optional(String, 'HOST', 'Only this host, whatever the files look like (troupe --help lists them)'),
} as const;

export function toggle(brief: string) {
  return { kind: 'boolean', default: false, brief } as const;
}

export function optional<T>(parse: (text: string) => T, placeholder: string, brief: string) {
  return { kind: 'parsed', parse, optional: true, placeholder, brief } as const;
}

/** `value`: as the person would type it. */
export function withDefault<T>(parse: (text: string) => T, value: string, placeholder: string, brief: string) {
  return { kind: 'parsed', parse, default: value, placeholder, brief } as const;
}

/** `description`: line by line. */
export function helpText(brief: string, examples: readonly string[], ...description: readonly string[]) {
  const lines = [...description, '', 'Examples:', ...examples.map((example) => `  ${example}`)];
  return { brief, fullDescription: lines.join('\n') };
}

export const agentArgument = {
  parse: String,
  placeholder: 'AGENT',
  brief: "The first characters of an agent's or a session's id, or a name in the newest session",
} as const;

export function optionalArgument(placeholder: string, brief: string) {
  return { kind: 'tuple', parameters: [{ parse: String, optional: true, placeholder, brief }] } as const;
}

export const sessionArgument = optionalArgument('SESSION', 'The first characters of its id; default: the newest');

export function whereOf({ root, host }: Pick<SharedFlags, 'root' | 'host'>): SessionScope {
  return { roots: root ?? [], ...known({ host }) };
}

/** An empty word is most likely an unset variable, and would match everything. */
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

/** `90s`, `10m`, `2h`, `3d` (ago), `today`, `yesterday`, `14:30`, `2026-11-15`, or a whole ISO 8601 time. */
export function toWhen(text: string): When {
  const when = parseWhen(text);
  if (when) return when;
  throw new SyntaxError(`"${text}" is not a time (2h, today, 14:30, 2026-11-15, 2026-11-15T06:50:16Z)`);
}
