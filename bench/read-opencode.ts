import { opencode } from '../src/adapters/opencode/index.ts';
import { buildTree } from '../src/model/build-tree.ts';
import { readSession } from '../src/tracker/read-session.ts';

/** Every session of a data folder to its tree, one after the other, as a list of them is made. */
const begin = performance.now();
const { sessions } = await opencode.locate(process.argv[2] ?? '');
let agents = 0;
for (const session of sessions)
  agents += buildTree(await readSession(opencode, session), { now: Date.parse('2030-01-01') }).agents.length;
process.stdout.write(
  JSON.stringify({ agents, ms: performance.now() - begin, peakMegabytes: process.resourceUsage().maxRSS / 1e3 }),
);
