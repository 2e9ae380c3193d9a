import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { applyEvent, type LiveSnapshot, toSessionId } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { until } from '../lib/testing/waiting.ts';
import { createLive, joinLive, type Live, startTracker } from '../sessions/index.ts';
import { AlertedTrees } from './served-budgets.ts';

const RECORDING = fileURLToPath(new URL('../hosts/claude-code/fixtures/2.1.325-nested-deep', import.meta.url));

let live: Live | undefined;
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
