import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// The page: built into dist/web, served from memory by faces/server. Nothing in it is fetched from anywhere else.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The server sends one policy for all of it: no inlined scripts or images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
