// The built program in a home of its own: settings, state and Claude Code's data lie there.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '../../src/lib/testing/temporary-folder.ts';
import { OUTSIDE_AGENTS } from './server-access.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface RunningProgram {
  readonly child: ChildProcess;
  /** What it has written so far. */
  out(): string;
  errors(): string;
  /** The code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What runs it, e.g. `['nohup']`. */
  readonly before?: readonly string[];
  /** What to run in its place, in the folder of the package. */
  readonly instead?: readonly string[];
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
}

export interface ProgramHome {
  readonly home: string;
  /** Where it keeps its state. */
  readonly state: string;
  start(args: readonly string[], options?: RunOptions): RunningProgram;
  run(
    args: readonly string[],
    options?: RunOptions,
  ): Promise<{ readonly code: number | string | null; readonly out: string; readonly errors: string }>;
  /** Ends what was started, a server in the background too. */
  end(): Promise<void>;
}

export function createProgramHome(recording = '2.1.325-nested'): ProgramHome {
  const home = makeTemporaryFolder('program-test');
  cpSync(path.join(root, 'src/hosts/claude-code/fixtures', recording), path.join(home, '.claude'), {
    recursive: true,
  });
  return programIn(home);
}

/** The program in a home that the test fills itself. `always`: for every run that does not say otherwise. */
export function programIn(home: string, always: Pick<RunOptions, 'env' | 'cwd'> = {}): ProgramHome {
  const state = always.env?.['TROUPE_HOME'] ?? path.join(home, '.local/state/troupe');
  const running = new Set<RunningProgram>();

  const start: ProgramHome['start'] = (args, { env = {}, before = [], instead, stdio, cwd } = {}) => {
    const { CLAUDE_CONFIG_DIR: _c, XDG_CONFIG_HOME: _x, XDG_STATE_HOME: _s, TROUPE_HOME: _t, ...clean } = process.env;
    const [command = '', ...rest] = instead ?? [
      ...before,
      process.execPath,
      path.join(root, 'dist/troupe.js'),
      ...args,
    ];
    const child = spawn(command, rest, {
      env: { ...clean, ...OUTSIDE_AGENTS, HOME: home, USERPROFILE: home, ...always.env, ...env },
      stdio: stdio ?? ['ignore', 'pipe', 'pipe'],
      cwd: cwd ?? always.cwd ?? root,
    });
    let [out, errors] = ['', ''];
    child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    const ended = once(child, 'close').then(([code, signal]) => signal ?? code);
    const program = { child, out: () => out, errors: () => errors, ended };
    running.add(program);
    void ended.then(() => running.delete(program));
    return program;
  };
  const run: ProgramHome['run'] = async (args, options) => {
    const program = start(args, options);
    return { code: await program.ended, out: program.out(), errors: program.errors() };
  };
  return {
    home,
    state,
    start,
    run,
    async end() {
      const server = serverIn(state);
      if (server !== undefined && ![...running].some(({ child }) => child.pid === server))
        await run(['server', 'stop']);
      const left = [...running];
      for (const { child } of left) child.kill('SIGKILL');
      await Promise.all(left.map(({ ended }) => ended));
    },
  };
}

/** The process that its file names. */
function serverIn(state: string): number | undefined {
  try {
    return JSON.parse(readFileSync(path.join(state, 'daemon.json'), 'utf8')).pid;
  } catch {
    return undefined;
  }
}
