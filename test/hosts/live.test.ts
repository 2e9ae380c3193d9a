import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cannotStop, compare, dictate, leavesBackground, minor, nameOf, programs, record, work } from './kit.ts';
import { type WatchedServer, watchServer } from './watched-server.ts';

// The built server beside the real program: every append that an independent fs.watch sees must be in the event stream
// soon after, and the picture at the end must be what the script dictated.

const PROMISED_MS = 100;
/** `many` again and again: two hundred changes are wanted. */
const SCENARIOS = ['single', 'parallel', 'many', 'nested', 'background', 'failing', 'stop', 'resume', 'many', 'many'];

for (const program of programs) {
  describe(`live, ${nameOf(program)}`, () => {
    const config = path.join(mkdtempSync(path.join(work, 'live-')), 'config');
    mkdirSync(path.join(config, 'projects'), { recursive: true });
    let server: WatchedServer;

    beforeAll(async () => {
      const written = { below: 'projects', files: /\.jsonl$/ };
      server = await watchServer(config, written, path.join(config, '..', 'home'));
    });
    afterAll(() => server.stop());

    for (const [index, scenario] of SCENARIOS.entries()) {
      it(`${scenario}: the picture at the end is what the script dictated`, async () => {
        const before = new Set(await server.sessionIds());
        await record(program, {
          scenario: `live-${index}-${scenario}`,
          play: scenario,
          env: { CLAUDE_CONFIG_DIR: config },
        });
        const detail = await server.settled(before);
        const seen = { session: detail, agents: [detail.main, ...detail.subagents] };
        const version = detail.hostVersion ?? '';
        if (scenario === 'resume' && minor(version) < 190) return expect(seen.agents).toHaveLength(2);
        if ((scenario === 'background' && leavesBackground(version)) || (scenario === 'stop' && cannotStop(version)))
          return;
        const depth = Math.max(...seen.agents.map((agent) => agent.depth ?? 0));
        compare(seen as never, await dictate(scenario, scenario === 'nested' ? depth : 1));
      });
    }

    it('killed: running until then, unknown soon after', async () => {
      const before = new Set(await server.sessionIds());
      const options = { play: 'hang', killAfter: 6000, killSignal: 'SIGKILL', env: { CLAUDE_CONFIG_DIR: config } };
      await record(program, { scenario: 'live-killed', ...options });
      const detail = await server.settled(before);
      const changes = server.heard.flatMap(({ change }) => (change.sessionId === detail.id ? change.agents : []));
      expect(changes.map(({ status }) => status)).toContain('running');
      expect([detail.main, ...detail.subagents].map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    });

    it(`every change is in the event stream within ${PROMISED_MS} ms (95 of 100)`, () => {
      server.expectPrompt(nameOf(program), PROMISED_MS, 200);
    });
  });
}
