import { describe, expect, it } from 'vitest';
import type { LiveEvent, LiveSnapshot } from '../../core/index.ts';
import { EventLog } from './event-streams.ts';

const NOTHING: LiveSnapshot = {
  sessions: [],
  older: [],
  olderTotal: 0,
  emptySessions: 0,
  ignoredFiles: 0,
  places: [],
  isComplete: false,
  notices: [],
  asks: [],
};
const begin: LiveEvent = { type: 'snapshot', data: NOTHING };
const listing = (ignoredFiles: number): LiveEvent => ({
  type: 'listing',
  data: { older: [], olderTotal: 0, emptySessions: 0, ignoredFiles, isComplete: true, notices: [] },
});
const idIn = (bytes: Buffer | undefined): string | undefined => /^id: (.+)$/m.exec(String(bytes))?.[1];
const ids = (events: readonly Buffer[] | undefined) => events?.map(idIn);

describe('EventLog', () => {
  it('writes an event in three fields, its data in one line', () => {
    const log = new EventLog('ab12');
    log.append(begin);
    const gone: LiveEvent = { type: 'gone', data: { sessionId: 'line\nbreak\r\u2028\ud800', host: 'h' } };
    expect(log.append(gone).toString()).toBe(
      'id: ab12-2\nevent: gone\ndata: {"sessionId":"line\\nbreak\\r\u2028\\ud800","host":"h"}\n\n',
    );
  });

  it('returns the events after one of its own ids', () => {
    const log = new EventLog('ab12');
    for (const event of [begin, listing(1), listing(2)]) log.append(event);
    expect(ids(log.after('ab12-0'))).toEqual(['ab12-1', 'ab12-2', 'ab12-3']);
    expect(ids(log.after('ab12-1'))).toEqual(['ab12-2', 'ab12-3']);
    expect(ids(log.after('ab12-3'))).toEqual([]);
  });

  it('returns nothing for an id that is foreign, from the future, or invalid', () => {
    const log = new EventLog('ab12');
    log.append(begin);
    for (const id of ['cd34-1', 'ab12-2', 'ab12', 'ab12-', 'ab12--1', 'ab12-1x', '-1', '', '1', 'x-ab12-1', 'ab12-1e0'])
      expect([id, log.after(id)]).toEqual([id, undefined]);
  });

  it('forgets the oldest beyond a number, and beyond a size', () => {
    const few = new EventLog('n', { maxEvents: 3 });
    for (let i = 1; i <= 10; i++) few.append(listing(i));
    expect(ids(few.after('n-7'))).toEqual(['n-8', 'n-9', 'n-10']);
    expect(few.after('n-6')).toBeUndefined();
    const small = new EventLog('s', { maxBytes: 280 });
    for (let i = 1; i <= 10; i++) small.append(listing(i));
    expect(ids(small.after('s-8'))).toEqual(['s-9', 's-10']);
    expect(small.after('s-1')).toBeUndefined();
    const tiny = new EventLog('t', { maxBytes: 1 });
    tiny.append(begin);
    expect([tiny.after('t-0'), tiny.after('t-1')]).toEqual([undefined, []]);
  });

  it('holds a snapshot of the last event, encoded once for all', () => {
    const log = new EventLog('ab12');
    expect(log.snapshot()).toBeUndefined();
    log.append(begin);
    log.append(listing(7));
    const snapshot = log.snapshot();
    expect(idIn(snapshot)).toBe('ab12-2');
    expect(String(snapshot)).toContain('"ignoredFiles":7');
    expect(log.snapshot()).toBe(snapshot);
    log.append(listing(8));
    expect(idIn(log.snapshot())).toBe('ab12-3');
  });
});
