// The composition root: knows every room, decides nothing.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADAPTERS } from './adapters/registry.ts';
import { systemClock } from './base/clock.ts';
import { runCli } from './faces/cli/run-cli.ts';
import type { FaceContext, Terminal, Where } from './faces/face.ts';
import { createIdentifier } from './tracker/identify.ts';
import { createSessions, placesOf } from './tracker/sessions.ts';

/** Of the installed package: the bundle lies in dist/, beside demo/. */
const packageRoot = fileURLToPath(new URL('..', import.meta.url));

function createContext(): FaceContext {
  const machine = { env: process.env, home: homedir() };
  const adaptersFor = (host: string | undefined) =>
    ADAPTERS.filter((adapter) => host === undefined || adapter.host === host);
  return {
    sessions({ roots, host }: Where) {
      const chosen = roots.map((root) => path.resolve(root));
      return createSessions(
        placesOf(adaptersFor(host), (adapter) => (chosen.length > 0 ? chosen : adapter.roots(machine))),
        { clock: systemClock, named: chosen.length > 0 },
      );
    },
    identifier: () => createIdentifier(ADAPTERS, systemClock),
    demo: () =>
      createSessions(
        placesOf(ADAPTERS, () => [path.join(packageRoot, 'demo')]),
        { clock: systemClock },
      ),
    hosts: ADAPTERS.map(({ host }) => host),
    version: JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')).version,
    clock: systemClock,
    terminal: createTerminal(),
  };
}

function createTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const coloured =
    env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0' ? true : stdout.isTTY && !env['NO_COLOR'];
  const deep = stdout.isTTY ? stdout.getColorDepth() >= 24 : env['COLORTERM'] === 'truecolor';
  return {
    write: (text) => void stdout.write(text),
    note: (text) => void stderr.write(`${text}\n`),
    colours: coloured ? (deep ? '24bit' : '16') : 'none',
    ...(stdout.isTTY && { width: stdout.columns }),
  };
}

/** A reader that has seen enough (`troupe ls | head`) closes the pipe: no reason to complain. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

await runCli(process.argv.slice(2), createContext(), process);
