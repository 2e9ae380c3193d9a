import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach } from 'vitest';
import type { SessionTree } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
import { filesBelow } from '../../sessions/testing/files-below.ts';
import { ADAPTERS } from './all-hosts.ts';
import { MUCH_LATER } from './feed.ts';

/** A copy of a recording, a new one for each test, for it to damage. Every host looks at it. */
export interface DamagedFolder {
  readonly root: string;
  /** One more recording, by its place below the folder of all adapters. */
  add(recording: string): void;
  sessions(at?: string): ReturnType<typeof createSessions>;
  /** The newest session. */
  tree(at?: string): Promise<SessionTree>;
  /** Of each of its agents, in order: how it ended, calls, messages, tokens. */
  shape(): Promise<readonly (readonly unknown[])[]>;
  /** Its diagnostics, each in a line. */
  problems(): Promise<readonly string[]>;
  /** Files of lines or documents whose name has these words, sorted. */
  files(words: string): readonly string[];
  /** The lines of the first of them. */
  change(words: string, edit: (lines: string[]) => readonly string[]): void;
}

/** To be called where tests are described. */
export function createDamagedFolder(recording: string): DamagedFolder {
  let root = '';
  const add = (name: string): void =>
    cpSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), root, { recursive: true });
  beforeEach(() => {
    root = makeTemporaryFolder('damaged');
    add(recording);
  });

  const sessions = (at = root): ReturnType<typeof createSessions> =>
    createSessions(
      ADAPTERS.map((adapter) => ({ adapter, root: at, forced: false })),
      { clock: () => MUCH_LATER },
    );
  const tree = async (at = root): Promise<SessionTree> => (await sessions(at).open()).tree;
  const files = (words: string): readonly string[] =>
    filesBelow(root).filter((file) => /\.jsonl?$/.test(file) && path.basename(file).includes(words));
  return {
    get root() {
      return root;
    },
    add,
    sessions,
    tree,
    shape: async () =>
      (await tree()).agents.map(({ status, toolCallCount, messageCount, usage }) => [
        status,
        toolCallCount,
        messageCount,
        usage?.output,
      ]),
    problems: async () =>
      (await tree()).diagnostics.map(({ code, count, examples }) => `${code} × ${count} ${examples[0]?.detail}`),
    files,
    change(words, edit) {
      const [file = ''] = files(words);
      writeFileSync(file, edit(readFileSync(file, 'utf8').split('\n')).join('\n'));
    },
  };
}
