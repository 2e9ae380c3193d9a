// What keeps Codex from running hooks besides missing trust in each of them (`approval.ts`). Seen with 0.166.0: none of it is said anywhere.

import path from 'node:path';
import { readText } from '../../../lib/regular-file.ts';
import type { HookObstacle, ObstacleQuestion } from '../../index.ts';
import { rootsOf } from '../data-folder.ts';

const REQUIREMENTS = '/etc/codex/requirements.toml';

export async function findObstacles({ machine, folder }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const own = rootsOf(machine).map((root) => path.resolve(root, 'config.toml'));
  const found: HookObstacle[] = [];
  for (const file of [...own, path.join(folder, '.codex', 'config.toml'), REQUIREMENTS]) {
    const values = readToml(await textOf(file));
    if (FEATURES.some((key) => values.get(key) === 'false'))
      found.push({
        text: `${file} switches hooks off (features.hooks = false).`,
        remedy: `Remove that setting from ${file}, then restart Codex.`,
      });
    if (file === REQUIREMENTS && values.get('allow_managed_hooks_only') === 'true')
      found.push({
        text: `${file} lets only managed hooks run (allow_managed_hooks_only).`,
        remedy: 'Ask the administrator of this machine.',
      });
    const trust = own.includes(file) ? values.get(`projects.${JSON.stringify(folder)}.trust_level`) : undefined;
    if (trust === '"untrusted"')
      found.push({
        text: `Codex does not trust ${folder}, and runs no hooks of its .codex folder (${file}).`,
        remedy: 'Start codex in this folder and trust it, or install the hooks with --scope user.',
        scopes: ['project'],
      });
  }
  return found;
}

/** `codex_hooks` is the older name. */
const FEATURES = ['features.hooks', 'features.codex_hooks'];

async function textOf(file: string): Promise<string> {
  return readText(file).catch(() => '');
}

/**
 * Keys with one word or one string behind them, by their whole path as it is written; everything else in the file is passed over. Enough for
 * switches, and wrong for none of them: a key in a string of several lines looks like one here, and at worst reports too much.
 */
export function readToml(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let table = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[([^[\]]+|[^[]*"[^"]*"[^[]*)\]\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) table = `${joined(header)}.`;
    else if (/^\s*\[\[/.test(line)) table = '[].';
    const [, key, value] = /^\s*([\w."'/ -]+?)\s*=\s*(\{.*\}|"[^"]*"|[\w.-]+)\s*(?:#.*)?$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    if (value.startsWith('{'))
      for (const [, inner = '', word = ''] of value.matchAll(/([\w."-]+)\s*=\s*("[^"]*"|[\w.-]+)/g))
        values.set(`${table}${joined(key)}.${joined(inner)}`, word);
    else values.set(`${table}${joined(key)}`, value);
  }
  return values;
}

/** `features . "hooks"` is `features.hooks`; a name that needs its quotes keeps them. */
function joined(key: string): string {
  return [...key.matchAll(/"[^"]*"|'[^']*'|[^.\s"']+/g)]
    .map(([part]) => (/^["'][\w-]+["']$/.test(part) ? part.slice(1, -1) : part))
    .join('.');
}
