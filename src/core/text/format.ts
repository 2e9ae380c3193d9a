// Counts, durations, sizes, times, costs and ids as text.

import type { CostReport } from '../reports/prices.ts';
import type { SpendLimit } from '../reports/spend.ts';
import { cleanLine } from './clean-text.ts';

/** 950, 12.3k, 4.5M: at most four characters of digits, so that columns stay narrow. */
export function formatCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999_500) return `${short(value / 1000)}k`;
  return `${short(value / 1_000_000)}M`;
}

function short(value: number): string {
  return value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

/** 0.4 s, 12 s, 3 min, 2 h, 5 d. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  if (seconds < 5970) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

export function formatAge(iso: string | null, now: number): string {
  if (iso === null) return '–';
  const ms = now - Date.parse(iso);
  return ms < 1000 ? 'now' : `${formatDuration(Math.max(1000, ms)).replace(/\.\d s$/, ' s')} ago`;
}

/** `Codex: 16 % of the limit of 5 h used, until 2026-11-20 05:48`: of a plan that is paid by the month. */
export function limitText({ hostTitle, windows, problem }: SpendLimit): string {
  if (problem !== null) return `${hostTitle}: how much of the limit is used is not known: ${problem}`;
  const used = windows.map(({ minutes, share, resetsAt }) => {
    const span = minutes === null ? '' : ` of ${formatDuration(minutes * 60_000)}`;
    const until = resetsAt === null ? '' : `, until ${minuteText(new Date(resetsAt))}`;
    return `${Number((100 * share).toFixed(1))} % of the limit${span} used${until}`;
  });
  return `${hostTitle}: ${used.join('; ')}`;
}

function minuteText(at: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** 512 B, 12.3 kB, 4.5 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${short(bytes / 1000)} kB`;
  return bytes < 999_500_000 ? `${short(bytes / 1_000_000)} MB` : `${short(bytes / 1_000_000_000)} GB`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** 14:02:31, and the day before it where it is not today; by the clock on the wall. */
export function momentText(iso: string | null, now: number): string {
  if (iso === null) return '–';
  const at = Date.parse(iso);
  const [day, today] = [new Date(at), new Date(now)];
  if (day.toDateString() === today.toDateString()) return clockText(at);
  const year = day.getFullYear() === today.getFullYear() ? '' : ` ${day.getFullYear()}`;
  return `${day.getDate()} ${MONTHS[day.getMonth()]}${year} ${clockText(at)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** As the clock on the wall. */
export function clockText(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Enough for ids that are drawn at random. Those that begin with the time, made in the same minute, need more. */
const SHORT = 8;
const LONGEST = 20;

/**
 * So many characters of an id that people can tell it from others: those of a host's prefix (`ses_`), which is the same for
 * all, do not count.
 */
export function shortId(id: string, length = SHORT): string {
  const prefix = /^[a-z]{2,4}_/.exec(id)?.[0] ?? '';
  return id.slice(0, prefix.length + length);
}

/** How much of the ids, behind their prefix, tells them apart, so that a command takes what stands there. */
export function uniqueLength(ids: readonly string[]): number {
  for (let length = SHORT; length < LONGEST; length++) {
    if (new Set(ids.map((id) => shortId(id, length))).size === ids.length) return length;
  }
  return LONGEST;
}

/** $0.04, ≥$12.30, no price for some-model. Null: nothing of it is known. */
export function costText(cost: CostReport | null): string {
  if (cost === null) return 'not known';
  const { usd, isLowerBound, unpricedModels } = cost;
  if (usd === 0 && unpricedModels.length > 0) return unpricedText(unpricedModels);
  // At least nothing is no news.
  if (usd < 0.0001 && isLowerBound) return 'not known';
  return `${isLowerBound ? '≥' : ''}${dollars(usd)}`;
}

/** Beside the sum, where some of it is missing. */
export function missingPrices(cost: CostReport | null): string | undefined {
  if (cost === null || cost.usd === 0 || cost.unpricedModels.length === 0) return undefined;
  return unpricedText(cost.unpricedModels);
}

function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return 'under $0.0001';
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${Math.round(usd)}`;
}

function unpricedText(models: readonly string[]): string {
  return `no price for ${models.map(cleanLine).join(', ')}`;
}
