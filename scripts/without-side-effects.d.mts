import type { Plugin } from 'esbuild';

export const withoutSideEffects: Plugin;
