// The way in: what the parts are, compose/ says; what to do, faces/cli.

import { createContext, runCli } from './cli/index.ts';

/** A reader that has seen enough (`troupe ls | head`) closes the pipe: no reason to complain. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`troupe: the output could not be written: ${error.message}\n`);
  process.exit(1);
});

/** Nowhere to complain, such as a log on a full disk: no reason to stop serving. */
process.stderr.on('error', () => {});

await runCli(process.argv.slice(2), createContext(), process);
