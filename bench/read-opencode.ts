import { buildTree } from '../src/core/build-tree.ts';
import { opencode } from '../src/hosts/opencode/index.ts';
import { readSession } from '../src/sessions/read-session.ts';

/** Every session of a data folder to its tree, as `troupe ls` reads them. Of each room, only what that needs is loaded. */
const begin = performance.now();
const { sessions } = await opencode.locate(process.argv[2] ?? '');
let agents = 0;
for (const session of sessions) {
  const ledger = await readSession(opencode, session);
  agents += buildTree(ledger, { now: Date.parse('2030-01-01') }).agents.length;
}
process.stdout.write(
  JSON.stringify({ agents, ms: performance.now() - begin, peakMegabytes: process.resourceUsage().maxRSS / 1e3 }),
);
