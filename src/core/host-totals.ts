// The host's own sums against ours: usage of requests that no message holds, and requests whose usage nobody wrote down.

import { groupBy } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import type { Diagnostic, HostTotal } from './events.ts';
import { copyTimeOf, type MessageRecord, type Said, type SessionLedger } from './ledger.ts';
import {
  addByModel,
  addTo,
  addUsage,
  type ModelUsage,
  NO_USAGE,
  slotOf,
  type TimedUsage,
  type Usage,
  type UsageSum,
} from './usage.ts';

export interface Unattributed {
  /** Counted by the host in requests that no message holds; left out where there is none. */
  readonly unattributed?: readonly TimedUsage[];
  /** The host's sums, if it says what they cost. */
  readonly hostTotals?: readonly ModelUsage[];
  /** Some requests stand in no message, and no sum of the host holds them. */
  readonly hasUncounted: boolean;
  readonly problems: readonly Diagnostic[];
}

/**
 * Compares every sum of the host with the messages of the same span. A message is never counted twice: where ours is more
 * (a request that was cut off is in the transcript, and not in the host's sum), ours stays.
 */
export function compareTotals(ledger: SessionLedger): Unattributed {
  const spans = spansOf(ledger);
  const missing: TimedUsage[] = [];
  const problems: Diagnostic[] = [];
  for (const span of spans) {
    const ours = [...sumByModel(repliesIn(ledger, span))];
    const [host, own] = [sumOf(span.byModel), sumOf(ours.map(([model, usage]) => ({ model, usage })))];
    if (COUNTED.some((field) => host[field] < own[field]))
      problems.push({ code: 'total-below-sum', detail: `${host.output} of ${own.output} output tokens` });
    // Nobody wrote down when: in the span, as it ended.
    for (const one of splitByModel(host, own, span.byModel, new Map(ours)))
      missing.push({ at: slotOf(span.until), ...one });
  }
  const unattributed = [...missing, ...besidesMessages(ledger)];
  const hostTotals = spans.map(({ byModel }) => byModel.filter(({ billed }) => billed)).reduce(addByModel, []);
  return {
    ...(unattributed.length > 0 && { unattributed }),
    ...(hostTotals.length > 0 && { hostTotals }),
    hasUncounted: hasUncounted(ledger, spans),
    problems,
  };
}

/** By no model: the host's sums do not say which one these requests went to. */
function besidesMessages({ unattributed }: SessionLedger): readonly TimedUsage[] {
  return [...(unattributed?.values() ?? [])]
    .filter(({ value: { usage } }) => FIELDS.some((field) => usage[field] > 0))
    .map(({ at, value: { usage, nanoUsd } }) => ({
      at: slotOf(at || undefined),
      model: '',
      usage,
      ...(nanoUsd !== undefined && { billed: { nanoUsd, usage } }),
    }));
}

function hasUncounted(ledger: SessionLedger, spans: readonly Span[]): boolean {
  const { hiddenRequests, agents } = ledger;
  if (!hiddenRequests) return false;
  const copiedAt = copyTimeOf(ledger) ?? 0;
  // One without a time was sent as the session began.
  const isCovered = (at: number | undefined): boolean =>
    spans.some(({ from, until }, index) => (at === undefined ? index === 0 : from <= at && at <= until));
  const open = [...hiddenRequests.values()].filter(({ at }) => (at ?? 0) >= copiedAt && !isCovered(at));
  const written = groupBy(agents.values(), ({ internal }) => internal?.value);
  return [...groupBy(open, ({ purpose }) => purpose)].some(
    ([purpose, requests]) => requests.length > (written.get(purpose)?.length ?? 0),
  );
}

interface Span {
  readonly from: number;
  readonly until: number;
  readonly byModel: readonly ModelUsage[];
}

