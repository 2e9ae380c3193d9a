import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkSource, checkTruth } from '../testing/check-source.ts';
import { claudeCode } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

/** What the files of these versions cannot show; everything else equals the truth. */
const UNKNOWABLE: Readonly<Record<string, string>> = {
  '2.1.38-twins-hang': 'two calls with the same prompt, killed before a result: which call made which agent is nowhere',
};

describe('recordings of the real program', () => {
  for (const name of readdirSync(fixtures).filter((entry) => !entry.endsWith('.md'))) {
    it(name, async () => {
      const trees = await checkSource(claudeCode, fixtures + name);
      expect(trees.length).toBeGreaterThan(0);
      if (existsSync(`${fixtures}${name}/truth.json`) && !UNKNOWABLE[name]) checkTruth(fixtures + name, trees);
    });
  }
});
