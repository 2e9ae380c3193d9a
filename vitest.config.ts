import { availableParallelism, devNull } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run alike for everybody: within a coding agent and its hooks, in CI, behind settings of git, in any language.
const KNOBS_OF_TESTS = /^TROUPE_(?:SEED|INDEX|KILLS|STRESS_ROUNDS|PICTURES|BROWSER|CAPTURES|LIVE_KIT|\w+_BIN)$/;
// NODE_*: a list of certificates costs each start of node twice its own time.
const CHANGES_PROGRAMS =
  /^(?:TROUPE|CLAUDE|CODEX|GEMINI|QWEN|COPILOT|OPENCODE|XDG|GIT|LC)_|^CLAUDECODE$|^(?:NO|FORCE)_COLOR$|^CLICOLOR|^(?:CI|COLORTERM|COLUMNS|LINES|LANGUAGE|EDITOR|VISUAL|PAGER|BROWSER|NODE_ENV|NODE_EXTRA_CA_CERTS|NODE_OPTIONS)$/;
for (const name of Object.keys(process.env))
  if (CHANGES_PROGRAMS.test(name) && !KNOBS_OF_TESTS.test(name)) delete process.env[name];
process.umask(0o022);

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/hosts/**', '**/node_modules/**'],
    setupFiles: ['src/lib/testing/setup.ts'],
    pool: 'threads',
    isolate: false,
    // Most tests of the whole wait for programs that they started: two files more at a time than there are processors.
    maxWorkers: availableParallelism() + 2,
    env: { TZ: 'UTC', LANG: 'C.UTF-8', TERM: 'xterm', GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' },
    // Generous, because they only bound how long a failure takes: machines are shared, and slow at times.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
