import { describe, expect, it } from 'vitest';
import { parsePatch } from './patch-text.ts';

const PATCH = `*** Begin Patch
*** Update File: src/app.js
@@ function app()
 const a = 1;
-const b = 2;
+const b = 3;
+const c = 4;
@@
-last
*** Add File: NEW.md
+one
+- two
*** Delete File: old.txt
*** End Patch
+ not part of it`;

describe('parsePatch', () => {
  it('returns files, positions and lines', () => {
    expect(parsePatch(`apply_patch <<'EOF'\n${PATCH}\nEOF`)).toEqual([
      {
        kind: 'update',
        path: 'src/app.js',
        hunks: [
          { before: ['const a = 1;', 'const b = 2;'], after: ['const a = 1;', 'const b = 3;', 'const c = 4;'] },
          { before: ['last'], after: [] },
        ],
        added: 2,
        removed: 2,
      },
      { kind: 'add', path: 'NEW.md', hunks: [{ before: [], after: ['one', '- two'] }], added: 2, removed: 0 },
      { kind: 'delete', path: 'old.txt', hunks: [], added: 0, removed: null },
    ]);
  });

  it('returns nothing for a text without a patch', () => {
    expect(parsePatch('+ one\n- two')).toEqual([]);
  });
});
