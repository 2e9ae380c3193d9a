import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/hosts/**', '**/node_modules/**'],
    setupFiles: ['src/io/testing/seed.ts'],
    pool: 'threads',
    isolate: false,
    // Most tests of the whole wait for programs that they started: one file more at a time than there are processors to run them.
    maxWorkers: availableParallelism() + 1,
    env: { TZ: 'UTC' },
    // Generous, because they only bound how long a failure takes: machines are shared, and slow at times.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
