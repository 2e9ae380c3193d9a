// The service of OpenCode 2, which every client of a person talks to: where it is, and with which password. The password stays in memory.

import path from 'node:path';
import { modifiedAt } from '../../../lib/folders.ts';
import { asAmount, asText, parseObject } from '../../../lib/json.ts';
import { isStillRunning } from '../../../lib/processes.ts';
import { readText } from '../../../lib/regular-file.ts';
import type { Machine } from '../../index.ts';
import { ifAbsolute } from '../host.ts';

export interface Service {
  /** Of this machine. */
  readonly url: string | undefined;
  readonly pid: number;
  readonly version: string | undefined;
}

const passwords = new Map<string, string>();

/** Undefined for an address that no service of this person has. */
export function passwordOf(address: string): string | undefined {
  return passwords.get(originOf(address) ?? '');
}

/** `$XDG_STATE_HOME/opencode/service.json`: undefined if it is not there, or was left behind. */
export async function readService({ env, home }: Machine): Promise<Service | undefined> {
  const state = ifAbsolute(env['XDG_STATE_HOME']) ?? path.join(home, '.local', 'state');
  const file = path.join(state, 'opencode', 'service.json');
  const said = parseObject(await readText(file).catch(() => undefined));
  const pid = asAmount(said?.['pid']);
  if (!said || pid === undefined || !(await isStillRunning(pid, await modifiedAt(file)))) return undefined;
  const [url, password] = [originOf(asText(said['url']) ?? ''), asText(said['password'])];
  if (url !== undefined && password !== undefined) passwords.set(url, password);
  return { url, pid, version: asText(said['version']) };
}

const LOCAL = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Undefined for one elsewhere: its password would leave this machine. */
function originOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && /^https?:$/.test(url.protocol) && LOCAL.has(url.hostname) ? url.origin : undefined;
}