function spansOf(ledger: SessionLedger): readonly Span[] {
  const { totals = new Map<number, Said<HostTotal>>(), inheritedTotals, emptiedAt = 0 } = ledger;
  const copiedAt = copyTimeOf(ledger);
  return [...totals]
    .sort(([a], [b]) => a - b)
    .flatMap(([from, { value: total, at }], index, all) => {
      const { byModel, durationMs = 0 } = total;
      // The last one was written as the process left the session, at the latest.
      const until = index === all.length - 1 ? Math.max(at, emptiedAt) : at;
      if (!goesOnFromOrigin(from, ledger)) return { from, until, byModel };
      // The program went on with the sum of the session that this one is a copy of.
      const before = inheritedTotals?.get(from);
      if (!before) return [];
      const begun = copiedAt ?? from;
      const ended = emptiedAt > 0 ? until : begun + durationMs - (before.durationMs ?? durationMs);
      return { from: begun, until: Math.max(until, ended), byModel: subtract(byModel, before.byModel) };
    });
}

function goesOnFromOrigin(from: number, ledger: SessionLedger): boolean {
  const copiedAt = copyTimeOf(ledger);
  if (copiedAt === undefined) return false;
  return [...ledger.messages.values()].some(({ at }) => at !== undefined && from <= at && at < copiedAt);
}

function subtract(all: readonly ModelUsage[], before: readonly ModelUsage[]): readonly ModelUsage[] {
  const counted = new Map(before.map((one) => [one.model, one]));
  return all.map(({ model, usage: whole, billed }) => {
    const { usage: part = NO_USAGE, billed: billedBefore } = counted.get(model) ?? {};
    const usage = addTo({ ...whole }, part, -1);
    return {
      model,
      usage,
      ...(billed && { billed: { nanoUsd: billed.nanoUsd - (billedBefore?.nanoUsd ?? 0), usage } }),
    };
  });
}

type Reply = Pick<MessageRecord, 'usage' | 'at'> & { readonly model?: string | undefined };

function repliesIn({ messages, elsewhere }: SessionLedger, { from, until }: Span): readonly Reply[] {
  const own = [...messages.values()].map(({ usage, at, model }) => ({ model: model?.value, ...known({ usage, at }) }));
  return [...own, ...(elsewhere?.values() ?? [])].filter(({ at }) => at === undefined || (from <= at && at <= until));
}

function sumByModel(replies: readonly Reply[]): ReadonlyMap<string, UsageSum> {
  const sums = new Map<string, UsageSum>();
  for (const { usage, model = '' } of replies)
    if (usage) sums.set(model, addTo(sums.get(model) ?? { ...NO_USAGE }, usage, 1));
  return sums;
}

const FIELDS = Object.keys(NO_USAGE) as readonly (keyof Usage)[];
/** Not every version splits cache writes by their life. */
const COUNTED = ['input', 'output', 'cacheRead', 'cacheWrite'] as const satisfies readonly (keyof Usage)[];

function sumOf(all: readonly ModelUsage[]): Usage {
  return all.map(({ usage }) => usage).reduce(addUsage, NO_USAGE);
}

/** By the model of the host's sum; never more than is missing in all, for a model may go by two names. */
function splitByModel(
  host: Usage,
  own: Usage,
  counted: readonly ModelUsage[],
  ours: ReadonlyMap<string, Usage>,
): readonly ModelUsage[] {
  const left: UsageSum = { ...NO_USAGE };
  for (const field of FIELDS) left[field] = Math.max(0, host[field] - own[field]);
  return counted.toSorted(byName).flatMap(({ model, usage }) => {
    const missing: UsageSum = { ...NO_USAGE };
    for (const field of FIELDS) {
      missing[field] = Math.min(left[field], Math.max(0, usage[field] - (ours.get(model)?.[field] ?? 0)));
      left[field] -= missing[field];
    }
    return FIELDS.some((field) => missing[field] > 0) ? [{ model, usage: missing }] : [];
  });
}

function byName(a: ModelUsage, b: ModelUsage): number {
  return a.model < b.model ? -1 : 1;
}
