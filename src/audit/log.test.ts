import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditEntry } from '../core/index.ts';
import { takeLock } from '../lib/lock-file.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { drain, prune } from './drain.ts';
import { sealEntry } from './entry.ts';
import { verifyLog } from './guard-log.ts';
import { lockPath } from './log-files.ts';
import { queueEvent } from './queue.ts';
import { type FollowOptions, followLog, type ReadOptions, readLog } from './read-log.ts';
import { testOptions } from './testing/spool-host.ts';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 10, 1, 12);

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('log');
});

const audit = (...names: string[]): string => path.join(folder, 'audit', ...names);
const logFiles = (): readonly string[] => readdirSync(audit()).filter((name) => name.endsWith('.jsonl'));
const linesOf = (name: string): string[] => readFileSync(audit(name), 'utf8').split('\n').slice(0, -1);
const writeLines = (name: string, lines: readonly string[]): void =>
  writeFileSync(audit(name), lines.map((line) => `${line}\n`).join(''));

function put(at: number, fields: object = {}, extra: object = {}): void {
  const payload = { event: 'Pre', session: 's1', tool: 'Bash', ...fields };
  queueEvent(folder, 'test', Buffer.from(JSON.stringify(payload)), extra);
  for (const name of readdirSync(path.join(folder, 'spool'))) {
    const file = path.join(folder, 'spool', name);
    if (readFileSync(file, 'utf8').startsWith(JSON.stringify(payload))) utimesSync(file, at / 1000, at / 1000);
  }
}
const drainAt = (now: number, maxFileBytes?: number): Promise<unknown> =>
  drain({ ...testOptions(folder), clock: () => now, ...(maxFileBytes ? { maxFileBytes } : {}) });

/** Three days with so many entries each. */
async function writeDays(perDay = 3): Promise<void> {
  for (let day = 0; day < 3; day++) {
    for (let i = 0; i < perDay; i++) put(FIRST + day * DAY + i * 1000, { seq: day * perDay + i });
    await drainAt(FIRST + day * DAY + 60_000);
  }
}

async function all(entries: AsyncIterable<AuditEntry>): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}
const read = (options: ReadOptions): Promise<readonly AuditEntry[]> => all(readLog(folder, options));

describe('log files', () => {
  it('begin a new file each day, with one chain over all of them', async () => {
    await writeDays();
    expect(logFiles()).toEqual(['2026-11-01.jsonl', '2026-11-02.jsonl', '2026-11-03.jsonl']);
    expect(await verifyLog(folder)).toEqual({
      entries: 9,
      files: 3,
      firstN: 1,
      lastN: 9,
      prunedTo: null,
      problems: [],
    });
  });

  it('put a late entry into the file of a later day, and one dated tomorrow into that of today', async () => {
    await writeDays(1);
    put(FIRST, { seq: 'late' });
    put(FIRST + 30 * DAY, { seq: 'early' });
    await drainAt(FIRST + 2 * DAY + 120_000);
    expect(linesOf('2026-11-03.jsonl')).toHaveLength(3);
    expect((await verifyLog(folder)).problems).toEqual([]);
    expect((await read({ until: FIRST })).map(({ call }) => call)).toEqual(['late', '0']);
  });

  it('split a long day into more than nine files, in order', async () => {
    for (let i = 0; i < 30; i++) put(FIRST + i, { seq: i });
    await drainAt(FIRST + 1000, 1_500);
    expect(logFiles().length).toBeGreaterThan(10);
    expect((await read({ order: 'oldest' })).map(({ call }) => Number(call))).toEqual(
      Array.from({ length: 30 }, (_, i) => i),
    );
    expect(await verifyLog(folder)).toMatchObject({ entries: 30, firstN: 1, lastN: 30, problems: [] });
    put(FIRST + DAY, { seq: 30 });
    await drainAt(FIRST + DAY, 1_500);
    expect(logFiles()).toContain('2026-11-02.jsonl');
  });
});

