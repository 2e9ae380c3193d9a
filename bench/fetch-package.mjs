// Programs of others that a benchmark holds ours against: from npm, into bench/.cache, once. No part of the project.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../scripts/ensure-installed.mjs';

/** Where `file` of the package lies; undefined where it cannot be had. */
export function fetchPackage(name, file) {
  const folder = path.join(root, 'bench/.cache', name);
  const place = path.join(folder, file);
  if (!existsSync(place)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
    spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', name], { cwd: folder });
  }
  return existsSync(place) ? place : undefined;
}
