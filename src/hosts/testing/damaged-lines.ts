import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SourceAdapter } from '../index.ts';
import { createDamagedFolder } from './damaged-folder.ts';

/** What may stand in the files of a host that writes lines. (Claude Code is fed such lines, OpenCode has tables: tests of their own.) */
export interface DamagedLines {
  readonly adapter: SourceAdapter;
  /** A data folder below `fixtures` with one session, in which everybody came to a good end. */
  readonly recording: string;
  readonly agents: number;
  /** Words of a file's name, how its lines are changed, and the problems that are told then. */
  readonly newer: Change;
  readonly damaged: Change;
  /** Words of the names of files, and what stands there in place of each field: `"tokens":{` → `7`. */
  readonly wrongKinds: { readonly in: readonly string[]; readonly fields: Readonly<Record<string, string>> };
  /** Parts of the data folder that somebody may name in its place, and how many sources the session has there. */
  readonly pointedAt: { readonly parts: readonly string[]; readonly sources: number };
}

interface Change {
  readonly in: string;
  edit(lines: string[]): readonly string[];
  readonly told: readonly string[];
}

export function describeDamagedLines(suite: DamagedLines): void {
  const { adapter, agents, wrongKinds, pointedAt } = suite;
  describe(`${adapter.title}: lines as they should not be`, () => {
    const folder = createDamagedFolder(`${adapter.host}/fixtures/${suite.recording}`);

    /** The problems are told, and the session is what it was. */
    async function costsNothingElse({ in: words, edit, told }: Change): Promise<void> {
      const before = await folder.shape();
      expect(before.map(([status]) => status)).toEqual(Array(agents).fill('completed'));
      folder.change(words, edit);
      expect(await folder.problems()).toEqual(told);
      expect(await folder.shape()).toEqual(before);
    }

    it('a newer version: records of kinds that do not exist yet are counted once, and the rest is there', () =>
      costsNothingElse(suite.newer));

    it('damaged lines cost themselves', () => costsNothingElse(suite.damaged));

    it('fields of the wrong kind are no fields', async () => {
      const files = wrongKinds.in.flatMap((words) => folder.files(words));
      for (const [index, [field, value]] of Object.entries(wrongKinds.fields).entries()) {
        // Its own value stays behind, under a name that nobody knows.
        const [name, opening] = [field.slice(0, -1), field.slice(-1)];
        const texts = files.map((file) => readFileSync(file, 'utf8'));
        expect(texts.join(), field).toContain(field);
        for (const [at, file] of files.entries())
          writeFileSync(file, (texts[at] ?? '').replaceAll(field, `${name}${value},"was-${index}":${opening}`));
      }
      const tree = await folder.tree();
      expect(tree.agents).toHaveLength(agents);
      expect(tree.diagnostics).toEqual([]);
    });

    it('somebody points at a part of the data folder', async () => {
      for (const part of pointedAt.parts) {
        const { sessions } = await adapter.locate(path.join(folder.root, part));
        expect(
          sessions.map(({ sources }) => sources.length),
          part,
        ).toEqual([pointedAt.sources]);
      }
    });
  });
}