describe('verify reports', () => {
  const whatOf = async (): Promise<readonly string[]> =>
    (await verifyLog(folder)).problems.map(({ file, line, what }) => `${file}:${line} ${what}`);
  const change = (name: string, how: (lines: string[]) => readonly string[]): void =>
    writeLines(name, how(linesOf(name)));
  beforeEach(() => writeDays());

  it('a changed line', async () => {
    change('2026-11-02.jsonl', ([a = '', b = '', c = '']) => [a, b.replace('"Bash"', '"Read"'), c]);
    expect(await whatOf()).toEqual(['2026-11-02.jsonl:2 Entry 5 was changed: its hash is not that of its text.']);
  });

  it('a changed line with a correct hash', async () => {
    change('2026-11-02.jsonl', ([a = '', b = '', c = '']) => {
      const { n, prev, hash: _old, ...fields } = JSON.parse(b) as AuditEntry;
      return [a, sealEntry({ ...fields, tool: 'Read' }, { n: n - 1, hash: prev }).line, c];
    });
    expect(await whatOf()).toEqual(['2026-11-02.jsonl:3 Entry 6 does not follow the entry 5 that stands before it.']);
  });

  it('a removed line', async () => {
    change('2026-11-02.jsonl', ([a = '', , c = '']) => [a, c]);
    expect(await whatOf()).toEqual(['2026-11-02.jsonl:2 Entry 6 follows entry 4: 1 line is missing.']);
  });

  it('swapped lines', async () => {
    change('2026-11-02.jsonl', ([a = '', b = '', c = '']) => [b, a, c]);
    expect(await whatOf()).toEqual([
      '2026-11-02.jsonl:1 Entry 5 follows entry 3: 1 line is missing.',
      '2026-11-02.jsonl:2 Entry 4 stands behind entry 5: lines were moved or doubled.',
      '2026-11-02.jsonl:3 Entry 6 follows entry 4: 1 line is missing.',
    ]);
  });

  it('a doubled line, and a line that is not an entry', async () => {
    change('2026-11-02.jsonl', ([a = '', b = '', c = '']) => [a, a, b, 'hello', c]);
    expect(await whatOf()).toEqual([
      '2026-11-02.jsonl:2 Entry 4 stands behind entry 4: lines were moved or doubled.',
      '2026-11-02.jsonl:4 This is no line of the audit.',
    ]);
  });

  it('a torn line', async () => {
    const text = readFileSync(audit('2026-11-02.jsonl'), 'utf8');
    writeFileSync(audit('2026-11-02.jsonl'), text.slice(0, -40));
    expect(await whatOf()).toEqual(['2026-11-02.jsonl:3 The line is torn: its end is missing.']);
  });

  it('a missing file', async () => {
    rmSync(audit('2026-11-02.jsonl'));
    expect(await whatOf()).toEqual(['2026-11-03.jsonl:1 Entry 7 follows entry 3: 3 lines are missing.']);
    rmSync(audit('2026-11-01.jsonl'));
    expect(await whatOf()).toEqual(['2026-11-03.jsonl:1 The log begins with entry 7: 6 lines are missing before it.']);
  });

  it('a tail that was cut off, also when entries followed later', async () => {
    change('2026-11-03.jsonl', ([a = '']) => [a]);
    expect(await whatOf()).toEqual([
      '2026-11-03.jsonl:1 The log ends with entry 7, but it had come to entry 9: 2 lines are missing.',
    ]);
    put(FIRST + 2 * DAY + 90_000, { seq: 'more' });
    await drainAt(FIRST + 2 * DAY + 90_000);
    expect(await whatOf()).toEqual(['2026-11-03.jsonl:2 Entry 10 follows entry 7: 2 lines are missing.']);
    for (const name of logFiles()) rmSync(audit(name));
    expect(await whatOf()).toEqual([
      'head.json:1 The log ends with entry 0, but it had come to entry 10: 10 lines are missing.',
    ]);
  });

  it('damage at the end, which a drain must not repair', async () => {
    const text = readFileSync(audit('2026-11-03.jsonl'), 'utf8');
    writeFileSync(audit('2026-11-03.jsonl'), text.slice(0, -40));
    put(FIRST + 2 * DAY + 90_000, { seq: 'more' });
    await drainAt(FIRST + 2 * DAY + 90_000);
    expect(await whatOf()).toEqual(['2026-11-03.jsonl:3 This is no line of the audit.']);
    expect(linesOf('2026-11-03.jsonl')[2]).toBe(text.slice(0, -40).split('\n')[2]);
  });

  it('nothing when an editor removed only the last newline and it was put back', async () => {
    const text = readFileSync(audit('2026-11-03.jsonl'), 'utf8');
    writeFileSync(audit('2026-11-03.jsonl'), text.trimEnd());
    expect(await whatOf()).toEqual(['2026-11-03.jsonl:3 Entry 9 has no end of line.']);
    put(FIRST + 2 * DAY + 90_000, { seq: 'more' });
    await drainAt(FIRST + 2 * DAY + 90_000);
    expect(await verifyLog(folder)).toMatchObject({ entries: 10, problems: [] });
  });

  const drainMore = async (): Promise<void> => {
    put(FIRST + 2 * DAY + 90_000, { seq: 'more' });
    await drainAt(FIRST + 2 * DAY + 90_000);
  };

  it.each([
    ['is missing', () => rmSync(audit('head.json'))],
    ['cannot be read', () => writeFileSync(audit('head.json'), '{"n":')],
  ])('a head that %s, with and without the end of the log, also when entries followed later', async (what, damage) => {
    damage();
    const told = [`head.json:1 It ${what}: whether lines are missing at the end of the log cannot be told.`];
    expect(await whatOf()).toEqual(told);
    change('2026-11-03.jsonl', ([a = '', b = '']) => [a, b]);
    expect(await whatOf()).toEqual(told);
    const since = [
      'head.json:1 It was missing, or could not be read, when the log had come to entry 8: lines behind that one may be missing.',
    ];
    for (let i = 0; i < 2; i++) {
      await drainMore();
      expect(await whatOf()).toEqual(since);
    }
    expect(JSON.parse(readFileSync(audit('head.json'), 'utf8'))).toMatchObject({ n: 10, lost: { n: 8 } });
    await prune(folder, 0, () => FIRST + 3 * DAY);
    expect(await whatOf()).toEqual([]);
  });

  it('nothing when the head is behind because its drain was killed', async () => {
    writeFileSync(audit('head.json'), '{"n":2,"hash":"x"}');
    await drainMore();
    expect(await whatOf()).toEqual([]);
  });

  it('a file that was renamed to another day', async () => {
    renameSync(audit('2026-11-03.jsonl'), audit('2026-11-09.jsonl'));
    expect(await whatOf()).toEqual(['2026-11-09.jsonl:1 It begins with an entry of 2026-11-03: the file was renamed.']);
    renameSync(audit('2026-11-01.jsonl'), audit('2026-10-31.jsonl'));
    expect(await whatOf()).toContain(
      '2026-10-31.jsonl:1 All of its entries are of later days: it was renamed, or a clock was set back.',
    );
  });

  it('any change of any line, anywhere', async () => {
    const names = logFiles();
    const texts = new Map(names.map((name) => [name, readFileSync(audit(name), 'utf8')]));
    const place = fc.record({
      name: fc.constantFrom(...names),
      at: fc.nat(5_000),
      char: fc.constantFrom('0', 'x', ' ', '\n', '"', ''),
    });
    await fc.assert(
      fc.asyncProperty(place, async ({ name, at, char }) => {
        for (const [file, text] of texts) writeFileSync(audit(file), text);
        const text = texts.get(name) ?? '';
        const changed = text.slice(0, at % text.length) + char + text.slice((at % text.length) + 1);
        writeFileSync(audit(name), changed);
        expect((await verifyLog(folder)).problems.length > 0).toBe(changed !== text);
      }),
    );
  });
});

