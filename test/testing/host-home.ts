// A home with Claude Code on its PATH, for tests that install hooks and look at what becomes of them.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { keepContents, makeTemporaryFolder } from '../../src/lib/testing/temporary-folder.ts';
import { createProgramHome, type ProgramHome } from './program.ts';

export interface HostHome {
  readonly program: ProgramHome;
  /** Holds `bin`, `project` and `state`. */
  readonly base: string;
  /** Claude Code's settings of the person. */
  readonly settings: string;
  state(...names: readonly string[]): string;
  /** A program of this version comes first on the PATH. */
  hostSays(version: string): void;
  /** In the project. */
  troupe(...args: readonly string[]): ReturnType<ProgramHome['run']>;
  /** For the beginning of a test: does this once, and later puts everything back to how it was after that. */
  begin(name: string, setUp: () => Promise<unknown>): Promise<void>;
}

/** To be called where tests are described. Each test begins with Claude Code 2.1.325, without hooks. */
export function createHostHome(): HostHome {
  const program = createProgramHome();
  const base = makeTemporaryFolder('host');
  const state = (...names: readonly string[]): string => path.join(base, 'state', ...names);
  const hostSays = (version: string): void => {
    const file = path.join(base, 'bin', 'claude');
    writeFileSync(file, `#!/bin/sh\necho '${version} (Claude Code)'\n`);
    chmodSync(file, 0o755);
  };
  const keep = (): (() => void) => {
    const folders = [keepContents(program.home), keepContents(base)];
    return () => {
      for (const putBack of folders) putBack();
    };
  };
  const begun = new Map<string, () => void>();
  let reset: () => void;
  beforeAll(() => {
    for (const folder of ['bin', 'project']) mkdirSync(path.join(base, folder));
    hostSays('2.1.325');
    reset = keep();
  });
  beforeEach(() => reset());
  afterEach(() => program.end());

  return {
    program,
    base,
    settings: path.join(program.home, '.claude', 'settings.json'),
    state,
    hostSays,
    troupe(...args) {
      const env = { PATH: `${path.join(base, 'bin')}:/usr/bin:/bin`, TROUPE_HOME: state() };
      return program.run(args, { env, cwd: path.join(base, 'project') });
    },
    async begin(name, setUp) {
      const putBack = begun.get(name);
      if (putBack) return putBack();
      await setUp();
      begun.set(name, keep());
    },
  };
}
