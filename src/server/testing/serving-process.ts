// A server in a process of its own, as the tool will run it: listens, claims the folder, serves until it is told to end.
// Says in one line of JSON what became of it.

import { claimDaemon } from '../claim-daemon.ts';
import { createIdentity, describeOwn } from '../daemon-file.ts';
import { createServer } from '../http/create-server.ts';
import { memoryLive } from '../http/testing/memory-live.ts';

const [folder = '', recheckMs = '3000', mode = ''] = process.argv.slice(2);
if (mode === 'fail') {
  process.stderr.write('first line\nno luck today\n');
  process.exit(3);
}
const startedAt = Date.now();
const { token, epoch } = createIdentity();
const server = createServer({ live: memoryLive(), token, epoch, version: '1.2.3', startedAt });
const { port } = await server.listen();
const own = await describeOwn({ port, token, epoch, version: '1.2.3', startedAt: new Date(startedAt).toISOString() });
const say = (what: object): unknown => process.stdout.write(`${JSON.stringify({ pid: process.pid, ...what })}\n`);
// Before the server can be found: a signal may come as soon as it is.
if (mode === 'stuck')
  process.on('SIGUSR2', () => {
    for (;;);
  });
process.on('SIGTERM', async () => {
  if (mode === 'deaf') return;
  const claim = await claiming;
  if (claim.role === 'serving') await claim.release();
  await server.close();
  process.exit(0);
});
const claiming = claimDaemon(folder, own, {
  recheckMs: Number(recheckMs),
  async onLost(other) {
    say({ role: 'lost', to: other.pid });
    await server.close();
    process.exit(0);
  },
});
const claim = await claiming;
if (claim.role === 'found') {
  say({ role: 'found', to: claim.daemon.pid });
  await server.close();
  process.exit(0);
}
say({ role: 'serving', to: process.pid });
