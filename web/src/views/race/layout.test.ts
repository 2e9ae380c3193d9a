import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentReport, computeAt, isAtWork, type SessionDetail } from '../../../../src/core/index.ts';
import { makeAgent, makeSession } from '../../testing/make.ts';
import { type Folds, NO_FOLDS, setFinishedOpen, setFolded } from './facts.ts';
import { columnsFor } from './geometry.ts';
import { createLayout, type Layout, type LayoutOptions, placesWithin } from './layout.ts';
import { openRecording } from './testing/open-recording.mjs';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

function layOut(sessions: readonly SessionDetail[], over: Partial<LayoutOptions> = {}): Layout {
  return createLayout()(sessions, optionsOf(over));
}

function optionsOf(over: Partial<LayoutOptions> = {}): LayoutOptions {
  const { heights } = columnsFor(1000);
  return { now: NOW, folds: NO_FOLDS, kept: new Set(), heights, isReplay: false, opensEarlier: undefined, ...over };
}

/** `name+2` has two folded below it, `name✓3` three that are finished. */
function lanesOf({ blocks }: Layout): readonly string[] {
  return blocks.flatMap(({ block }) =>
    block.lanes.map(({ agent, depth, chip }) => {
      const sign = chip ? `${chip.kind === 'folded' ? '+' : '✓'}${chip.tally.agents}` : '';
      return `${'  '.repeat(depth)}${agent.id}${sign}`;
    }),
  );
}

const keyOf = (id: string): string => `s1/${id}`;
const running = (over: Partial<AgentReport>): Partial<AgentReport> => ({ status: 'running', ...over });
const done = (ms: number, over: Partial<AgentReport> = {}): Partial<AgentReport> => ({
  status: 'completed',
  activity: 'done',
  completedAt: ago(ms),
  ...over,
});

describe('lanes', () => {
  it('of the demo are the tree of its agents, and all of them are done', async () => {
    const { detail } = await openRecording('demo');
    const end = Date.parse(detail.lastActivityAt ?? '');
    const lanes = lanesOf(layOut([detail], { now: end + 1000 }));
    expect(lanes[0]).toMatch(/✓\d+$/);
    expect(layOut([detail], { now: end + 29 * 60_000 }).blocks[0]?.block.lanes[0]?.chip?.tally).toMatchObject({
      agents: 9,
      standings: new Map([
        ['completed', 7],
        ['failed', 1],
        ['stopped', 1],
      ]),
    });
  });

  it('grow below their parents while a session is played', async () => {
    const { detail, timeline } = await openRecording('2.1.325-nested-deep');
    const leaf = detail.subagents.find(({ depth }) => depth === 3);
    const at = Date.parse(leaf?.startedAt ?? '') + 20;
    const { blocks } = layOut([computeAt(detail, timeline, at)], { now: at, isReplay: true });
    expect(blocks[0]?.block.lanes.map(({ depth }) => depth)).toEqual([0, 1, 2, 3]);
    expect(blocks[0]?.block.lanes.map(({ below }) => below.busy)).toEqual([3, 2, 1, 0]);
  });

  it('deeper than three fold into the one above, and open when asked', () => {
    const chain = [1, 2, 3, 4, 5].map((n) => running({ id: `a${n}`, parentId: n === 1 ? 's1' : `a${n - 1}` }));
    const session = makeSession({}, chain);
    expect(lanesOf(layOut([session]))).toEqual(['s1', '  a1', '    a2', '      a3+2']);
    const folds = setFolded(NO_FOLDS, keyOf('a3'), false);
    expect(lanesOf(layOut([session], { folds })).slice(3)).toEqual(['      a3', '        a4+1']);
    expect(lanesOf(layOut([session], { folds: setFolded(NO_FOLDS, keyOf('a1'), true) }))).toEqual(['s1', '  a1+4']);
  });

  it('of finished ones stay for half a minute, then go into a chip that opens', () => {
    const session = makeSession({ lastActivityAt: ago(0) }, [done(29_000), done(31_000), running({})]);
    expect(lanesOf(layOut([session]))).toEqual(['s1✓1', '  a1', '  a3']);
    expect(lanesOf(layOut([session], { now: NOW + 1000 }))).toEqual(['s1✓2', '  a3']);
    const folds = setFinishedOpen(NO_FOLDS, keyOf('s1'), true);
    expect(lanesOf(layOut([session], { folds }))).toEqual(['s1✓1', '  a1', '  a2', '  a3']);
  });

  it('of failed ones stay longer', () => {
    const failed = done(60_000, { status: 'failed' });
    const session = makeSession({ lastActivityAt: ago(0) }, [failed]);
    expect(lanesOf(layOut([session]))).toEqual(['s1', '  a1']);
    expect(lanesOf(layOut([session], { now: NOW + 5 * 60_000 }))).toEqual(['s1✓1']);
  });

  it('stay while somebody below is at work, or while they are looked at', () => {
    const above = makeSession({ lastActivityAt: ago(0) }, [done(90_000), running({ parentId: 'a1' })]);
    expect(lanesOf(layOut([above]))).toEqual(['s1', '  a1', '    a2']);
    const kept = new Set([keyOf('a2')]);
    const below = makeSession({ lastActivityAt: ago(0) }, [done(90_000), done(90_000, { parentId: 'a1' })]);
    expect(lanesOf(layOut([below], { kept }))).toEqual(['s1', '  a1', '    a2']);
  });

  it('of orphans, and of agents that name each other as parents, stand below the main agent', () => {
    const session = makeSession({}, [
      running({ parentId: null }),
      running({ parentId: 'nobody' }),
      running({ id: 'x', parentId: 'y' }),
      running({ id: 'y', parentId: 'x' }),
      running({ id: 'z', parentId: 'z' }),
    ]);
    expect(lanesOf(layOut([session]))).toEqual(['s1', '  a1', '  a2', '  z', '  x', '    y']);
  });
});

