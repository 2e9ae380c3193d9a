import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSafeName } from './manifest.ts';
import { takeFolder, takePart, takeStem } from './pages/safe-names.ts';

describe('a name of a page', () => {
  it('is one that may be written, whatever the ids are', () => {
    const id = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 90 }), fc.constant('data-layer-dev@multi-profile'));
    fc.assert(
      fc.property(id, id, (session, agent) => {
        const taken = new Set<string>();
        const stem = takeStem(agent, taken);
        for (const name of [stem, takePart(stem, 2, taken)])
          expect([name, isSafeName(`${takeFolder(session, new Set())}/${name}.html`)]).toEqual([name, true]);
      }),
    );
  });
});
