import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

// The page: built into dist/web, served from memory by src/server. Nothing in it is fetched from anywhere else.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // For developing: `TROUPE_API=http://127.0.0.1:PORT TROUPE_TOKEN=… npx vite --config web/vite.config.ts`.
  server: {
    proxy: {
      '/api': {
        target: process.env['TROUPE_API'] ?? 'http://127.0.0.1:4711',
        changeOrigin: true,
        headers: { authorization: `Bearer ${process.env['TROUPE_TOKEN'] ?? ''}` },
      },
    },
  },
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The server sends one policy for all of it: no inlined scripts or images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Modules of src do nothing when they are loaded, so what the page does not use of a room is left out.
    rolldownOptions: { treeshake: { moduleSideEffects: (id: string) => !id.startsWith(SOURCES) } },
    reportCompressedSize: true,
  },
});