describe('sessions', () => {
  const at = (id: string, started: number, active: number): SessionDetail =>
    makeSession({ id, startedAt: ago(started), lastActivityAt: ago(active) });

  it('are in the race for half an hour, the newest first; the others wait behind a row', () => {
    const sessions = [at('old', 9e6, 2e6), at('first', 5e6, 1000), at('second', 4e6, 60_000)];
    const { blocks, earlier } = layOut(sessions);
    expect(blocks.map(({ block }) => block.session.id)).toEqual(['second', 'first']);
    expect(earlier).toMatchObject({ count: 1, isOpen: false });
    expect(lanesOf(layOut(sessions, { opensEarlier: true }))).toEqual(['second', 'first', 'old']);
  });

  it('that are at work are in it however silent they are', () => {
    const silent = makeSession({ lastActivityAt: ago(9e6) }, [running({ stalled: true })]);
    expect(layOut([silent]).earlier).toBeUndefined();
  });

  it('from before are open where nobody is in the race', () => {
    expect(lanesOf(layOut([at('old', 9e6, 2e6)]))).toEqual(['old']);
    expect(layOut([at('old', 9e6, 2e6)], { opensEarlier: false }).blocks).toEqual([]);
  });

  it('keep their places when they are active', () => {
    const before = layOut([at('a', 2000, 1000), at('b', 3000, 500)]);
    const after = layOut([at('b', 3000, 0), at('a', 2000, 1000)]);
    expect(lanesOf(after)).toEqual(lanesOf(before));
  });
});

