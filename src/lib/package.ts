import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTextSync } from './regular-file.ts';

/** The bundle is in dist/; unbundled, as in tests, this file is in src/lib/. */
export const packageFolder = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../..' : '..', import.meta.url));

export const demoFolder = path.join(packageFolder, 'demo');
/** What runs as `troupe`. */
export const programFile = path.join(packageFolder, 'dist', 'troupe.js');
/** What makes an export for the server. */
export const exportProcessFile = path.join(packageFolder, 'dist', 'export-process.js');
/** A thread of a large export. */
export const exportWorkerFile = path.join(packageFolder, 'dist', 'export-worker.js');
/** A thread that reads sessions into the index. */
export const indexThreadFile = path.join(packageFolder, 'dist', 'index-thread.js');
/** What searches for the server. */
export const searchProcessFile = path.join(packageFolder, 'dist', 'search-process.js');
/** What hosts run where no server answers. */
export const hookFile = path.join(packageFolder, 'dist', 'hook.cjs');
export const packageVersion: string = JSON.parse(readTextSync(path.join(packageFolder, 'package.json'))).version;
