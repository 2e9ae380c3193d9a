// Where a command is to run. Up to 0.15x the hook says in which folder the thread is, and not that a call asks for another; later it
// says the call's. The rollout has the whole call by then (seen in every version that has hooks), and the thread's folder.

import path from 'node:path';
import { asObject, asText, parseJson } from '../../../lib/json.ts';
import { readPart } from '../../../lib/read-lines.ts';
import { callIn } from '../tools.ts';
import { threadIn } from './thread-chain.ts';

const TAIL_BYTES = 1024 * 1024;

/** `cwd`: what the hook says. Undefined where the call cannot be seen: then nobody knows the folder. */
export function workdirOf(call: string, rollout: string, cwd: string): string | undefined {
  const lines = readPart(rollout, 'tail', TAIL_BYTES)?.split('\n').reverse() ?? [];
  for (const line of lines) {
    if (!line.includes(call)) continue;
    const made = callIn(asObject(asObject(parseJson(line))?.['payload']) ?? {});
    if (made?.id !== call) continue;
    const fields = asObject(made.input);
    const named = asText(fields?.['workdir']) ?? asText(fields?.['working_directory']);
    if (named === undefined) return cwd;
    const from = folderOfTurn(lines) ?? threadIn(rollout)?.cwd;
    return from === undefined && !path.isAbsolute(named) ? undefined : path.resolve(from ?? '/', named);
  }
  return undefined;
}

function folderOfTurn(lines: readonly string[]): string | undefined {
  const turn = lines.find((line) => line.includes('"type":"turn_context"'));
  return asText(asObject(asObject(parseJson(turn))?.['payload'])?.['cwd']);
}
