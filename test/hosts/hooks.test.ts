import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry, CoverageReport } from '../../src/core/index.ts';
import { minor, nameOf, programs, record, recordTogether, root, work } from './kit.ts';
import { followEvents, type Heard, type RunningServer, startServer } from './server.ts';

// Hooks as `troupe hooks install` writes them, under the real program: the audit must name the agent in whose file a call
// stands, for every call, and the coverage must be whole.

/** From the call of the hook to the event stream; the hook itself takes some of it. */
const PROMISED_MS = 150;
const SCENARIOS = ['single', 'parallel', 'many', 'nested', 'background', 'failing', 'resume', 'stop'];

for (const program of programs) {
  // 1.0.60 reads settings from its own places only, and those are the kit's.
  const takesSettings = execFileSync(program, ['--help'], { encoding: 'utf8' }).includes('--settings');
  describe.skipIf(!takesSettings)(`hooks, ${nameOf(program)}`, () => {
    const own = mkdtempSync(path.join(work, 'hooks-'));
    const config = path.join(own, 'config');
    const env = { ...process.env, HOME: path.join(own, 'home'), TROUPE_HOME: path.join(own, 'state') };
    const settings = path.join(own, '.claude', 'settings.json');
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
    const troupe = (...args: readonly string[]): string =>
      spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { env, cwd: own, encoding: 'utf8' })
        .stdout;
    const install = (...flags: readonly string[]): void =>
      void troupe('hooks', 'install', '--scope', 'project', '--yes', '--host-version', version, ...flags);
    const heard: Heard[] = [];
    const late: number[] = [];
    let server: RunningServer;

    beforeAll(async () => {
      for (const folder of ['home', 'config/projects']) mkdirSync(path.join(own, folder), { recursive: true });
      server = await startServer(config, env);
      await followEvents(server, heard);
    });
    afterAll(() => server.stop());

    /** One run; the session that it left. */
    const run = async (name: string, options: object): Promise<string> => {
      const before = new Set(sessionsIn(config));
      await record(program, {
        scenario: name,
        env: { CLAUDE_CONFIG_DIR: config },
        extra: ['--settings', settings],
        ...options,
      });
      const [session] = sessionsIn(config).filter((id) => !before.has(id));
      return session ?? '';
    };
    const coverageOf = (session: string): CoverageReport =>
      JSON.parse(troupe('guard', 'coverage', session, '--root', config, '--json'));
    const entriesOf = (session: string): readonly AuditEntry[] =>
      troupe('guard', 'log', '--session', session, '-n', '500', '--json')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line));

    for (const [index, scenario] of SCENARIOS.entries()) {
      it(`${scenario}: every call is heard, under the name of its agent`, async () => {
        install(...(index % 2 === 0 ? ['--guard'] : []));
        const session = await run(`hooks-${scenario}`, { play: scenario });
        const coverage = coverageOf(session);
        const entries = entriesOf(session);
        const owners = ownersIn(config, session);
        process.stdout.write(
          `${nameOf(program)} ${scenario}: heard ${coverage.heard} of ${coverage.ran}, never ran ${coverage.neverRan.length}, entries ${entries.length}, unknown ${entries.filter(({ agent }) => agent.who === 'unknown').length}\n`,
        );
        late.push(...latenciesOfEnds(path.join(own, 'state'), session, heard));
        expect(entries.length).toBeGreaterThan(0);
        for (const { call, agent } of entries) {
          if (agent.who === 'unknown') continue;
          if (agent.evidence !== 'exact') continue;
          expect(agent.id, `${call}`).toBe(owners.get(call ?? ''));
        }
        if (hasCallIds(version)) {
          expect(coverage.missed).toEqual([]);
          expect(coverage.heard).toBe(coverage.ran);
          expect(entries.filter(({ agent }) => agent.who === 'unknown')).toEqual([]);
        }
      });
    }

    it('killed in the middle: what was heard is kept', async () => {
      const session = await run('hooks-killed', { play: 'hang', killAfter: 6000, killSignal: 'SIGKILL' });
      const owners = ownersIn(config, session);
      const entries = entriesOf(session);
      expect(entries.length).toBeGreaterThan(0);
      if (hasCallIds(version))
        expect(entries.map(({ agent, call }) => agent.id === owners.get(call ?? ''))).not.toContain(false);
    });

    it('two in one folder at once: no call under the name of the other’s agent', async () => {
      const before = new Set(sessionsIn(config));
      await recordTogether(program, ['parallel', 'many'], {
        env: { CLAUDE_CONFIG_DIR: config },
        extra: ['--settings', settings],
      });
      const sessions = sessionsIn(config).filter((id) => !before.has(id));
      expect(sessions).toHaveLength(2);
      for (const session of sessions) {
        const owners = ownersIn(config, session);
        const entries = entriesOf(session);
        expect(entries.length).toBeGreaterThan(0);
        for (const { call, agent } of entries)
          if (agent.evidence === 'exact') expect(agent.id, `${call}`).toBe(owners.get(call ?? ''));
      }
    });

    it('a hook that is taken out is missed', async () => {
      install();
      const text = JSON.parse(readFileSync(settings, 'utf8'));
      delete text.hooks.PreToolUse;
      writeFileSync(settings, JSON.stringify(text));
      const session = await run('hooks-without', { play: 'single' });
      const coverage = coverageOf(session);
      expect(coverage.heard).toBe(0);
      expect(coverage.missed.length).toBe(coverage.ran);
      expect(coverage.ran).toBeGreaterThan(1);
    });

    it('an end that a hook tells is in the tree at once', () => {
      const sorted = late.toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
      process.stdout.write(
        `${nameOf(program)}: ${sorted.length} ends, p50 ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms after the hook was called\n`,
      );
      expect(sorted.length).toBeGreaterThan(5);
      expect(at(0.95)).toBeLessThan(PROMISED_MS);
    });

    it('the chain is whole', () => {
      expect(troupe('guard', 'log', '--verify')).toContain('every line is as it was written');
    });
  });
}

