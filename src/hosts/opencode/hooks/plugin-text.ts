// The file that OpenCode loads: it tells the scripts of troupe what is about to happen, and does as they say. It stands alone and
// is written once, so it holds no rule and reads no policy.

import path from 'node:path';
import { parseHookCommand } from '../../../core/index.ts';
import { asText, known, parseObject } from '../../../lib/json.ts';
import type { HookCommands } from '../../index.ts';
import { GUARD_SECONDS } from '../../shared/index.ts';
import { HOST } from '../record.ts';
import { PLUGIN_BODY } from './plugin-body.ts';

const HEAD = /^\/\/ troupe \S+: a plugin of OpenCode that /;
const COMMANDS = /^const commands = (\{.*\});$/m;

export function isOurs(text: string): boolean {
  return HEAD.test(text);
}

export function commandsIn(text: string): HookCommands | undefined {
  const found = parseObject(COMMANDS.exec(text)?.[1]);
  const observe = asText(found?.['observe']);
  return observe === undefined ? undefined : { observe, ...known({ guard: asText(found?.['guard']) }) };
}

export function pluginText({ observe, guard }: HookCommands): string {
  const { file = '', version = '' } = parseHookCommand(observe, HOST) ?? {};
  const what = guard === undefined ? 'tells troupe of tool calls' : 'asks troupe before tool calls';
  const address = path.join(path.dirname(path.dirname(file)), 'hook-address');
  return `// troupe ${version}: a plugin of OpenCode that ${what}. Written by troupe; changes to it are lost.
// To take it out: troupe hooks uninstall --host ${HOST}
import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const commands = ${JSON.stringify({ observe, ...known({ guard }) })};
const address = ${JSON.stringify(address)};
const longest = ${GUARD_SECONDS * 1_000};
${PLUGIN_BODY}`;
}
