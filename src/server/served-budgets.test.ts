import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import {
  applyEvent,
  type LiveSnapshot,
  type LiveTrees,
  nativeId,
  type Sessions,
  toSessionId,
  toToolCallId,
} from '../core/index.ts';
import { type Budget, BudgetJudge } from '../guard/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { until } from '../lib/testing/waiting.ts';
import { createLive, joinLive, type Live, startTracker } from '../sessions/index.ts';
import { filesBelow } from '../sessions/testing/files-below.ts';
import { AlertedTrees, LiveUsage } from './served-budgets.ts';

const RECORDING = fileURLToPath(new URL('../hosts/claude-code/fixtures/2.1.325-nested-deep', import.meta.url));

let live: Pick<Live, 'close'> | undefined;
afterEach(() => live?.close());

it('shows alerts with their session, each once, to those who look already and to those who come later', async () => {
  const root = makeTemporaryFolder('alerts');
  cpSync(RECORDING, root, { recursive: true });
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 100 };
  const tracker = startTracker([{ adapter: claudeCode, root, forced: false }], { clock: Date.now, window });
  const trees = new AlertedTrees(joinLive(tracker), () => {});
  const feed = createLive(trees);
  live = feed;
  let picture: LiveSnapshot | undefined;
  let changes = 0;
  feed.subscribe((event) => {
    picture = applyEvent(picture, event);
    if (event.type === 'change') changes++;
  });
  await until(() => picture?.isComplete && picture.sessions.length === 1, 'the session');
  const [session] = picture?.sessions ?? [];
  const alert = {
    id: 'x',
    state: 'warned',
    at: '2026-11-19T12:00:00Z',
    agentId: null,
    text: 'Nearly used up.',
  } as const;
  const before = changes;
  const id = toSessionId('claude-code', session?.id ?? '');
  trees.note(id, [alert]);
  trees.note(id, [alert]);
  trees.note(toSessionId('claude-code', 'another'), [alert]);
  expect(picture?.sessions.map(({ budgetAlerts }) => budgetAlerts)).toEqual([[alert]]);
  expect(changes).toBe(before + 1);
  expect(feed.snapshot().sessions[0]?.budgetAlerts).toEqual([alert]);
});

it('counts every turn that was written before the call, however short turns are', async () => {
  const root = makeTemporaryFolder('turns');
  cpSync(RECORDING, root, { recursive: true });
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 100 };
  const tracker = startTracker([{ adapter: claudeCode, root, forced: false }], { clock: Date.now, window });
  const trees: LiveTrees = joinLive(tracker);
  live = trees;
  await until(() => trees.listing().isComplete && trees.current().length === 1, 'the session');
  const [{ id: session } = { id: toSessionId('claude-code', '') }] = trees.current();
  const noSessions = { list: async () => ({ trees: [], problems: [] }) } as unknown as Sessions;
  const judge = new BudgetJudge(new LiveUsage(trees, noSessions, Date.now), makeTemporaryFolder('raised'));
  const agent = { id: nativeId(session), kind: 'main', type: null, name: null, depth: 0 } as const;
  const budget: Budget = {
    ...{
      id: 'user:budget:1',
      scope: 'user',
      name: 'x',
      place: { file: '/p.yaml', line: 2 },
      agents: null,
      project: null,
    },
    ...{ per: 'agent', limits: { turns: 1 }, count: ['output'], warn: 1, onLimit: 'deny', grace: 0 },
  };
  const file = filesBelow(root).find((one) => path.basename(one) === `${nativeId(session)}.jsonl`) ?? '';
  const reply =
    readFileSync(file, 'utf8')
      .split('\n')
      .find((line) => line.includes('"type":"assistant"')) ?? '';
  const counted: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const { message, ...record } = JSON.parse(reply);
    const next = { ...record, uuid: `turn-${turn}`, message: { ...message, id: `msg_turn_${turn}` } };
    appendFileSync(file, `${JSON.stringify(next)}\n`);
    const verdict = await judge.judge({
      event: {
        ...{ host: 'claude-code', name: 'PreToolUse', session, caller: { named: 'nobody' } },
        call: { tool: 'Bash', input: {}, spawns: false, id: toToolCallId(`call-${turn}`) },
      },
      readings: [{ agent, ancestors: [] }],
      project: undefined,
      policies: [{ budgets: [budget], onError: 'ask', isHandsOff: false }],
      at: Date.now(),
    });
    counted.push(Number(/used up: (\d+) of/.exec(verdict?.reason ?? '')?.[1]));
  }
  const [before = 0] = counted;
  expect(counted).toEqual(Array.from({ length: 50 }, (_, turn) => before + turn));
});
