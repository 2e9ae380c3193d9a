import { known } from '../lib/json.ts';
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

/** A time that the person named, in epoch milliseconds: an instant begins and ends at once, a day lasts a day. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Flags are parsed before the clock is known. */
export type When = (now: number) => Span;

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `90s`, `10m`, `2h`, `3d` (ago), `today`, `yesterday`, `14:30`, `2026-11-15`, or a whole ISO 8601 time. */
export function toWhen(text: string): When {
  const [, count, unit] = /^(\d{1,6}) ?(s|m|h|d|w)(?:in|our|ours|ay|ays)?$/.exec(text) ?? [];
  if (count !== undefined) return (now) => instant(now - Number(count) * (UNITS[unit ?? ''] ?? 0));
  if (text === 'today') return (now) => day(new Date(now));
  if (text === 'yesterday') return (now) => day(new Date(now), -1);
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined) return (now) => instant(new Date(now).setHours(Number(hours), Number(minutes), 0, 0));
  const at = isDayIn(text) ? Date.parse(text.length === 10 ? `${text}T00:00` : text) : Number.NaN;
  if (Number.isNaN(at))
    throw new SyntaxError(`«${text}» is not a time (2h, today, 14:30, 2026-11-15, 2026-11-15T06:50:16Z)`);
  return () => (text.length === 10 ? day(new Date(at)) : instant(at));
}

/** `Date` turns the 31st of February into the 3rd of March. */
function isDayIn(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${day}T`);
}

function instant(at: number): Span {
  return { from: at, to: at };
}

/** In local time: days on which the clocks change are longer or shorter. */
function day(at: Date, shift = 0): Span {
  const start = (days: number): number => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
  return { from: start(shift), to: start(shift + 1) - 1 };
}
