import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rescueSpooled } from './rescue-spooled.ts';
import { isDraftOf, settleSpooled } from './settle-spooled.ts';

let state = '';
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), 'troupe-spool-'));
  mkdirSync(path.join(state, 'spool'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const place = (name: string): string => path.join(state, 'spool', name);
const names = (): string[] => readdirSync(path.join(state, 'spool')).sort();
const text = (name: string): string => readFileSync(place(name), 'utf8');
const DRAFT = '.new-claude-code.12.0';

describe('a draft', () => {
  it('is told by its name', () => {
    expect(isDraftOf('claude-code', DRAFT)).toBe(true);
    const others = ['', 'claude-code.12.0', `${DRAFT}/x`, `../${DRAFT}`, '.new-claude-code.12', '.new-claude-code.x.0'];
    for (const name of [...others, '.new-other.12.0', `${DRAFT}\n`, '.held-claude-code.12.0'])
      expect([name, isDraftOf('claude-code', name)]).toEqual([name, false]);
  });

  it('is settled by one, once', () => {
    writeFileSync(place(DRAFT), '{"a":1}');
    expect(settleSpooled(state, DRAFT, { ppid: 7, decision: 'none' }, Date.now() - 5_000)).toBe(true);
    expect(settleSpooled(state, DRAFT, { decision: 'late' })).toBe(false);
    expect(names()).toEqual(['claude-code.12.0.json']);
    const [payload = '', last = '', end] = text('claude-code.12.0.json').split('\n');
    expect([payload, end]).toEqual(['{"a":1}', '']);
    const { ms, ...rest } = JSON.parse(last);
    expect(rest).toEqual({ ppid: 7, decision: 'none' });
    expect(ms).toBeGreaterThanOrEqual(5_000);
    expect(ms).toBeLessThan(60_000);
  });

  it('is left alone where another has claimed it, or where there is none', () => {
    expect(settleSpooled(state, DRAFT, {})).toBe(false);
    writeFileSync(place(DRAFT), '{}');
    writeFileSync(place('.held-claude-code.12.0'), '');
    expect(settleSpooled(state, DRAFT, {})).toBe(false);
    expect([text(DRAFT), names().length]).toEqual(['{}', 2]);
    rmSync(path.join(state, 'spool'), { recursive: true });
    expect(settleSpooled(state, DRAFT, {})).toBe(false);
  });

  it('says nothing of a time that cannot be', () => {
    writeFileSync(place(DRAFT), '{}');
    settleSpooled(state, DRAFT, {}, Date.now() + 60_000);
    expect(text('claude-code.12.0.json')).toBe('{}\n{"ms":null}\n');
  });
});

describe('what a killed process left behind', () => {
  const minutesAgo = (name: string, content: string, minutes = 20): void => {
    writeFileSync(place(name), content);
    const at = (Date.now() - minutes * 60_000) / 1_000;
    utimesSync(place(name), at, at);
  };

  it('is an event where all of it was told, with its own time', () => {
    minutesAgo(DRAFT, '{"a":"\\n{"}');
    minutesAgo('.new-claude-code.13.0', '{"b":1}\n{"ppid":3}\n');
    minutesAgo('.new-claude-code.14.0', '{"c":1}\n{"ppi');
    minutesAgo('.held-claude-code.14.0', '');
    minutesAgo('.new-claude-code.15.0', '{\n"d":1\n}\n');
    const { mtimeMs } = statSync(place(DRAFT));
    expect(rescueSpooled(state, Date.now())).toEqual({ whole: 4, broken: 0 });
    expect(names()).toEqual([12, 13, 14, 15].map((pid) => `claude-code.${pid}.0.json`));
    expect(text('claude-code.12.0.json')).toBe('{"a":"\\n{"}\n{"rescued":true}\n');
    expect(text('claude-code.13.0.json')).toBe('{"b":1}\n{"ppid":3}\n');
    expect(text('claude-code.14.0.json')).toBe('{"c":1}\n{"rescued":true}\n');
    expect(text('claude-code.15.0.json')).toBe('{\n"d":1\n}\n\n{"rescued":true}\n');
    expect(Math.abs(statSync(place('claude-code.12.0.json')).mtimeMs - mtimeMs)).toBeLessThan(2);
    expect(rescueSpooled(state, Date.now())).toEqual({ whole: 0, broken: 0 });
  });

  it('is put aside where it is only half', () => {
    minutesAgo(DRAFT, '{"a":"x');
    minutesAgo('.new-claude-code.13.0', '');
    expect(rescueSpooled(state, Date.now())).toEqual({ whole: 0, broken: 2 });
    expect(names()).toEqual(['bad']);
    expect(readdirSync(place('bad'))).toHaveLength(2);
  });

  it('is not touched while somebody may be at it, nor over another event of that name', () => {
    minutesAgo(DRAFT, '{"a":1}', 1);
    minutesAgo('.new-claude-code.13.0', '{"b":1}');
    writeFileSync(place('claude-code.13.0.json'), '{"older":1}\n{}\n');
    writeFileSync(place('.others'), '');
    const before = names();
    expect(rescueSpooled(state, Date.now())).toEqual({ whole: 0, broken: 0 });
    expect(names()).toEqual(before);
    rmSync(state, { recursive: true });
    expect(rescueSpooled(state, Date.now())).toEqual({ whole: 0, broken: 0 });
  });
});
