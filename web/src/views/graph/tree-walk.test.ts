import { describe, expect, it } from 'vitest';
import { openRecorded } from '../../replay/testing/open-recorded.mjs';
import { foldForest, growForest } from './fold.ts';
import { stepBy } from './stage-input.ts';
import { layOut } from './tree-layout.ts';

async function open(folds: ReadonlyMap<string, boolean> = new Map()) {
  const { detail } = await openRecorded('2.1.325-nested-deep');
  const ids = [detail.main, ...detail.subagents].map(({ id }) => id);
  return { ids, placed: layOut(foldForest(growForest(detail), { folds, now: 0, kept: new Set() })).placed };
}

describe('arrow keys in the tree', () => {
  it('go down and up through all that is shown, and stop at the ends', async () => {
    const { ids, placed } = await open();
    expect(stepBy('ArrowDown', placed, ids[0]!)).toEqual({ focus: ids[1] });
    expect(stepBy('ArrowUp', placed, ids[1]!)).toEqual({ focus: ids[0] });
    expect(stepBy('ArrowUp', placed, ids[0]!)).toEqual({});
    expect(stepBy('End', placed, ids[0]!)).toEqual({ focus: ids.at(-1) });
    expect(stepBy('Home', placed, ids[3]!)).toEqual({ focus: ids[0] });
  });

  it('to the left fold, then go to the parent', async () => {
    const { ids, placed } = await open();
    expect(stepBy('ArrowLeft', placed, ids[1]!)).toEqual({ fold: { key: ids[1], isFolded: true } });
    expect(stepBy('ArrowLeft', placed, ids[3]!)).toEqual({ focus: ids[2] });
  });

  it('to the right open, then go to the first child', async () => {
    const { ids } = await open();
    const { placed } = await open(new Map([[ids[1]!, true]]));
    expect(stepBy('ArrowRight', placed, ids[1]!)).toEqual({ fold: { key: ids[1], isFolded: false } });
    expect(stepBy('ArrowRight', placed, ids[0]!)).toEqual({ focus: ids[1] });
  });

  it('leave other keys to others', async () => {
    const { ids, placed } = await open();
    expect(stepBy('x', placed, ids[0]!)).toBeUndefined();
    expect(stepBy('ArrowDown', placed, 'nobody')).toBeUndefined();
  });
});
