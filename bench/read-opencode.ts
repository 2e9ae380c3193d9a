import { buildTree } from '../src/core/index.ts';
import { opencode } from '../src/hosts/opencode/index.ts';
import { beBrief } from '../src/lib/stay-small.ts';
import { readSession } from '../src/sessions/index.ts';
import { TABLES_SIDE_BY_SIDE } from '../src/sessions/read-session.ts';

/** Every session of a data folder to its tree, as `troupe ls` reads them: so many at a time, and V8 told the same. */
beBrief();
const begin = performance.now();
const { sessions } = await opencode.locate(process.argv[2] ?? '');
let agents = 0;
const queue = sessions.values();
const readOn = async (): Promise<void> => {
  for (const session of queue) {
    const ledger = await readSession(opencode, session);
    agents += buildTree(ledger, { now: Date.parse('2030-01-01') }).agents.length;
  }
};
await Promise.all(Array.from({ length: TABLES_SIDE_BY_SIDE }, readOn));
process.stdout.write(
  JSON.stringify({ agents, ms: performance.now() - begin, peakMegabytes: process.resourceUsage().maxRSS / 1e3 }),
);
