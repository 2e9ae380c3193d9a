/** A span of time that the person named: an instant is one that begins and ends at once, a day lasts a day. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Depends on now: flags are read before anybody looks at the clock. */
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

/** `Date` makes the 3rd of March of the 31st of February. */
function isDayIn(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${day}T`);
}

function instant(at: number): Span {
  return { from: at, to: at };
}

/** By the calendar of the person: days with a change of the clock are longer or shorter. */
function day(at: Date, shift = 0): Span {
  const start = (days: number): number => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
  return { from: start(shift), to: start(shift + 1) - 1 };
}
