import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** What a serving process says of itself. */
export interface Said {
  readonly role: 'serving' | 'found' | 'lost';
  readonly pid: number;
  /** Who serves. */
  readonly to: number;
}

export interface ServingProcess {
  readonly pid: number;
  next(): Promise<Said>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Bundles the script of a serving process; where it lies. */
export async function bundleServing(folder: string): Promise<string> {
  const outfile = `${folder}/serving.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL('./serving-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
  });
  return outfile;
}

const running = new Set<ChildProcess>();

export function startServing(script: string, args: readonly string[]): ServingProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error('it ended without a word');
      return JSON.parse(value);
    },
    async kill(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

/** Those that a test started and did not end. */
export async function endAll(): Promise<void> {
  const ends = [...running].map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ends);
}
