// `npm run matrix`: every play on every version of every host. README.md says how to add one.
import { runCell } from './cell.mjs';
import { findNode22, install } from './install.mjs';
import { HELP, listAll, readOptions, UsageError } from './options.mjs';
import { PLAYS } from './plays.mjs';
import { formatTable, writeOffers, writePage } from './report.mjs';
import { removeAll } from './sandbox.mjs';
import { ensureBuilt } from './troupe.mjs';

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    removeAll();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
process.on('exit', removeAll);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\nRun "npm run matrix -- --help" for the options.`);
  process.exitCode = 2;
}

async function main(args) {
  const options = readOptions(args);
  if (options.help) return print(HELP);
  if (options.list) return print(listAll());
  if (options.cells.length === 0) throw new UsageError('No cell matches: these plays are for other hosts or versions.');
  ensureBuilt();
  const results = await playAll(options);
  if (options.json) print(`${JSON.stringify(results, null, 2)}\n`);
  else print(formatTable(results));
  if (results.some(({ color }) => color === 'red')) return 1;
  return results.some(({ isSkipped }) => isSkipped) ? 2 : 0;
}

/** Each result is written at once: a run that is ended early keeps what it has. @returns results in the order of the cells */
async function playAll({ cells, jobs, keep, ...options }) {
  const programs = new Map();
  const results = [];
  const queue = [...cells.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, { host, version, name }] = next;
      const id = `${host.name} ${version}`;
      if (!programs.has(id)) programs.set(id, prepareHost({ host, version, options }));
      const result = await playCell({ ...(await programs.get(id)), host, version, name, keep });
      results[index] = { host: host.name, version, play: name, ...result };
      console.error(`[${index + 1}/${cells.length}] ${id} ${name}: ${describe(result)}`);
      if (options['no-page'] || result.isSkipped) continue;
      writePage([results[index]]);
      if (result.offers) writeOffers(results[index]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

async function prepareHost({ host, version, options }) {
  const nodeFolder = host.needsNode22 ? findNode22(options.node22) : undefined;
  if (host.needsNode22 && !nodeFolder) return { problem: `${host.title} needs Node 22: give it with --node22 PATH` };
  return { ...(await install({ host, version, cache: options.cache })), nodeFolder };
}

/** Whatever goes wrong in one cell, the others are played. */
async function playCell({ problem, ...cell }) {
  // Says nothing about the host, so the page does not get it.
  const skipped = (reason) => ({ color: 'grey', reason, differences: [], ms: 0, isSkipped: true });
  if (problem) return skipped(problem);
  return runCell({ ...cell, play: PLAYS[cell.name] }).catch((error) => skipped(`The kit failed: ${error.message}`));
}

function describe({ color, reason, differences, ms, isSkipped, recording }) {
  if (color === 'grey' && !isSkipped && recording && differences.length === 0)
    return `grey (${reason}), but all checks pass`;
  if (color === 'grey') return `grey (${reason})`;
  const time = `${(ms / 1000).toFixed(1)} s`;
  if (color === 'green') return `green (${time})`;
  const [{ check, text }] = differences;
  return `red (${time}), ${differences.length} differences; first, ${check}: ${text}`;
}

function print(text) {
  process.stdout.write(text);
  return 0;
}