/** Hooks say which call they are about from 2.0.43 on. */
function hasCallIds(version: string): boolean {
  return version.startsWith('2.1.') || (version.startsWith('2.0.') && minor(version) >= 43);
}

function sessionsIn(config: string): readonly string[] {
  return readdirSync(path.join(config, 'projects'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/[0-9a-f]{8}-[^/]+\.jsonl$/.test(file))
    .map((file) => path.basename(file, '.jsonl'));
}

/** In whose file each call stands: by the names of the files, and by nothing that troupe says. */
function ownersIn(config: string, session: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const projects = path.join(config, 'projects');
  for (const file of readdirSync(projects, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.jsonl')) continue;
    const agent = /agent-([^/]+)\.jsonl$/.exec(file)?.[1];
    const text = readFileSync(path.join(projects, file), 'utf8');
    if (!text.includes(session)) continue;
    for (const line of text.split('\n')) {
      if (!line.includes('"type":"assistant"')) continue;
      const { message, isSidechain } = JSON.parse(line);
      if (agent === undefined && isSidechain) continue;
      for (const block of message?.content ?? [])
        if (block.type === 'tool_use') owners.set(block.id, agent ?? path.basename(file, '.jsonl'));
    }
  }
  return owners;
}

/** How long after each end that a hook told the stream told it; already told counts as nothing. */
function latenciesOfEnds(state: string, session: string, heard: readonly Heard[]): readonly number[] {
  const file = path.join(state, 'hooks', 'claude-code', `${session}.jsonl`);
  const told = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ends = told.filter(({ payload }) => ['SubagentStop', 'StopFailure'].includes(payload.event) && payload.agent);
  return ends.flatMap(({ at, payload }) => {
    const isEnd = ({ change }: Heard): boolean =>
      change.agents.some(({ id, status }) => id === payload.agent && (status === 'completed' || status === 'failed'));
    const first = heard.find((one) => isEnd(one) && performance.timeOrigin + one.at > at - 2_000);
    return first ? [Math.max(0, performance.timeOrigin + first.at - at)] : [];
  });
}
