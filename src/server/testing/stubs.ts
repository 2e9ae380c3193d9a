// The generated programs themselves, in a folder with an awkward name. In place of dist/hook.cjs stands a program that says
// what it was handed.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HookStubs, writeHookStubs } from '../../hook/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';

export interface Stubs extends HookStubs {
  readonly state: string;
  readonly hookFile: string;
  /** Everything in the spool, or in another folder beside it. */
  names(folder?: string): readonly string[];
  events(): readonly SpooledEvent[];
}

export interface SpooledEvent {
  readonly payload: Buffer;
  readonly last: Readonly<Record<string, unknown>>;
}

export async function makeStubs(): Promise<Stubs> {
  const work = makeTemporaryFolder("o'clock stubs");
  const state = path.join(work, 'state');
  const hookFile = path.join(work, 'dist', 'hook.cjs');
  mkdirSync(path.dirname(hookFile));
  writeFileSync(hookFile, STANDALONE);
  const names = (folder = 'spool'): readonly string[] => readdirSync(path.join(state, folder)).sort();
  return {
    ...(await writeHookStubs(state, { node: process.execPath, hookFile })),
    ...{ state, hookFile, names },
    events: () =>
      names()
        .filter((name) => /^claude-code\.\d+\.\d+\.json$/.test(name))
        .map((name) => splitEvent(readFileSync(path.join(state, 'spool', name)))),
  };
}

/** Settles a draft as the real one does, and tells that it was there. */
const STANDALONE = `
const fs = require('node:fs');
const [, , command, host, draft, ppid] = process.argv;
const { NODE_OPTIONS, NODE_EXTRA_CA_CERTS } = process.env;
if (command === 'drain') fs.appendFileSync(host + '/drained', 'once\\n');
else if (draft.endsWith('/-')) process.stdout.write('from node: ' + fs.readFileSync(0));
else {
  fs.appendFileSync(draft, '\\n' + JSON.stringify({ by: 'node', command, host, ppid, NODE_OPTIONS, NODE_EXTRA_CA_CERTS }) + '\\n');
  fs.renameSync(draft, draft.replace('.new-', '') + '.json');
  process.stdout.write('from node');
}
`;

function splitEvent(bytes: Buffer): SpooledEvent {
  const end = bytes.lastIndexOf('\n', -2);
  return { payload: bytes.subarray(0, end), last: JSON.parse(bytes.subarray(end).toString()) };
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const SILENT: Ran = { status: 0, stdout: '', stderr: '' };

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export function run(file: string, input: string | Buffer, options: RunOptions = {}): Ran {
  const { args = ['claude-code'], env = process.env } = options;
  for (let tries = 1; ; tries++) {
    const { status, stdout, stderr, error } = spawnSync(file, args, { input, env, timeout: 20_000 });
    if (!isBusy(error) || tries === BUSY_TRIES) {
      if (!stdout || !stderr) throw error ?? new Error(`${file} did not start`);
      return { status, stdout: stdout.toString(), stderr: stderr.toString() };
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  }
}

/** Runs it while this process goes on. */
export async function runAlong(file: string, input: string | Buffer): Promise<Ran> {
  const child = await startAlong(file);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  child.stdin.end(input);
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}

async function startAlong(file: string): Promise<ChildProcessWithoutNullStreams> {
  for (let tries = 1; ; tries++) {
    try {
      const child = spawn(file, ['claude-code']);
      await once(child, 'spawn');
      return child;
    } catch (error) {
      if (!isBusy(error) || tries === BUSY_TRIES) throw error;
    }
    await sleep(BUSY_MS);
  }
}

const BUSY_TRIES = 200;
const BUSY_MS = 20;

/**
 * A script cannot be started while any process has it open for writing. A program that another test thread starts in the moment
 * in which the script is written inherits that descriptor until its own exec.
 */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETXTBSY';
}
