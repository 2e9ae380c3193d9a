// What a host does with an installed hook: it runs the very command of its settings by a shell, with the payload on its input.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Payload = Readonly<Record<string, unknown>>;

const HOOKS = new URL('../../src/hosts/claude-code/hooks/fixtures/', import.meta.url);

/** The payloads that Claude Code handed to its hooks in a recorded session, in front of tool calls. */
export function recordedCalls(recording: string): readonly Payload[] {
  return readFileSync(fileURLToPath(new URL(`${recording}.jsonl`, HOOKS)), 'utf8')
    .trim()
    .split('\n')
    .map((line): Payload => JSON.parse(line).payload)
    .filter((payload) => payload['hook_event_name'] === 'PreToolUse');
}

export function callHook(settings: string, payload: Payload): void {
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8'));
  const command: string = hooks.PreToolUse[0].hooks[0].command;
  const env = { PATH: '/usr/bin:/bin' };
  const ran = spawnSync('/bin/sh', ['-c', command], { env, input: JSON.stringify(payload), encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`the hook ended with ${ran.status}: ${ran.stderr}`);
}
