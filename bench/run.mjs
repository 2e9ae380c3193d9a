// `npm run bench`: the benchmarks, one table each. Nothing here is part of the tests: machines are shared.
import { parseArgs } from 'node:util';
import { ensureInstalled } from '../scripts/ensure-installed.mjs';

/** In the order in which they run. */
const PARTS = {
  read: ['files to finished trees', async () => runPart(await import('./read.mjs'), 'Read', { runs: 10 })],
  opencode: ['a large database of OpenCode to trees', async () => runPart(await import('./opencode.mjs'), 'Opencode')],
  history: [
    'a whole history: once from its files, then from the index',
    async () => runPart(await import('./history.mjs'), 'History'),
  ],
  cost: ['what sessions cost, beside ccusage', async () => runPart(await import('./cost.mjs'), 'Cost')],
  memory: ['peak memory on large histories', async () => runPart(await import('./memory.mjs'), 'Memory')],
  live: ['the server while agents write', async () => runPart(await import('./live.mjs'), 'Live')],
  page: ['the page in a browser', async () => runPart(await import('./page.mjs'), 'Page')],
  'session-list': [
    'the list of 10,000 sessions',
    async () => runPart(await import('./session-list.mjs'), 'SessionList'),
  ],
  hook: ['what the guard costs in front of each call', async () => runPart(await import('./hook.mjs'), 'Hook')],
  guard: ['what the guard lets past and refuses', async () => runPart(await import('./guard.mjs'), 'Guard')],
  redact: ['redaction of ordinary and hostile texts', async () => runPart(await import('./redact.mjs'), 'Redact')],
  export: ['export of a session of 100 MB', async () => runPart(await import('./export.mjs'), 'Export')],
  stream: ['a stream of a gigabyte', async () => runPart(await import('./stream.mjs'), 'Stream')],
  telegram: ['twenty busy sessions told to Telegram', async () => runPart(await import('./telegram.mjs'), 'Telegram')],
};

const LIST = Object.entries(PARTS)
  .map(([name, [brief]]) => `  ${name.padEnd(14)}${brief}`)
  .join('\n');
const HELP = `Usage: npm run bench -- [PART …]

Run the benchmarks, or some parts of them. Each prints a table.

${LIST}

With --check, measure the budgets of bench/budgets.json and fail if one is exceeded; --against DIR measures another build
in the same run and prints the difference.

Examples:
  npm run bench              all of them
  npm run bench -- --check
  npm run bench -- --check --against ../before
  npm run bench -- guard     one part
  npm run bench -- hook export`;

const { help, check, against, parts } = readOptions();
if (help) console.log(HELP);
else {
  ensureInstalled();
  await import('../scripts/build.mjs');
  if (check || against !== undefined) {
    const { benchBudgets, printBudgets } = await import('./budgets.mjs');
    const exceeded = printBudgets(await benchBudgets({ against }));
    if (check && exceeded > 0) process.exitCode = 1;
  } else for (const part of parts) await PARTS[part][1]();
}

async function runPart(part, name, options) {
  part[`print${name}`](await part[`bench${name}`](options));
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        check: { type: 'boolean' },
        against: { type: 'string' },
      },
    });
    const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
    if (unknown.length > 0) refuse(`there is no part "${unknown.join('", "')}". Parts:\n${LIST}`);
    return { ...values, parts: positionals.length === 0 ? Object.keys(PARTS) : [...new Set(positionals)] };
  } catch (error) {
    refuse(error.message);
  }
}

function refuse(message) {
  console.error(`bench: ${message}\nSee npm run bench -- --help.`);
  process.exit(2);
}
