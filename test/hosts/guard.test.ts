import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/core/index.ts';
import { namesCallers } from '../../src/hosts/claude-code/guard.ts';
import { AGENTS, addRemovalPlays, HIDING, nameOfPlay, REMOVALS } from './guard-plays.ts';
import { nameOf, programs, record, recordTogether, root, work } from './kit.ts';
import { type RunningServer, startServer } from './server.ts';

// A policy under the real program: what agents of one type may not do does not happen, in whatever way they run, and their
// transcripts say why; main may do it. Before 2.1.69 a hook does not say who calls, and may be called before its call is in any
// file: then nobody is known, a deny for some agents holds for whoever may be one of them, and `defaults.unknown` for the rest.

const policyText = (unknown: string) => `version: 1
defaults: { unknown: ${unknown} }
rules:
  - name: helpers remove nothing
    agents: { type: general-purpose }
    tools: "Bash(rm:*)"
    decision: deny
    reason: Ask a person to remove it.
  - name: main may remove
    agents: { kind: main }
    tools: "Bash(rm:*)"
    decision: allow
  - name: helpers say who they are
    agents: { type: general-purpose }
    tools: ["Bash(wc:*)", "Bash(sleep:*)"]
    decision: allow
    inject_identity: true
`;

const ALLOW_LIST = `version: 1
defaults: { main: deny, subagent: deny, unknown: deny }
rules:
  - { agents: { kind: main }, tools: Agent, decision: allow }
  - { tools: "Bash(ls:*)", decision: allow }
`;

/** In place of `wc`, which sub-agents of the play run: says who it was told runs it, and makes a commit. */
const WC = `#!/bin/sh
own=$(dirname "$0")/told-$$
git init -q "$own"
git -C "$own" -c user.name=Person -c user.email=person@example.com commit -q --allow-empty -m counted
{ echo "$TROUPE_AGENT" && git -C "$own" log --format='%an, %cn'; } > "$own/told"
`;

/** By whom, and what must come of it where everybody is known. The lead of a helper is bound by the helper's deny. */
const EXPECTED: Readonly<Record<string, { readonly decision: string; readonly rule: string | null }>> = {
  main: { decision: 'allow', rule: 'user:2' },
  'main-later': { decision: 'allow', rule: 'user:2' },
  explorer: { decision: 'none', rule: null },
  lead: { decision: 'none', rule: null },
  'helper-one': { decision: 'deny', rule: 'user:1' },
  'helper-two': { decision: 'deny', rule: 'user:1' },
  'helper-of-lead': { decision: 'deny', rule: 'user:1' },
  'lead-of-helper': { decision: 'deny', rule: 'user:1' },
  'background-helper': { decision: 'deny', rule: 'user:1' },
  'resumed-helper': { decision: 'deny', rule: 'user:1' },
};

/** TROUPE_TELL=1: says who was told what, and `?` where that was said to somebody who was not known. */
const isTold = process.env['TROUPE_TELL'] !== undefined;

beforeAll(addRemovalPlays);