describe('what did not change', () => {
  it('is the same object as before', () => {
    const layoutOf = createLayout();
    const one = makeSession({ id: 's1', lastActivityAt: ago(0) }, [running({}), running({})]);
    const two = makeSession({ id: 's2', lastActivityAt: ago(0) }, [running({})]);
    const options = optionsOf();
    const before = layoutOf([one, two], options);
    expect(layoutOf([one, two], { ...options, now: NOW + 1000 })).toBe(before);
    const changed = { ...one, subagents: one.subagents.map((agent, n) => (n === 1 ? { ...agent } : agent)) };
    const after = layoutOf([changed, two], options);
    expect(after.blocks[1]?.block).toBe(before.blocks[1]?.block);
    expect(after.blocks[0]?.block.lanes[1]).toBe(before.blocks[0]?.block.lanes[1]);
    expect(after.blocks[0]?.block.lanes[2]).not.toBe(before.blocks[0]?.block.lanes[2]);
  });

  it('is laid out anew when somebody’s time is over', () => {
    const layoutOf = createLayout();
    const session = makeSession({ lastActivityAt: ago(0) }, [done(20_000)]);
    expect(lanesOf(layoutOf([session], optionsOf()))).toEqual(['s1', '  a1']);
    expect(lanesOf(layoutOf([session], optionsOf({ now: NOW + 11_000 })))).toEqual(['s1✓1']);
  });
});

describe('any session', () => {
  const agents = fc.array(
    fc.record({
      parent: fc.nat(30),
      status: fc.constantFrom('spawning', 'running', 'waiting', 'completed', 'failed', 'stopped', 'unknown' as const),
      endedMs: fc.option(fc.nat(900_000), { nil: null }),
    }),
    { maxLength: 30 },
  );
  const session = agents.map((list) =>
    makeSession(
      { lastActivityAt: ago(0) },
      list.map(({ parent, status, endedMs }) => ({
        // Also parents that come later, are not there, or are below: anything may be written.
        parentId: parent === 0 ? 's1' : `a${parent}`,
        status: status as AgentReport['status'],
        completedAt: endedMs === null ? null : ago(endedMs),
      })),
    ),
  );
  const folds = fc
    .array(fc.tuple(fc.nat(30), fc.constantFrom('fold', 'unfold', 'finished')), { maxLength: 8 })
    .map((list) =>
      list.reduce<Folds>((all, [n, what]) => {
        const key = keyOf(n === 0 ? 's1' : `a${n}`);
        return what === 'finished' ? setFinishedOpen(all, key, true) : setFolded(all, key, what === 'fold');
      }, NO_FOLDS),
    );

  it('has every agent once: in a lane, or counted in one chip; who is at work is never among the finished', () => {
    fc.assert(
      fc.property(session, folds, (detail, chosen) => {
        const lanes = layOut([detail], { folds: chosen }).blocks.flatMap(({ block }) => block.lanes);
        const ids = lanes.map(({ agent }) => agent.id);
        expect(new Set(ids).size).toBe(ids.length);
        const closed = lanes.flatMap(({ chip }) => (chip && !chip.isOpen ? [chip] : []));
        const counted = closed.reduce((sum, { tally }) => sum + tally.agents, 0);
        expect(ids.length + counted).toBe(detail.subagents.length + 1);
        const working = detail.subagents.filter(({ status }) => isAtWork(status));
        const inLanes = lanes.filter(({ agent }) => agent.kind !== 'main' && isAtWork(agent.status)).length;
        const folded = closed.filter(({ kind }) => kind === 'folded').reduce((sum, { tally }) => sum + tally.busy, 0);
        expect(inLanes + folded).toBe(working.length);
        expect(closed.filter(({ kind, tally }) => kind === 'finished' && tally.busy > 0)).toEqual([]);
      }),
    );
  });

  it('has lanes one below the other without gap or overlap, and a window finds exactly those it touches', () => {
    fc.assert(
      fc.property(session, fc.nat(900), fc.nat(400), (detail, from, height) => {
        const layout = layOut([detail, makeSession({ id: 's2', main: makeAgent({ id: 's2', kind: 'main' }) })]);
        for (const { block } of layout.blocks) {
          let y = 0;
          for (const lane of block.lanes) {
            expect(lane.y).toBe(y);
            y += lane.height;
          }
          expect(block.height).toBe(y);
        }
        const all = [...layout.places.values()];
        const touched = all.filter(({ y, lane }) => y <= from + height && y + lane.height > from);
        expect(placesWithin(layout, from, from + height).map(({ lane }) => lane.key)).toEqual(
          touched.map(({ lane }) => lane.key),
        );
      }),
    );
  });
});
