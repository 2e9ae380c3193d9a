// Bundles the command line tool into one JavaScript file that `node` runs. Dependencies stay outside: npm installs them.
import { chmodSync, rmSync } from 'node:fs';
import { ensureInstalled, root } from './ensure-installed.mjs';

ensureInstalled();
const { build } = await import('esbuild');

rmSync(`${root}dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { troupe: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: 'linked',
  sourcesContent: false,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
chmodSync(`${root}dist/troupe.js`, 0o755);