it('nothing when a drain was killed before its first note', async () => {
  put(FIRST, { seq: 1 });
  await drainAt(FIRST);
  // As it is before the first line: from then on only a removed head can be missing.
  writeFileSync(audit('head.json'), `{"n":0,"hash":"${'0'.repeat(64)}"}`);
  expect((await verifyLog(folder)).problems).toEqual([]);
  rmSync(audit('2026-11-01.jsonl'));
  expect(await verifyLog(folder)).toMatchObject({ entries: 0, problems: [] });
});

describe('reading the log', () => {
  it('returns a number of entries, newest or oldest first', async () => {
    await writeDays();
    expect((await read({})).map(({ n }) => n)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect((await read({ limit: 2 })).map(({ n }) => n)).toEqual([9, 8]);
    expect((await read({ limit: 4, order: 'oldest' })).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    expect(await read({ limit: 0 })).toEqual([]);
  });

  it('filters by every field', async () => {
    put(FIRST, { seq: 1, agent: 'a7b8', tool: 'Read' }, { decision: 'deny' });
    put(FIRST + 1000, { seq: 2, session: 's2' });
    put(FIRST + 2000, { seq: 3, agent: 'c9', session: 's2' }, { decision: 'none' });
    await drainAt(FIRST + 5000);
    const calls = async (options: ReadOptions): Promise<string> =>
      (await read({ ...options, order: 'oldest' })).map(({ call }) => call).join('');
    expect(await calls({ agent: 'a7' })).toBe('1');
    expect(await calls({ agent: 'ann' })).toBe('13');
    expect(await calls({ type: 'Tester' })).toBe('13');
    expect(await calls({ agent: 'Tester' })).toBe('');
    expect(await calls({ agent: 'main' })).toBe('2');
    expect(await calls({ agent: '7b8' })).toBe('');
    expect(await calls({ decision: 'deny' })).toBe('1');
    expect(await calls({ decision: 'observed' })).toBe('2');
    expect(await calls({ tool: 'read' })).toBe('1');
    expect(await calls({ session: 's2' })).toBe('23');
    expect(await calls({ since: FIRST + 1000 })).toBe('23');
    expect(await calls({ until: FIRST + 1000 })).toBe('12');
    expect(await calls({ session: 's2', agent: 'subagent' })).toBe('3');
  });

  it('does not open files that are too old', async () => {
    await writeDays();
    writeFileSync(audit('2026-11-01.jsonl'), 'bad\n');
    const bad: string[] = [];
    const onBadLine = (file: string): number => bad.push(file);
    expect(await read({ since: FIRST + DAY, onBadLine })).toHaveLength(6);
    expect(bad).toEqual([]);
    expect(await read({ onBadLine })).toHaveLength(6);
    expect(bad).toEqual(['2026-11-01.jsonl']);
  });

  it('returns nothing when there is no log', async () => {
    expect(await read({})).toEqual([]);
    expect(await verifyLog(folder)).toMatchObject({ entries: 0, files: 0, firstN: null, lastN: null, problems: [] });
  });
});

describe('following the log', () => {
  const follow = (options: Partial<FollowOptions> = {}, pollMs = 50) => {
    const controller = new AbortController();
    return { entries: followLog(folder, { signal: controller.signal, pollMs, ...options }), controller };
  };

  it('reports each new entry once, across files and days', async () => {
    await writeDays(1);
    let onBegin = (): void => undefined;
    const isFollowing = new Promise<void>((resolve) => {
      onBegin = resolve;
    });
    const { entries } = follow({ limit: 40, onBegin });
    const found = all(entries);
    await isFollowing;
    for (let i = 0; i < 8; i++) {
      for (let k = 0; k < 5; k++) put(FIRST + (3 + i) * DAY + k, { seq: `${i}${k}` });
      await drainAt(FIRST + (3 + i) * DAY + 5000, 1_500);
    }
    expect((await found).map(({ n }) => n)).toEqual(Array.from({ length: 40 }, (_, i) => i + 4));
  });

  it('waits for a log that does not exist yet, filters, holds back half lines, and ends when aborted', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const looks = (): number => timers.mock.calls.filter(([, ms]) => ms === 41).length;
    const { entries, controller } = follow({ agent: 'main' }, 41);
    const found: AuditEntry[] = [];
    const ended = (async () => {
      for await (const entry of entries) found.push(entry);
    })();
    put(FIRST, { seq: 1 });
    put(FIRST + 1, { seq: 2, agent: 'a1' });
    await drainAt(FIRST + 5000);
    const line = readFileSync(audit('2026-11-01.jsonl'), 'utf8').split('\n')[0] ?? '';
    await vi.waitFor(() => expect(found).toHaveLength(1), 30_000);
    writeFileSync(audit('2026-11-01.jsonl'), `${line.slice(0, 50)}`, { flag: 'a' });
    const before = looks();
    await vi.waitFor(() => expect(looks()).toBeGreaterThan(before + 2), 30_000);
    expect(found).toHaveLength(1);
    writeFileSync(audit('2026-11-01.jsonl'), `${line.slice(50)}\n`, { flag: 'a' });
    await vi.waitFor(() => expect(found).toHaveLength(2), 30_000);
    controller.abort();
    await ended;
    expect(found.map(({ call }) => call)).toEqual(['1', '1']);
  });
});

describe('pruning the log', () => {
  it('removes whole days; the chain begins at the first one kept', async () => {
    await writeDays();
    expect(await prune(folder, 1, () => FIRST + 2 * DAY)).toBe(1);
    expect(await verifyLog(folder)).toEqual({ entries: 6, files: 2, firstN: 4, lastN: 9, prunedTo: 3, problems: [] });
    expect(await prune(folder, 1, () => FIRST + 2 * DAY)).toBe(0);
    rmSync(audit('2026-11-02.jsonl'));
    expect((await verifyLog(folder)).problems).toMatchObject([
      { what: 'Entry 7 follows entry 3: 3 lines are missing.' },
    ]);
  });

  it('can remove everything; the chain continues', async () => {
    await writeDays();
    expect(await prune(folder, 10, () => FIRST + 100 * DAY)).toBe(3);
    expect(await verifyLog(folder)).toMatchObject({ entries: 0, files: 0, prunedTo: 9, problems: [] });
    put(FIRST + 100 * DAY, { seq: 'next' });
    await drainAt(FIRST + 100 * DAY);
    expect(await verifyLog(folder)).toMatchObject({ entries: 1, firstN: 10, lastN: 10, prunedTo: 9, problems: [] });
  });

  it('keeps the remaining entries valid when it was killed halfway', async () => {
    await writeDays();
    const second = readFileSync(audit('2026-11-02.jsonl'));
    await prune(folder, 0, () => FIRST + 2 * DAY);
    writeFileSync(audit('2026-11-02.jsonl'), second);
    expect(await verifyLog(folder)).toMatchObject({ entries: 6, firstN: 4, prunedTo: 6, problems: [] });
  });

  it('removes old set-aside files, but nothing during a drain', async () => {
    const bad = path.join(folder, 'spool', 'bad');
    put(FIRST);
    for (const name of ['old', 'new'])
      writeFileSync(path.join(folder, 'spool', `test.1.${name === 'old' ? 1 : 2}.json`), '{');
    utimesSync(path.join(folder, 'spool', 'test.1.1.json'), FIRST / 1000, FIRST / 1000);
    await drainAt(FIRST);
    expect(readdirSync(bad)).toHaveLength(2);
    const lock = await takeLock(lockPath(folder));
    expect(await prune(folder, 1, () => FIRST + 2 * DAY)).toBe(0);
    expect(readdirSync(bad)).toHaveLength(2);
    await lock?.release();
    expect(await prune(folder, 1, () => FIRST + 2 * DAY)).toBe(1);
    expect(readdirSync(bad)).toHaveLength(1);
  });
});

describe('an audit folder that was removed', () => {
  it('does not verify as a log that never began, and neither does the log that follows it', async () => {
    await writeDays();
    rmSync(audit(), { recursive: true });
    expect((await verifyLog(folder)).problems).not.toEqual([]);
    put(FIRST + 4 * DAY, { seq: 99 });
    await drainAt(FIRST + 4 * DAY + 60_000);
    expect((await verifyLog(folder)).problems).not.toEqual([]);
  });
});
