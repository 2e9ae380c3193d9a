import { describe, expect, it } from 'vitest';
import { toSessionId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { readSnapshot, writeSnapshot } from './testing/snapshot.ts';

describe('readSnapshot', () => {
  it('reports what is wrong, and never throws', () => {
    const good = writeSnapshot([createLedger(toSessionId('test', 's'))], 1);
    expect(readSnapshot(good).ledgers).toHaveLength(1);
    for (const [text, code] of [
      ['not json', 'snapshot-invalid'],
      ['{}', 'snapshot-invalid'],
      [good.replace('"version":1', '"version":99'), 'snapshot-version'],
      [good.replace('"map":[]', '"map":7'), 'snapshot-invalid'],
      ['{"format":"troupe-snapshot","version":1,"takenAt":1,"sessions":[{"of":[1,2]}]}', 'snapshot-invalid'],
    ] as const) {
      expect(() => readSnapshot(text), text).toThrow(expect.objectContaining({ code }));
    }
  });
});
