import { expect, it } from 'vitest';
import {
  buildTree,
  createLedger,
  mainAgentOf,
  reduce,
  selectIsLowerBound,
  selectTotalUsage,
  selectUnattributedUsage,
  toSessionId,
  toSourceId,
} from '../../core/index.ts';
import { agentIdOf } from './line-context.ts';
import { createTranscriptReader } from './read-transcript.ts';

// Which lines a `cost-state` is the sum of, by its `startTime` and `totalDuration`. Times are seconds.

const SESSION = toSessionId('claude-code', 's');
const MAIN = mainAgentOf(SESSION);

const reply = (at: number, output: number) => ({
  type: 'assistant',
  uuid: `u${at}`,
  timestamp: new Date(at * 1000).toISOString(),
  version: '2.1.325',
  message: {
    id: `m${at}`,
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    usage: { output_tokens: output },
    content: [],
  },
});
const cost = (from: number, seconds: number, output: number, model = 'm') => ({
  type: 'cost-state',
  startTime: from * 1000,
  totalDuration: seconds * 1000,
  modelUsage: { [model]: { outputTokens: output } },
});

function totalsOf(main: readonly object[], agent: readonly object[] = []) {
  const ledger = createLedger(SESSION);
  const read = (owner: typeof MAIN, file: string, lines: readonly object[]): void => {
    const reader = createTranscriptReader({
      session: SESSION,
      source: toSourceId(file),
      agent: owner,
      file: `/p/${file}`,
    });
    lines.forEach((line, index) => {
      const bytes = Buffer.from(JSON.stringify(line));
      const place = { offset: index * 10_000, length: bytes.length };
      for (const fact of reader.read({ bytes, ...place, torn: false, tooLong: false })) reduce(ledger, fact);
    });
  };
  read(MAIN, 's.jsonl', main);
  read(agentIdOf('a1'), 'agent-a1.jsonl', agent);
  const tree = buildTree(ledger, { now: 1e12 });
  return {
    output: selectTotalUsage(tree).output,
    unattributed: selectUnattributedUsage(tree)?.output,
    isLowerBound: selectIsLowerBound(tree),
  };
}

it('leaves out what an agent did after /clear, which wrote the sum', () => {
  const main = [reply(110, 5), cost(100, 20, 18)];
  // The agent went on; the sum was written at 120.
  expect(totalsOf(main, [reply(115, 6), reply(125, 50)])).toMatchObject({ output: 68, unattributed: 7 });
});

it('holds what an agent did between the last line of main and the end of a resumed process', () => {
  // The second process ran for 40 s, and began before its first line at 500.
  const main = [reply(110, 5), cost(100, 20, 5), reply(500, 5), cost(100, 60, 23)];
  expect(totalsOf(main, [reply(530, 6)])).toMatchObject({ output: 23, unattributed: 7 });
  expect(totalsOf([...main, reply(900, 50)], [reply(530, 6)])).toMatchObject({ output: 73, unattributed: 7 });
});

it('begins anew after a kill', () => {
  expect(totalsOf([reply(110, 5), reply(500, 5), cost(490, 20, 12)])).toMatchObject({ output: 17, unattributed: 7 });
});

it('counts a model with a large window under the name of its replies', () => {
  expect(totalsOf([reply(110, 5), cost(100, 20, 5, 'm[1m]')])).toMatchObject({ output: 5, unattributed: undefined });
});

it('counts a title as one request, however often it is written', () => {
  const title = { type: 'ai-title', aiTitle: 'Title' };
  const closed = { isLowerBound: false, output: 7, unattributed: 2 };
  expect(totalsOf([title, reply(110, 5), title, cost(100, 20, 7)])).toEqual(closed);
  expect(totalsOf([title, reply(110, 5), cost(100, 20, 7), title])).toEqual(closed);
  expect(totalsOf([title, reply(110, 5)])).toMatchObject({ isLowerBound: true, output: 5 });
});

const prompt = (at: number, version: string, entrypoint?: string) => ({
  type: 'user',
  uuid: `p${at}`,
  timestamp: new Date(at * 1000).toISOString(),
  version,
  entrypoint,
  message: { role: 'user', content: 'Look.' },
});

it.each([
  ['1.0.60', undefined, true],
  ['2.0.76', undefined, true],
  ['2.1.62', undefined, true],
  ['2.1.63', undefined, true],
  ['2.1.81', 'sdk-cli', false],
  ['2.1.121', 'cli', true],
  ['2.1.122', 'cli', false],
])('says of %s (%s) whether requests are in no transcript: %s', (version, entrypoint, isLowerBound) => {
  const answer = { ...reply(110, 5), version };
  expect(totalsOf([prompt(109, version, entrypoint), answer])).toMatchObject({ output: 5, isLowerBound });
});

it.each([
  ['2.1.62', true],
  ['2.1.63', false],
])('takes a queued prompt of %s for that of a headless run: %s', (version, isLowerBound) => {
  const queued = ['enqueue', 'dequeue'].map((operation) => ({ type: 'queue-operation', operation, content: 'Look.' }));
  const firstTurn = [...queued, prompt(109, version), { ...reply(110, 5), version }];
  expect(totalsOf(firstTurn)).toMatchObject({ output: 5, isLowerBound });
  const typed = [prompt(119, version), { ...reply(120, 5), version }];
  expect(totalsOf([...firstTurn, ...typed])).toMatchObject({ output: 10, isLowerBound: true });
});

it('counts requests that are in no transcript when a later sum holds them', () => {
  const answer = { ...reply(110, 5), version: '2.1.62' };
  expect(totalsOf([prompt(109, '2.1.62'), answer, cost(100, 20, 7)])).toMatchObject({ output: 7, isLowerBound: false });
});
