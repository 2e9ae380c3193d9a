import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareKinds, compareLists, type OtherScanners } from './testing/compare-kinds.ts';

const scanners: OtherScanners = JSON.parse(
  readFileSync(new URL('testing/other-scanners.json', import.meta.url), 'utf8'),
);

describe('kinds of gitleaks and secretlint', () => {
  it.each(Object.keys(scanners))('finds every kind of %s that is not left with a reason', (scanner) => {
    const compared = compareKinds(scanners).filter((kind) => kind.scanner === scanner);
    expect(compared.map(({ problem }) => problem).filter((problem) => problem !== null)).toEqual([]);
    expect(compared.filter(({ rules }) => rules.length > 0).length).toBeGreaterThan(45);
  });

  it('reports a kind that no rule finds, and one that is left without a reason', () => {
    const kinds = [{ kind: 'acme-word', sample: 'acme{az:12}' }, { kind: 'acme-key' }];
    const compared = compareKinds({ acme: { version: '1', date: '2026-11-19', kinds } });
    expect(compared.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('acme-word is not found'),
      'acme-key has neither a sample nor a reason',
    ]);
  });

  it('lists what a newer version added and removed', () => {
    const recorded = [
      { kind: 'a', sample: 'x' },
      { kind: 'b', left: 'no secret' },
    ];
    expect(compareLists(recorded, ['b', 'c'])).toEqual({ added: ['c'], removed: ['a'] });
  });
});
