// Nobody in their right mind presses these keys in this order; the screen must not care.

import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OpenedTranscript } from '../core/index.ts';
import { runsOf } from '../lib/testing/seed.ts';
import type { KeyName } from './keys.ts';
import { type OpenedWatch, openWatch } from './testing/open-watch.ts';
import { AT_WORK, pictureOf, recordedTranscripts, withAgents } from './testing/recorded.ts';
import { headsIn, loadScene, type Scene } from './testing/scene.ts';

let scene: Scene;
let transcript: OpenedTranscript;
beforeAll(async () => {
  scene = await loadScene();
  const id = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
  transcript = await recordedTranscripts('2.1.325-nested')(id, id);
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const SAFE_NAMES: readonly KeyName[] = [
  'up',
  'down',
  'left',
  'right',
  'pageup',
  'pagedown',
  'home',
  'end',
  'enter',
  'escape',
  'backspace',
  'tab',
  'ctrl-l',
];

const step = fc.oneof(
  fc.constantFrom(...SAFE_NAMES).map((name) => ({ kind: 'key' as const, key: name })),
  fc.constantFrom(...'jkhlgGzaS/nNf?x ').map((letter) => ({ kind: 'key' as const, key: `'${letter}` as const })),
  fc.record({
    kind: fc.constant('resize' as const),
    columns: fc.integer({ min: 1, max: 120 }),
    rows: fc.integer({ min: 1, max: 30 }),
  }),
  fc.record({ kind: fc.constant('work' as const), session: fc.nat(3), agent: fc.nat(4), isBusy: fc.boolean() }),
  fc.record({ kind: fc.constant('gone' as const), session: fc.nat(3) }),
  fc.record({ kind: fc.constant('all' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3000 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take({ screen, feed, wait }: OpenedWatch, one: Step): Promise<void> {
  const session = 'session' in one ? scene.sessions[one.session]! : undefined;
  switch (one.kind) {
    case 'key':
      return screen.press(one.key);
    case 'resize':
      return screen.resize(one);
    case 'wait':
      return wait(one.ms);
    case 'gone':
      return feed.emit({ type: 'gone', data: { sessionId: session!.id, host: session!.host } });
    case 'all':
      return feed.emit({ type: 'snapshot', data: pictureOf(scene.sessions) });
    case 'work':
      return feed.change(
        (before) =>
          withAgents(before, (_, index) =>
            index === one.agent ? (one.isBusy ? AT_WORK : { status: 'completed' as const }) : {},
          ),
        session!.id,
      );
  }
}

describe('random keys during random changes', () => {
  it('keep the frame within the screen, with one selected row in sight', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const opened = openWatch(
          pictureOf(scene.sessions),
          { columns: 80, rows: 24 },
          { transcript: async () => transcript },
        );
        for (const one of steps) {
          await take(opened, one);
          const lines = await opened.look();
          const { columns, rows } = opened.screen.size();
          expect(lines).toHaveLength(rows);
          expect(opened.screen.terminal.overflows()).toBe(0);
          const isTable = columns >= 20 && rows >= 8 && lines[1]?.includes('agent') && !lines[0]?.startsWith('‹');
          if (isTable) expect(lines.filter((line) => line.startsWith('›'))).toHaveLength(1);
        }
        opened.screen.press('ctrl-c');
        await opened.done;
      }),
      { numRuns: runsOf(60) },
    );
  });

  it('keep the order of sessions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const opened = openWatch(pictureOf(scene.sessions), { columns: 80, rows: 60 });
        const first = headsIn(await opened.rows()).map((head) => head.slice(2));
        const calm = steps.filter(
          ({ kind, ...rest }) =>
            kind === 'work' ||
            kind === 'wait' ||
            (kind === 'key' && 'key' in rest && /^'[jkhlz ]|up|down$/.test(rest.key)),
        );
        for (const one of calm) await take(opened, one);
        expect(headsIn(await opened.rows()).map((head) => head.slice(2))).toEqual(first);
        opened.screen.press('ctrl-c');
        await opened.done;
      }),
      { numRuns: runsOf(30) },
    );
  });
});
