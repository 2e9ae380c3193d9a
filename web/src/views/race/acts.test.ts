import { describe, expect, it } from 'vitest';
import { makeSession } from '../../testing/make.ts';
import { type Act, actOfClick, actOfKey } from './acts.ts';
import { NO_FOLDS, setFinishedOpen, setFolded } from './block.ts';
import { columnsFor } from './geometry.ts';
import { chipRow, createLayout, EARLIER, isChipRow, laneOfRow, type Row, rowsOf } from './layout.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();
const key = (id: string): string => `s1/${id}`;
const chip = chipRow(key('s1'));

function rowsWith(folds = NO_FOLDS): readonly Row[] {
  const session = makeSession({ lastActivityAt: ago(0) }, [
    { id: 'a1' },
    { id: 'a2', parentId: 'a1' },
    { id: 'gone', status: 'completed', completedAt: ago(90_000) },
  ]);
  const old = makeSession({ id: 's2', lastActivityAt: ago(9e6) });
  const { heights } = columnsFor(1000);
  const options = { now: NOW, folds, kept: new Set<string>(), heights, isReplay: false, opensEarlier: undefined };
  return rowsOf(createLayout()([session, old], options));
}

const press = (name: string, on: string, rows = rowsWith()): Act | undefined => actOfKey(name, rows, on);

describe('rows', () => {
  it('are lanes, each with its chip behind it, and the earlier sessions at the end', () => {
    expect(rowsWith().map((row) => row.key)).toEqual([key('s1'), chip, key('a1'), key('a2'), EARLIER]);
  });

  it('know their lane', () => {
    expect([isChipRow(chip), laneOfRow(chip), laneOfRow(key('a1'))]).toEqual([true, key('s1'), key('a1')]);
  });
});

describe('keys', () => {
  it('walk through the rows and stop at the ends', () => {
    expect(press('ArrowDown', key('s1'))).toEqual({ kind: 'go', row: chip });
    expect(press('j', key('a1'))).toEqual({ kind: 'go', row: key('a2') });
    expect(press('ArrowUp', key('s1'))).toEqual({ kind: 'go', row: key('s1') });
    expect(press('End', key('s1'))).toEqual({ kind: 'go', row: EARLIER });
    expect(press('ArrowDown', EARLIER)).toEqual({ kind: 'go', row: EARLIER });
  });

  it('fold, unfold and go in and out', () => {
    expect(press('ArrowRight', key('a1'))).toEqual({ kind: 'go', row: key('a2') });
    expect(press('ArrowLeft', key('a2'))).toEqual({ kind: 'go', row: key('a1') });
    expect(press('ArrowLeft', key('a1'))).toEqual({ kind: 'fold', lane: key('a1'), isFolded: true });
    const folded = rowsWith(setFolded(NO_FOLDS, key('a1'), true));
    expect(press('ArrowRight', key('a1'), folded)).toEqual({ kind: 'fold', lane: key('a1'), isFolded: false });
    expect(press('ArrowLeft', chip)).toEqual({ kind: 'go', row: key('s1') });
  });

  it('open transcript, detail and chips', () => {
    expect(press('Enter', key('a1'))).toEqual({ kind: 'read', session: 's1', agent: 'a1' });
    expect(press(' ', key('a1'))).toEqual({ kind: 'select', session: 's1', agent: 'a1' });
    expect(press('Enter', chip)).toEqual({ kind: 'finished', lane: key('s1'), isOpen: true });
    const opened = rowsWith(setFinishedOpen(NO_FOLDS, key('s1'), true));
    expect(press('ArrowLeft', chip, opened)).toEqual({ kind: 'finished', lane: key('s1'), isOpen: false });
    expect(press(' ', EARLIER)).toEqual({ kind: 'earlier', isOpen: true });
  });

  it('that are not ours are left alone', () => {
    expect(press('x', key('a1'))).toBeUndefined();
    expect(actOfKey('ArrowDown', [], undefined)).toBeUndefined();
  });
});

describe('clicks', () => {
  const rows = rowsWith();
  it('select, twice they read', () => {
    expect(actOfClick({ row: key('a1'), part: 'lane' }, rows, false)).toMatchObject({ kind: 'select', agent: 'a1' });
    expect(actOfClick({ row: key('a1'), part: 'lane' }, rows, true)).toMatchObject({ kind: 'read', agent: 'a1' });
  });

  it('on a fold or a chip do what keys do there', () => {
    expect(actOfClick({ row: key('a1'), part: 'fold' }, rows, false)).toMatchObject({ kind: 'fold', isFolded: true });
    expect(actOfClick({ row: chip, part: 'chip' }, rows, false)).toMatchObject({ kind: 'finished', isOpen: true });
    expect(actOfClick({ row: chip, part: 'chip' }, rows, true)).toBeUndefined();
  });
});
