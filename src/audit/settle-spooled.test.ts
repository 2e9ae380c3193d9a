import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { isPendingOf, queuePending } from './queue.ts';

let state = '';
beforeEach(() => {
  state = makeTemporaryFolder('spool');
  mkdirSync(path.join(state, 'spool'));
});

const place = (name: string): string => path.join(state, 'spool', name);
const names = (): string[] => readdirSync(path.join(state, 'spool')).sort();
const text = (name: string): string => readFileSync(place(name), 'utf8');
const DRAFT = '.new-claude-code.12.0';

describe('a queue draft', () => {
  it('is recognised by its name', () => {
    expect(isPendingOf('claude-code', DRAFT)).toBe(true);
    const others = ['', 'claude-code.12.0', `${DRAFT}/x`, `../${DRAFT}`, '.new-claude-code.12', '.new-claude-code.x.0'];
    for (const name of [...others, '.new-other.12.0', `${DRAFT}\n`, '.held-claude-code.12.0'])
      expect([name, isPendingOf('claude-code', name)]).toEqual([name, false]);
  });

  it('is settled by one process, once', () => {
    writeFileSync(place(DRAFT), '{"a":1}');
    expect(queuePending(state, DRAFT, { ppid: 7, decision: 'none' }, Date.now() - 5_000)).toBe(true);
    expect(queuePending(state, DRAFT, { decision: 'late' })).toBe(false);
    expect(names()).toEqual(['claude-code.12.0.json']);
    const [payload = '', last = '', end] = text('claude-code.12.0.json').split('\n');
    expect([payload, end]).toEqual(['{"a":1}', '']);
    const { ms, ...rest } = JSON.parse(last);
    expect(rest).toEqual({ ppid: 7, decision: 'none' });
    expect(ms).toBeGreaterThanOrEqual(5_000);
    expect(ms).toBeLessThan(60_000);
  });

  it('is left alone when another process has claimed it, or when it does not exist', () => {
    expect(queuePending(state, DRAFT, {})).toBe(false);
    writeFileSync(place(DRAFT), '{}');
    writeFileSync(place('.held-claude-code.12.0'), '');
    expect(queuePending(state, DRAFT, {})).toBe(false);
    expect([text(DRAFT), names().length]).toEqual(['{}', 2]);
    rmSync(path.join(state, 'spool'), { recursive: true });
    expect(queuePending(state, DRAFT, {})).toBe(false);
  });

  it('keeps the time of its call, however long the answer took', () => {
    writeFileSync(place(DRAFT), '{}');
    const called = new Date(Date.now() - 1_800_000);
    utimesSync(place(DRAFT), called, called);
    expect(queuePending(state, DRAFT, { decision: 'deny' }, called.getTime())).toBe(true);
    expect(Math.abs(statSync(place('claude-code.12.0.json')).mtimeMs - called.getTime())).toBeLessThan(2);
  });

  it('has no time when the time is impossible', () => {
    writeFileSync(place(DRAFT), '{}');
    queuePending(state, DRAFT, {}, Date.now() + 60_000);
    expect(text('claude-code.12.0.json')).toBe('{}\n{"ms":null}\n');
  });
});
