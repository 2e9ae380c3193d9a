import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SourceAdapter } from './adapter.ts';
import { ADAPTERS } from './testing/all-hosts.ts';

const fixturesOf = (host: string): string => path.join(import.meta.dirname, host, 'fixtures');

function foldersBelow(folder: string, depth: number): readonly string[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = below.map(({ name }) => path.join(folder, name));
  return depth === 0 ? names : [...names, ...names.flatMap((name) => foldersBelow(name, depth - 1))];
}

describe('a host that is loaded late', () => {
  it.each(ADAPTERS.map((adapter) => [adapter.host, adapter] as const))(
    'may hold sessions of %s in every folder in which it finds some',
    async (host, adapter) => {
      const missed: string[] = [];
      let found = 0;
      for (const root of foldersBelow(fixturesOf(host), 3)) {
        const { sessions, ignoredFiles } = await adapter.locate(root);
        if (sessions.length === 0 && ignoredFiles.length === 0) continue;
        found++;
        if (!(await adapter.mayHold(root))) missed.push(root);
      }
      expect(missed).toEqual([]);
      expect(found).toBeGreaterThan(5);
    },
  );

  it('is not loaded for a folder that holds sessions of another host', async () => {
    // A module of its own, in which nothing is loaded yet.
    const fresh = './registry.ts?fresh';
    const { ADAPTERS: lazy }: { ADAPTERS: readonly SourceAdapter[] } = await import(fresh);
    const isLoaded = (adapter: SourceAdapter): boolean => adapter.createReader !== undefined;
    expect(lazy.filter(isLoaded)).toEqual([]);
    const root = path.join(fixturesOf('claude-code'), '2.1.325-nested');
    const located = await Promise.all(lazy.map((adapter) => adapter.locate(root)));
    expect(located.map(({ sessions }) => sessions.length)).toEqual([1, 0, 0, 0, 0, 0]);
    expect(lazy.filter(isLoaded).map(({ host }) => host)).toEqual(['claude-code']);
  });
});
