// The composition root: knows every room, decides nothing.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADAPTERS } from './adapters/registry.ts';
import { systemClock } from './base/clock.ts';
import { runCli } from './faces/cli/run-cli.ts';
import type { FaceContext, Terminal, Where } from './faces/face.ts';
import { createIdentifier } from './tracker/identify.ts';
import { placesFor } from './tracker/places.ts';
import { createSessions } from './tracker/sessions.ts';
import { createTranscripts } from './tracker/transcripts.ts';

/** Of the installed package: the bundle lies in dist/, beside demo/. */
const packageRoot = fileURLToPath(new URL('..', import.meta.url));

function createContext(): FaceContext {
  const machine = { env: process.env, home: homedir() };
  const places = (where: Where) => placesFor(ADAPTERS, machine, where);
  return {
    sessions: (where) => createSessions(places(where), { clock: systemClock, named: where.roots.length > 0 }),
    transcripts: (where) => createTranscripts(places(where), systemClock),
    identifier: () => createIdentifier(ADAPTERS, systemClock),
    demo: () => createSessions(places({ roots: [path.join(packageRoot, 'demo')] }), { clock: systemClock }),
    version: JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')).version,
    clock: systemClock,
    terminal: createTerminal(),
  };
}

function createTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const coloured =
    env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0'
      ? true
      : stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const deep = stdout.isTTY ? stdout.getColorDepth() >= 24 : env['COLORTERM'] === 'truecolor';
  return {
    write: (text) => void stdout.write(text),
    page: (text) => (stdout.isTTY && text.split('\n').length > stdout.rows ? pageThrough(text) : write(stdout, text)),
    note: (text) => void stderr.write(`${text}\n`),
    colours: coloured ? (deep ? '24bit' : '16') : 'none',
    ...(stdout.isTTY && { width: stdout.columns }),
  };
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

/** The person's own pager. */
function pageThrough(text: string): Promise<void> {
  const [command = 'less', ...args] = (process.env['PAGER'] || 'less').split(' ');
  return new Promise((resolve) => {
    // As git does: less shows our colours, and quits by itself where there is little to show.
    const env = { LESS: 'FRX', ...process.env };
    const pager = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'], env });
    pager.on('error', () => write(process.stdout, text).then(resolve));
    pager.on('close', () => resolve());
    // The person may quit before everything was handed over.
    pager.stdin.on('error', () => {});
    pager.stdin.end(text);
  });
}

/** A reader that has seen enough (`troupe ls | head`) closes the pipe: no reason to complain. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`troupe: the output could not be written: ${error.message}\n`);
  process.exit(1);
});

await runCli(process.argv.slice(2), createContext(), process);
