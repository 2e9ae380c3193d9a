import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionDetail } from '../../../../src/core/index.ts';
import { multiply } from '../../replay/testing/multiply.ts';
import { openRecorded } from '../../replay/testing/open-recorded.mjs';
import { foldForest, growForest } from './fold.ts';
import { type Box, CARD_WIDTH, type Layout, layOut, type Placed, renew, shapeOf } from './tree-layout.ts';

const NOW = Date.parse('2030-01-01');
const NOTHING = { folds: new Map<string, boolean>(), now: NOW, kept: new Set<string>() };

function show(session: SessionDetail, wish = NOTHING) {
  return foldForest(growForest(session), wish);
}

describe('places of recorded sessions', () => {
  const names = [
    '2.1.325-nested-deep',
    '2.1.325-workflow',
    '2.1.325-inter-team',
    '2.1.38-twins-hang',
    '2.1.325-parallel',
  ];

  it('are one for each agent, children to the right of their parent', async () => {
    for (const name of names) {
      const { detail } = await openRecorded(name);
      const { placed } = layOut(show(detail));
      expect(placed.map(({ item }) => item.key).sort()).toEqual(
        [detail.main, ...detail.subagents].map(({ id }) => id).sort(),
      );
      const byKey = new Map(placed.map((one) => [one.item.key, one]));
      for (const one of placed) if (one.parent) expect(one.x).toBeGreaterThan(byKey.get(one.parent)!.x + CARD_WIDTH);
      expectNoOverlap(layOut(show(detail)));
    }
  });

  it('frame a workflow by its name, and nobody else', async () => {
    const { detail } = await openRecorded('2.1.325-workflow');
    const { frames, placed } = layOut(show(detail));
    expect(frames).toMatchObject([{ kind: 'workflow', name: 'demo-flow' }]);
    const inside = placed.filter((one) => isInside(boxOf(one), frames[0]!));
    expect(inside.map(({ item }) => item.group?.name)).toEqual(['demo-flow', 'demo-flow', 'demo-flow']);
  });

  it('give those without a parent a corner below all others', async () => {
    const { detail } = await openRecorded('2.1.325-parallel');
    const orphaned = multiply(detail, 6, (index) => (index < 4 ? -1 : undefined));
    const { placed, orphansAt } = layOut(show(orphaned));
    const [linked, loose] = [placed.slice(0, 5), placed.slice(5)];
    expect(loose.map(({ parent, level }) => [parent, level])).toEqual([
      [undefined, 1],
      [undefined, 1],
    ]);
    const bottom = Math.max(...linked.map(({ y, height }) => y + height));
    expect(orphansAt!.y).toBeGreaterThan(bottom);
    for (const one of loose) expect(one.y).toBeGreaterThan(orphansAt!.y);
  });
});

describe('places of any tree', () => {
  it('never overlap, stay in order, and lie within the bounds', async () => {
    const { detail } = await openRecorded('2.1.325-parallel');
    fc.assert(
      fc.property(trees(160), (session) => {
        const layout = layOut(show(session));
        expectNoOverlap(layout);
        for (const one of [...layout.placed.map(boxOf), ...layout.frames])
          expect(isInside(one, layout.bounds)).toBe(true);
      }),
      { numRuns: 60 },
    );
    function trees(most: number): fc.Arbitrary<SessionDetail> {
      return fc
        .array(fc.record({ parent: fc.nat(), group: fc.option(fc.nat(2)), isOrphan: fc.boolean() }), {
          maxLength: most,
        })
        .map((agents) =>
          multiply(
            detail,
            agents.length,
            (index) =>
              agents[index]!.isOrphan && index % 7 === 0
                ? undefined
                : (agents[index]!.parent % Math.min(index + 1, agents.length % 2 === 0 ? 5 : index + 1)) - 1,
            (index) => ({ group: groupOf(agents[index]!.group), ...(index % 3 > 0 && { status: 'running' as const }) }),
          ),
        );
    }
  });

  it('stay where they are when another sibling comes at the end', async () => {
    const { detail } = await openRecorded('2.1.325-parallel');
    const before = layOut(show(multiply(detail, 6, () => -1)));
    const after = layOut(show(multiply(detail, 7, () => -1)));
    for (const one of before.placed.filter(({ level }) => level === 2))
      expect(after.placed.find(({ item }) => item.key === one.item.key)).toMatchObject({ x: one.x, y: one.y });
  });

  it('of many that carry nothing are packed, and a thousand of them are as wide as high', async () => {
    const { detail } = await openRecorded('2.1.325-parallel');
    const session = multiply(
      detail,
      1000,
      () => -1,
      () => ({ status: 'running', completedAt: null }),
    );
    const { bounds, placed, isDense } = layOut(show(session));
    expect(isDense).toBe(true);
    expect(new Set(placed.slice(1).map(({ pack }) => pack)).size).toBe(1);
    expect(bounds.height).toBeLessThan(2500);
    expect(bounds.width).toBeLessThan(7500);
  });

  it('do not depend on how anybody is doing', async () => {
    const { detail } = await openRecorded('2.1.325-nested');
    const calm = show(detail);
    const busy = show({ ...detail, main: { ...detail.main, status: 'running', currentTool: 'Bash' } });
    expect(shapeOf(busy)).toBe(shapeOf(calm));
    const layout = layOut(calm);
    const renewed = renew(layout, busy);
    expect(renewed.placed[0]).toMatchObject({ item: { agent: { currentTool: 'Bash' } }, y: layout.placed[0]!.y });
    expect(renewed.placed[1]).toBe(layout.placed[1]);
  });
});

function groupOf(number: number | null) {
  return number === null ? null : { id: `g${number}`, kind: 'workflow' as const, name: null };
}

function expectNoOverlap({ placed, frames }: Layout): void {
  const boxes = placed.map((one) => ({ one, box: boxOf(one) }));
  for (const [index, { box }] of boxes.entries())
    for (const other of boxes.slice(index + 1)) expect(isApart(box, other.box)).toBe(true);
  for (const frame of frames)
    for (const { one, box } of boxes)
      expect(isApart(box, frame) || `${one.parent ?? ''} ${one.item.group?.id}` === frame.key).toBe(true);
}

function boxOf({ x, y, height }: Placed): Box {
  return { x, y, width: CARD_WIDTH, height };
}

/** They do not even touch. */
function isApart(a: Box, b: Box): boolean {
  return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
}

function isInside(box: Box, outer: Box): boolean {
  const slack = 0.001;
  return (
    box.x >= outer.x - slack &&
    box.y >= outer.y - slack &&
    box.x + box.width <= outer.x + outer.width + slack &&
    box.y + box.height <= outer.y + outer.height + slack
  );
}