for (const program of programs) {
  const takesSettings = execFileSync(program, ['--help'], { encoding: 'utf8' }).includes('--settings');
  describe.skipIf(!takesSettings)(`guard, ${nameOf(program)}`, () => {
    const own = mkdtempSync(path.join(work, 'guard-'));
    const config = path.join(own, 'config');
    const state = path.join(own, 'state');
    const env = { ...process.env, HOME: path.join(own, 'home'), TROUPE_HOME: state };
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
    const isNamed = namesCallers(version);
    const troupe = (...args: readonly string[]): string =>
      spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { env, cwd: own, encoding: 'utf8' })
        .stdout;
    const logged = (): readonly AuditEntry[] =>
      troupe('guard', 'log', '-n', '1000', '--json', '--root', config)
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line): AuditEntry => JSON.parse(line));
    /** Gives the folder it was done in, and what the audit has of it. */
    const perform = async (play: string, scenario: string) => {
      const before = logged().length;
      const project = await recordTogether(program, [nameOfPlay(play)], {
        scenario,
        env: { CLAUDE_CONFIG_DIR: config },
        extra: ['--settings', path.join(own, '.claude/settings.json'), '--agents', AGENTS],
      });
      return { project, entries: logged().slice(before) };
    };
    let server: RunningServer | undefined;
    for (const folder of ['home', 'state', 'config/projects']) mkdirSync(path.join(own, folder), { recursive: true });
    writeFileSync(path.join(state, 'policy.yaml'), policyText('none'));
    troupe('hooks', 'install', '--guard', '--scope', 'project', '--yes', '--host-version', version);
    troupe('guard', 'check');
    afterAll(() => server?.stop());

    for (const how of ['without a server', 'with a server']) {
      it.each(Object.keys(REMOVALS))(`${how}, %s: who may not remove does not, and is told why`, async (play) => {
        if (how === 'with a server') server ??= await startServer(config, env);
        const isById = play === 'resumed' && !sendsMessages(version);
        const { project, entries } = await perform(
          isById ? `${play}-by-id` : play,
          `${version}-${play}-${how.split(' ')[0]}`,
        );
        const results = resultsIn(config);
        const tried = new Map<string, AuditEntry>();
        for (const entry of entries) {
          const who = /^rm -rf build\/([\w-]+)$/.exec(entry.summary ?? '')?.[1];
          if (entry.tool === 'Bash' && who !== undefined) tried.set(who, entry);
        }
        const isNesting = tried.has('helper-of-lead') || tried.has('lead-of-helper');
        const wanted = REMOVALS[play]?.removers ?? [];
        const expectedToTry = play === 'nested' && !isNesting ? ['lead'] : wanted;
        expect([...tried.keys()].sort()).toEqual([...expectedToTry].sort());
        for (const [who, entry] of tried) {
          const { decision, rule } = entry;
          const expected = EXPECTED[who];
          const label = `${who}: ${entry.reason}`;
          // Who cannot be told from a helper is denied what helpers are; never the other way round.
          if (isNamed || expected?.decision === 'deny') expect({ decision, rule }, label).toEqual(expected);
          else expect([expected, EXPECTED['helper-one']], label).toContainEqual({ decision, rule });
          expect(existsSync(path.join(project, 'build', who)), label).toBe(decision === 'deny');
          if (decision === 'deny') expect(results.get(entry.call ?? ''), label).toContain('Ask a person to remove it');
        }
        if (isNamed) {
          expect(tried.get('main')?.agent.who ?? 'main').toBe('main');
          for (const [who, { agent }] of tried)
            if (who.includes('helper') && who !== 'lead-of-helper')
              expect(agent, who).toMatchObject({ who: 'subagent', type: 'general-purpose' });
        }
        if (isTold) tell(`${version} ${how}, ${play}`, tried);
      });

      it.skipIf(isNamed)(`${how}: the default for unknown agents decides where nobody is known`, async () => {
        writeFileSync(path.join(state, 'policy.yaml'), policyText('deny'));
        troupe('guard', 'check');
        if (how === 'with a server') server ??= await startServer(config, env);
        const { entries } = await perform('resumed-by-id', `${version}-unknown-${how.split(' ')[0]}`);
        writeFileSync(path.join(state, 'policy.yaml'), policyText('none'));
        troupe('guard', 'check');
        const others = entries.filter(({ summary }) => !summary?.startsWith('rm '));
        expect(others.length).toBeGreaterThan(0);
        for (const { decision, reason, tool, summary } of others)
          expect(decision, `${tool} ${summary}: ${reason}`).toBe(reason?.includes('not known') ? 'deny' : 'none');
      });
    }

    // Older versions do not name the caller, and main could not start the sub-agent.
    it.skipIf(!isNamed)(
      'denies code that is hidden behind an allowed command, and runs that command alone',
      async () => {
        writeFileSync(path.join(state, 'policy.yaml'), ALLOW_LIST);
        troupe('guard', 'check');
        const { project, entries } = await perform('allow-list', `${version}-allow-list`);
        writeFileSync(path.join(state, 'policy.yaml'), policyText('none'));
        troupe('guard', 'check');
        const calls = entries.filter(({ tool, agent }) => tool === 'Bash' && agent.who === 'subagent');
        expect(calls.map(({ summary, decision }) => [summary, decision])).toEqual([
          [HIDING, 'deny'],
          ['ls src', 'allow'],
        ]);
        expect(existsSync(path.join(project, 'escaped'))).toBe(false);
        const results = resultsIn(config);
        expect(results.get(calls[0]?.call ?? '')).toContain('test can run code from such arguments');
        expect(results.get(calls[1]?.call ?? '')).toContain('app.js');
      },
    );

    // Of several hooks in front of one call (the kit has one) older versions take what the last to answer gives.
    it.skipIf(isBefore(version, '2.1.69'))('commands of a sub-agent, and its commits, say who runs them', async () => {
      const bin = path.join(own, 'bin');
      mkdirSync(bin);
      writeFileSync(path.join(bin, 'wc'), WC, { mode: 0o700 });
      await record(program, {
        scenario: 'guard-identity',
        play: 'nested',
        env: { CLAUDE_CONFIG_DIR: config, PATH: `${bin}${path.delimiter}${process.env['PATH']}` },
        extra: ['--settings', path.join(own, '.claude/settings.json')],
      });
      const folders = readdirSync(bin).filter((name) => name.startsWith('told-'));
      expect(folders).toHaveLength(2);
      const log = troupe('guard', 'log', '--decision', 'allow', '--json');
      const allowed = log.split('\n').filter((line) => line.startsWith('{'));
      for (const folder of folders) {
        const [told = '', names = ''] = readFileSync(path.join(bin, folder, 'told'), 'utf8').split('\n');
        const pattern = /^claude-code:[\w-]+:(\w+):main\/(?:general-purpose|\?)\/general-purpose$/;
        expect(told).toMatch(pattern);
        const id = pattern.exec(told)?.[1] ?? '';
        expect(names).toBe(`general-purpose (agent ${id.slice(0, 8)}), Person`);
        const entries = allowed.map((line): AuditEntry => JSON.parse(line));
        // As it was asked for, and what was added to it.
        const entry = entries.find(({ agent }) => agent.id === id);
        expect(entry).toMatchObject({ tool: 'Bash', summary: expect.stringMatching(/^wc -l /), rule: 'user:3' });
        expect(entry?.reason).toContain(`told who runs them: ${told}`);
      }
    });
  });
}

function tell(title: string, tried: ReadonlyMap<string, AuditEntry>): void {
  const words = [...tried].map(
    ([who, { decision, reason }]) => `${who} ${decision}${reason?.includes('not known') ? ' ?' : ''}`,
  );
  process.stdout.write(`${title}: ${words.join(', ')}\n`);
}

/** Up to 2.1.150 it is not offered with -p. */
function sendsMessages(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major > 2 || minor > 1 || (minor === 1 && patch >= 190);
}

/** What came of each call, by what the transcripts say. */
function resultsIn(config: string): ReadonlyMap<string, string> {
  const results = new Map<string, string>();
  for (const file of readdirSync(path.join(config, 'projects'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.jsonl')) continue;
    for (const line of readFileSync(path.join(config, 'projects', file), 'utf8').split('\n')) {
      if (!line.includes('"tool_result"')) continue;
      for (const block of JSON.parse(line).message?.content ?? [])
        if (block.type === 'tool_result') results.set(block.tool_use_id, JSON.stringify(block.content));
    }
  }
  return results;
}

function isBefore(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}
