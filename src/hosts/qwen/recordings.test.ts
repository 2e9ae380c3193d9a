import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { selectTotalUsage } from '../../core/index.ts';
import { createSessions } from '../../sessions/index.ts';
import { checkSource, checkTruth } from '../testing/check-source.ts';
import { qwen } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

describe('recordings of the real program', () => {
  for (const name of readdirSync(fixtures).filter((entry) => !entry.endsWith('.md'))) {
    it(name, async () => {
      const trees = await checkSource(qwen, fixtures + name);
      expect(trees.length).toBeGreaterThan(0);
      if (existsSync(`${fixtures}${name}/truth.json`)) checkTruth(fixtures + name, trees);
    });
  }

  it('shows forks with the agents that they copied, and counts those once', async () => {
    const root = `${fixtures}0.24.4-forks`;
    const sessions = createSessions([{ adapter: qwen, root, forced: false }], { clock: () => Date.UTC(2030, 0) });
    const { trees } = await sessions.list({ limit: 10 });
    const [original, fork, second] = trees.toSorted((a, b) => a.agents.length - b.agents.length);
    // By the script: each of the three had an agent of its own.
    const own = [original, fork, second].map(
      (tree) => tree && selectTotalUsage(tree).output - (tree.inheritedUsage?.output ?? 0),
    );
    expect(own).toEqual([606, 1406, 2206]);
    expect([fork?.forkedFrom, second?.forkedFrom]).toEqual([original?.id, fork?.id]);
    expect(second?.agents.map(({ inheritedUsage }) => inheritedUsage?.output)).toEqual([806, 403, 803, 0]);
  });
});
