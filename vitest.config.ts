import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/hosts/**', '**/node_modules/**'],
    pool: 'threads',
    isolate: false,
    env: { TZ: 'UTC' },
    testTimeout: 20_000,
  },
});
