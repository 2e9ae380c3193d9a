import type { TimeWindow } from '../policy.ts';
import { listOrOne, type Reader, readFields, textOf, wrong } from './fields.ts';
import { DATE, DAYS, DAYS_TEXT, HOURS } from './words.ts';

export const readWindow: Reader<TimeWindow> = (walk, node, what) => {
  const fields = readFields<WindowFields>(walk, node, what, {
    days,
    hours,
    from: moment('first'),
    until: moment('last'),
  });
  if (!fields) return undefined;
  if (fields.keys.size === 0) return wrong(walk, node, `${what} names no time.`, `Remove ${what}: then it is always.`);
  const { from = null, until = null } = fields.values;
  if (from !== null && until !== null && from >= until)
    return wrong(walk, node, '`from` is not before `until`.', 'Change one of them.');
  const chosen = fields.values.days && [...new Set(fields.values.days.flat())].sort((a, b) => a - b);
  return { days: chosen ?? null, minutes: fields.values.hours ?? null, from, until };
};

type WindowFields = {
  days: readonly (readonly number[])[];
  hours: readonly [number, number];
  from: number;
  until: number;
};

const days = listOrOne(
  textOf<readonly number[]>((text) => {
    if (!DAYS_TEXT.test(text))
      return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy: 'Write mon-fri, "sat, sun" or [mon, wed].' };
    return text.split(',').flatMap((part) => {
      const named = part.split('-').map((day) => DAYS.indexOf(day.trim() as (typeof DAYS)[number]));
      return named.flatMap((day, index) => (index === 0 ? [day] : daysUpTo(named[index - 1] ?? day, day)));
    });
  }),
);

/** Over Sunday too: `fri-mon`. */
function daysUpTo(first: number, last: number): readonly number[] {
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, step) => (first + step) % 7);
}

const hours = textOf<readonly [number, number]>((text) => {
  const remedy = 'Write it as "09:00-18:00", or "22:00-06:00" over midnight.';
  if (!HOURS.test(text)) return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy };
  const [start = 0, end = 0] = text.split('-').map(toMinutes);
  return start === end ? { wrong: 'ends when it begins.', remedy } : [start, end];
});

function toMinutes(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return hour * 60 + minute;
}

/** A day that `until` names is included. */
function moment(which: 'first' | 'last'): Reader<number> {
  return textOf<number>((text) => {
    const at = DATE.test(text) ? toInstant(text) : Number.NaN;
    if (Number.isNaN(at))
      return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy: 'Write 2026-11-30 or "2026-11-30T18:00".' };
    if (which === 'first' || text.includes('T')) return at;
    const next = new Date(at);
    next.setDate(next.getDate() + 1);
    return next.getTime();
  });
}

/** A day by the local clock, where `Date` would take UTC; and 31 February is none. */
function toInstant(text: string): number {
  const day = text.slice(0, 10);
  if (new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) !== day) return Number.NaN;
  return new Date(text.includes('T') ? text : `${text}T00:00`).getTime();
}
