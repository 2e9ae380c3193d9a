import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkSource, checkTruth } from '../testing/check-source.ts';
import { codex } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

describe('recordings of the real program', () => {
  for (const name of readdirSync(fixtures).filter((entry) => !entry.endsWith('.md'))) {
    it(name, async () => {
      const trees = await checkSource(codex, fixtures + name);
      expect(trees.length).toBeGreaterThan(0);
      if (existsSync(`${fixtures}${name}/truth.json`)) checkTruth(fixtures + name, trees);
    });
  }
});
