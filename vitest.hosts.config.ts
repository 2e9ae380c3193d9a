import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/hosts/**/*.test.ts'], pool: 'threads', fileParallelism: false, testTimeout: 300_000 },
});
