import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { packageFolder } from '../lib/package.ts';
import { readRegular } from '../lib/regular-file.ts';
import type { PageFile, PageFiles } from './http/page-files.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The built page, read once. */
export async function readPageFiles(): Promise<PageFiles> {
  const folder = path.join(packageFolder, 'dist', 'web');
  const files = new Map<string, PageFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[path.extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const place = path.join(entry.parentPath, entry.name);
    const address = `/${path.relative(folder, place).split(path.sep).join('/')}`;
    files.set(address === '/index.html' ? '/' : address, { bytes: new Uint8Array(await readRegular(place)), type });
  }
  return files;
}
