import type { SourceId } from './ids.ts';
import type { CallRecord, MessageRecord } from './ledger.ts';
import { type ModelUsage, NO_USAGE, type Usage } from './usage.ts';

/**
 * Running sums over the calls and messages of one agent: a line changes one of them, and an agent of a long day has fifty
 * thousand. What a changed record counted before is taken off first.
 */
export interface Tally {
  readonly usage: Usage;
  /** Sorted by name. Messages that name no model are left out. */
  usageByModel(): readonly ModelUsage[];
  /** Messages of which only the numbers of their start are known. */
  readonly placeholders: number;
  /** Asked for, and without a result. */
  readonly unended: ReadonlySet<CallRecord>;
  /** The last reply that names a model. */
  lastRequest(): MessageRecord | undefined;
  addMessage(message: MessageRecord): void;
  /** Before it changes. It must be added again, and its place must not have changed: places are not taken off. */
  takeMessage(message: MessageRecord): void;
  /** After it changed. */
  noteCall(call: CallRecord): void;
}

interface ModelSum {
  readonly usage: Sum;
  messages: number;
  billed?: { nanoUsd: number; readonly usage: Sum };
  bills: number;
}

/** Added to in place: a sum of its own for each of a hundred thousand messages would be most of the garbage. */
type Sum = { -readonly [Key in keyof Usage]: Usage[Key] };

function addTo(sum: Sum, { input, output, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h }: Usage, times: 1 | -1) {
  sum.input += times * input;
  sum.output += times * output;
  sum.cacheRead += times * cacheRead;
  sum.cacheWrite += times * cacheWrite;
  sum.cacheWrite5m += times * cacheWrite5m;
  sum.cacheWrite1h += times * cacheWrite1h;
}

export function createTally(calls: Iterable<CallRecord>, messages: Iterable<MessageRecord>): Tally {
  const usage: Sum = { ...NO_USAGE };
  let placeholders = 0;
  const byModel = new Map<string, ModelSum>();
  const unended = new Set<CallRecord>();
  const begins = new Map<SourceId, number>();
  const lastIn = new Map<SourceId, MessageRecord>();

  const countModel = (model: string, used: Usage, nanoUsd: number | undefined, step: 1 | -1): void => {
    let sum = byModel.get(model);
    if (!sum) {
      sum = { usage: { ...NO_USAGE }, messages: 0, bills: 0 };
      byModel.set(model, sum);
    }
    addTo(sum.usage, used, step);
    sum.messages += step;
    if (nanoUsd !== undefined) {
      sum.bills += step;
      sum.billed ??= { nanoUsd: 0, usage: { ...NO_USAGE } };
      sum.billed.nanoUsd += step * nanoUsd;
      addTo(sum.billed.usage, used, step);
    }
    if (sum.messages === 0) byModel.delete(model);
  };
  const tally: Tally = {
    get usage() {
      return { ...usage };
    },
    get placeholders() {
      return placeholders;
    },
    unended,
    usageByModel: () =>
      [...byModel]
        .map(([model, { usage: sum, billed, bills }]) => ({
          model,
          usage: { ...sum },
          ...(billed && bills > 0 && { billed: { ...billed, usage: { ...billed.usage } } }),
        }))
        .sort((a, b) => (a.model < b.model ? -1 : 1)),
    lastRequest() {
      let last: MessageRecord | undefined;
      for (const message of lastIn.values()) if (!last || isBehind(message, last, begins)) last = message;
      return last;
    },
    addMessage(message) {
      const { origin, at = 0, usage: used, model } = message;
      begins.set(origin.source, Math.min(begins.get(origin.source) ?? at, at));
      if (!used) return;
      addTo(usage, used, 1);
      if (message.placeholder) placeholders++;
      if (!model) return;
      countModel(model.value, used, message.nanoUsd, 1);
      const last = lastIn.get(origin.source);
      if (!last || last.origin.offset < origin.offset) lastIn.set(origin.source, message);
    },
    takeMessage({ usage: used, placeholder, model, nanoUsd }) {
      if (!used) return;
      addTo(usage, used, -1);
      if (placeholder) placeholders--;
      if (model) countModel(model.value, used, nanoUsd, -1);
    },
    noteCall(call) {
      if (call.started && !call.ended) unended.add(call);
      else unended.delete(call);
    },
  };
  for (const call of calls) tally.noteCall(call);
  for (const message of messages) tally.addMessage(message);
  return tally;
}

/**
 * In the order of the file, not of the clock: 4 % of the time stamps of the recorded corpus run backwards. Of several
 * files, the one that begins first comes first.
 */
function isBehind(
  { origin: a }: MessageRecord,
  { origin: b }: MessageRecord,
  begins: ReadonlyMap<SourceId, number>,
): boolean {
  if (a.source === b.source) return a.offset > b.offset;
  const difference = (begins.get(a.source) ?? 0) - (begins.get(b.source) ?? 0);
  return difference === 0 ? a.source > b.source : difference > 0;
}
