import { expect, it } from 'vitest';
import { exportCommand } from './export-forms.ts';

it('an id of whatever kind is one word to the shell', () => {
  expect(exportCommand('fa129e54-d574')).toBe('troupe export fa129e54-d574 --out-dir ./share');
  expect(exportCommand("x'; rm -rf ~ #")).toBe("troupe export 'x'\\''; rm -rf ~ #' --out-dir ./share");
});
