// Calls of a recorded sub-agent, told by the script that hosts run, under a policy that has a person asked about pushes.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { recordedHooks } from '../../src/audit/testing/recorded-spool.ts';
import { type ApprovalKey, createApprovalKey } from '../../src/guard/index.ts';
import { writeHookStubs } from '../../src/hook/index.ts';
import type { ProgramHome } from './program.ts';

export const RECORDING = '2.1.197-nested';

const calls = recordedHooks(RECORDING)
  .map(({ payload }) => payload)
  .filter(({ hook_event_name }) => hook_event_name === 'PreToolUse');
/** A call of «Check app.js». */
export const BASH = calls.findLast(({ tool_name, agent_id }) => tool_name === 'Bash' && agent_id !== undefined) ?? {};

export interface Hook {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly status: number | string | null; readonly said: Said }>;
}

export interface Said {
  readonly permissionDecision?: string;
  readonly permissionDecisionReason?: string;
}

export interface HeldCalls {
  readonly state: string;
  /** `more`: further lines, such as presets. */
  setPolicy(wait: string, onTimeout: string, more?: string): void;
  /** As a host does it: by a shell, with the call on stdin. */
  push(command?: string): Hook;
}

export async function prepareHeldCalls(program: ProgramHome): Promise<HeldCalls> {
  const state = path.join(program.home, '.local/state/troupe');
  const config = path.join(program.home, '.config/troupe');
  mkdirSync(config, { recursive: true });
  const options = { node: process.execPath, hookFile: path.resolve('dist/hook.cjs'), configFolder: config };
  const { guard } = await writeHookStubs(state, options);
  const setPolicy = (wait: string, onTimeout: string, more = ''): void =>
    writeFileSync(path.join(config, 'policy.yaml'), `${policyText(wait, onTimeout)}${more}`);
  setPolicy('60s', 'deny');
  return {
    state,
    setPolicy,
    push(command = 'git push origin main') {
      const child = spawn('sh', ['-c', `'${guard}' claude-code`], { env: { ...process.env, HOME: program.home } });
      let out = '';
      child.stdout.on('data', (data) => {
        out += data;
      });
      child.stdin.end(JSON.stringify({ ...BASH, tool_input: { command } }));
      const ended = once(child, 'close').then(([code, signal]) => ({
        status: signal ?? code,
        said: out === '' ? {} : JSON.parse(out).hookSpecificOutput,
      }));
      return { child, ended };
    },
  };
}

const keys = new Map<string, Promise<ApprovalKey>>();

/** Sets this passphrase, whose key takes half a second to compute: the same one for every test. */
export async function writePassphrase(state: string, passphrase: string): Promise<ApprovalKey> {
  const made = keys.get(passphrase) ?? createApprovalKey(passphrase, new Date());
  keys.set(passphrase, made);
  const key = await made;
  writeFileSync(path.join(state, 'approval-key.json'), JSON.stringify(key), { mode: 0o600 });
  return key;
}

function policyText(wait: string, onTimeout: string): string {
  return `version: 1
rules:
  - name: pushes are asked about
    tools: "Bash(git push:*)"
    decision: ask
    wait: ${wait}
    on_timeout: ${onTimeout}
    reason: It leaves this machine.
`;
}
