import { opencode } from '../src/adapters/opencode/index.ts';
import { buildTree } from '../src/model/build-tree.ts';
import { readSession } from '../src/tracker/read-session.ts';

/** Every session of a data folder to its tree, two at a time, as a list of them is made (`tracker/sessions.ts`). */
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
await Promise.all([readOn(), readOn()]);
process.stdout.write(
  JSON.stringify({ agents, ms: performance.now() - begin, peakMegabytes: process.resourceUsage().maxRSS / 1e3 }),
);
