import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkSource, checkTruth } from '../testing/check-source.ts';
import { opencode } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

describe('recordings of the real program', () => {
  for (const name of readdirSync(fixtures).filter((entry) => !entry.endsWith('.md'))) {
    it(name, async () => {
      const trees = await checkSource(opencode, fixtures + name);
      expect(trees).toHaveLength(1);
      checkTruth(fixtures + name, trees);
      for (const agent of trees[0]?.agents.slice(1) ?? []) expect(agent.link.rank).toBe('exact');
    });
  }
});
