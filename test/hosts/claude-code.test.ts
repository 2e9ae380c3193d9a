import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { computeTree } from '../../src/core/index.ts';
import { claudeCode } from '../../src/hosts/claude-code/index.ts';
import { createSessions } from '../../src/sessions/index.ts';
import {
  cannotStop,
  compare,
  dictate,
  leavesBackground,
  minor,
  modelUsage,
  nameOf,
  programs,
  record,
  root,
  type Seen,
  totalCost,
  work,
} from './kit.ts';

// The real program, offline, against the scripted model of the recording kit. What it leaves behind must give the tree
// that the script dictated.

/** What the built program shows now. */
async function treeNow(config: string): Promise<Seen> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    path.join(root, 'dist/troupe.js'),
    'tree',
    '--json',
    '--root',
    config,
  ]);
  return JSON.parse(stdout);
}

/** The same a day later: versions without a record of their processes count as alive for five minutes. */
async function treeLater(config: string): Promise<Seen> {
  const clock = (): number => Date.now() + 86_400_000;
  const opened = await createSessions([{ adapter: claudeCode, root: config, forced: false }], { clock }).open();
  return computeTree(opened, { internal: false }) as Seen;
}

for (const program of programs) {
  describe(nameOf(program), () => {
    for (const scenario of [
      'plain',
      'single',
      'parallel',
      'nested',
      'failing',
      'many',
      'background',
      'stop',
      'resume',
    ]) {
      it(`${scenario}: the tree equals what the script dictated`, async () => {
        const { out, config } = await record(program, { scenario });
        const seen = await treeLater(config);
        // Up to 2.1.150 SendMessage is not offered with -p: the call fails, and there is no second run.
        if (scenario === 'resume' && minor(seen.session.hostVersion) < 190) return expect(seen.agents).toHaveLength(2);
        const { hostVersion } = seen.session;
        const isLeft = scenario === 'background' ? leavesBackground : scenario === 'stop' ? cannotStop : () => false;
        if (isLeft(hostVersion))
          return expect(seen.agents.map(({ status }) => status).join(' ')).toMatch(/^completed (unknown|stopped)$/);
        const depth = Math.max(...seen.agents.map((agent) => agent.depth));
        compare(seen, await dictate(scenario, scenario === 'nested' ? depth : 1));
        const counted = modelUsage(out);
        const { usage, usageIsLowerBound } = seen.session;
        if (usageIsLowerBound) expect(usage.output).toBeLessThanOrEqual(counted ?? 0);
        else expect(usage.output).toBe(counted);
        if (!usageIsLowerBound) expect(seen.session.cost.usd).toBeCloseTo(totalCost(out) ?? -1, 6);
        if (hostVersion === '2.1.325' && scenario !== 'stop') expect(usageIsLowerBound).toBe(false);
      });
    }

    it('killed: unknown, not running', async () => {
      const { config } = await record(program, {
        scenario: 'killed',
        play: 'hang',
        killAfter: 6000,
        killSignal: 'SIGKILL',
      });
      const seen = await treeLater(config);
      expect(seen.agents.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    });

    it('while it works: running, with the tool it uses, and completed at the end', async () => {
      const config = path.join(work, 'projects', 'background-live', 'config');
      const seen = new Set<string>();
      let done = false;
      const recording = record(program, { scenario: 'background-live', play: 'background' }).finally(() => {
        done = true;
      });
      while (!done) {
        if (existsSync(path.join(config, 'projects'))) {
          const tree = await treeNow(config).catch(() => undefined);
          for (const agent of tree?.agents ?? [])
            seen.add(`${agent.kind} ${agent.status} ${agent.currentTool ?? ''}`.trim());
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const { config: left } = await recording;
      const atTheEnd = await treeLater(left);
      if (leavesBackground(atTheEnd.session.hostVersion)) {
        expect([...seen]).toContain('task running');
        // Now and then it still gets to write the interruption as it goes down.
        return expect(atTheEnd.agents.map(({ status }) => status).join(' ')).toMatch(/^completed (unknown|stopped)$/);
      }
      expect([...seen]).toContain('task running Bash');
      expect([...seen].some((state) => state.startsWith('main running') || state.startsWith('main waiting'))).toBe(
        true,
      );
      expect(atTheEnd.agents.map(({ status }) => status)).toEqual(['completed', 'completed']);
    });
  });
}
