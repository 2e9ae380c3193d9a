// Databases for tests, written by another process: what a program that is gone, killed or still at work leaves behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface DatabaseWriter {
  /** Runs statements, one transaction each unless they say otherwise. Throws what SQLite says. */
  run(...statements: readonly string[]): Promise<void>;
  /** Closes it in good order. */
  close(): Promise<void>;
  kill(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('database-writer.mjs', import.meta.url));

/** A process of its own: locks are kept for each process. */
export async function startWriter(file: string): Promise<DatabaseWriter> {
  const child = spawn(process.execPath, [PROGRAM, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: unknown): Promise<void> => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const { value } = await answers.next();
    const { error } = JSON.parse(value ?? '{"error":"the writer is gone"}');
    if (error !== undefined) throw new Error(error);
  };
  await ask([]);
  return {
    run: (...statements) => ask(statements),
    async close() {
      child.stdin.end();
      await gone(child);
    },
    async kill() {
      child.kill('SIGKILL');
      await gone(child);
    },
  };
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
