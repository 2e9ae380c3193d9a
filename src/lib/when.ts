/** A time that the person named, in epoch milliseconds: an instant begins and ends at once, a day lasts a day. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Queries and flags are parsed before the clock is known. */
export type When = (now: number) => Span;

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `90s`, `10m`, `2h`, `3d` (ago), `today`, `yesterday`, `14:30`, `2026-11-15`, or a whole ISO 8601 time; anything else is undefined. */
export function parseWhen(text: string): When | undefined {
  const [, count, unit] = /^(\d{1,6}) ?(s|m|h|d|w)(?:in|our|ours|ay|ays)?$/.exec(text) ?? [];
  if (count !== undefined) return (now) => instant(now - Number(count) * (UNITS[unit ?? ''] ?? 0));
  if (text === 'today') return (now) => day(new Date(now));
  if (text === 'yesterday') return (now) => day(new Date(now), -1);
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined) return (now) => instant(new Date(now).setHours(Number(hours), Number(minutes), 0, 0));
  const at = isDayIn(text) ? Date.parse(text.length === 10 ? `${text}T00:00` : text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
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
