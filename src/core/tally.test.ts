import { expect, it } from 'vitest';
import { toAgentId, toSourceId } from './ids.ts';
import type { MessageRecord } from './ledger.ts';
import { Tally } from './ledger-index.ts';
import type { Usage } from './usage.ts';

const AGENTS = new Set([toAgentId('test', 'a')]);
const SOURCE = toSourceId('s');

/** The same numbers each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

type Random = ReturnType<typeof createRandom>;

const usageOf = (random: Random): Usage => ({
  input: random(100),
  output: random(100),
  cacheRead: random(400_000),
  cacheWrite: random(1_000),
  cacheWrite5m: random(10),
  cacheWrite1h: random(10),
});

/** With its place, which does not change, and anything that a line may say of it. */
function messageOf(offset: number, random: Random): MessageRecord {
  const origin = { source: SOURCE, offset, length: 1 };
  const model = { value: ['one', 'another', 'gpt-5.5'][random(3)] ?? '', at: offset, origin };
  return {
    id: `message ${offset}`,
    role: 'assistant',
    agents: AGENTS,
    placeholder: random(4) === 0,
    origin,
    copied: false,
    at: offset * 400_000,
    ...(random(5) > 0 && { usage: usageOf(random) }),
    ...(random(5) > 0 && { model }),
    ...(random(2) > 0 && { nanoUsd: random(1_000_000) }),
  } as MessageRecord;
}

const sumsOf = (tally: Tally) => ({
  usage: tally.usage,
  byTime: tally.usageByTime(),
  placeholders: tally.placeholders,
});

it.each([1, 2, 3, 4, 5])('running sums equal a fresh count and do not change afterwards: %i', (seed) => {
  const random = createRandom(seed);
  const messages: MessageRecord[] = [];
  const tally = new Tally([], []);
  const told: { readonly sums: ReturnType<typeof sumsOf>; readonly text: string }[] = [];
  for (let step = 0; step < 400; step++) {
    const at = random(30);
    const before = messages[at];
    if (before) tally.takeMessage(before);
    const next = messageOf(before ? at : messages.length, random);
    messages[before ? at : messages.length] = next;
    tally.addMessage(next);
    const sums = sumsOf(tally);
    expect(sums).toEqual(sumsOf(new Tally([], messages)));
    told.push({ sums, text: JSON.stringify(sums) });
  }
  for (const { sums, text } of told) expect(JSON.stringify(sums)).toBe(text);
});
