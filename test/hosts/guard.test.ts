import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/model/audit.ts';
import { nameOf, programs, record, root, work } from './kit.ts';
import { type RunningServer, startServer } from './server.ts';

// A policy under the real program: what a type of sub-agent may not do does not happen, and its transcript says why. Before
// 2.1.69 a hook may be called before its call is in any file: then nobody is known, and a deny for some agents holds for
// whoever may be one of them.

const POLICY = `version: 1
defaults: { unknown: none }
rules:
  - name: helpers remove nothing
    agents: { type: general-purpose }
    tools: "Bash(rm:*)"
    decision: deny
    reason: Ask a person to remove it.
  - name: helpers say who they are
    agents: { type: general-purpose }
    tools: ["Bash(wc:*)", "Bash(sleep:*)"]
    decision: allow
    tell_identity: true
`;

/** In place of `wc`, which sub-agents of the play run: says who it was told runs it, and makes a commit. */
const WC = `#!/bin/sh
own=$(dirname "$0")/told-$$
git init -q "$own"
git -C "$own" -c user.name=Person -c user.email=person@example.com commit -q --allow-empty -m counted
{ echo "$TROUPE_AGENT" && git -C "$own" log --format='%an, %cn'; } > "$own/told"
`;

for (const program of programs) {
  const takesSettings = execFileSync(program, ['--help'], { encoding: 'utf8' }).includes('--settings');
  describe.skipIf(!takesSettings)(`guard, ${nameOf(program)}`, () => {
    const own = mkdtempSync(path.join(work, 'guard-'));
    const config = path.join(own, 'config');
    const state = path.join(own, 'state');
    const env = { ...process.env, HOME: path.join(own, 'home'), TROUPE_HOME: state };
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
    const troupe = (...args: readonly string[]): string =>
      spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { env, cwd: own, encoding: 'utf8' })
        .stdout;
    let server: RunningServer | undefined;
    for (const folder of ['home', 'state', 'config/projects']) mkdirSync(path.join(own, folder), { recursive: true });
    writeFileSync(path.join(state, 'policy.yaml'), POLICY);
    troupe('hooks', 'install', '--guard', '--scope', 'project', '--yes', '--host-version', version);
    afterAll(() => server?.stop());

    for (const how of ['without a server', 'with a server']) {
      it(`${how}: the command of the sub-agent is denied, with the reason`, async () => {
        if (how === 'with a server') server = await startServer(config, env);
        const before = new Set(filesIn(config));
        await record(program, {
          scenario: `guard-${how.split(' ')[0]}`,
          play: 'guarded',
          env: { CLAUDE_CONFIG_DIR: config },
          extra: ['--settings', path.join(own, '.claude/settings.json')],
        });
        const texts = filesIn(config)
          .filter((file) => !before.has(file))
          .map((file) => readFileSync(file, 'utf8'))
          .join('\n');
        // 2.0.76 forgets the reason where another hook of the same call (the kit's) is done later.
        expect(texts).toMatch(/Ask a person to remove it|Hook PreToolUse:Bash denied this tool/);
        const denied = troupe('guard', 'log', '--decision', 'deny', '--json')
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line): AuditEntry => JSON.parse(line));
        expect(denied.at(-1)).toMatchObject({ tool: 'Bash', summary: 'rm -rf build', rule: 'user:1' });
        expect(denied.at(-1)?.agent).toMatchObject({ who: 'subagent', type: 'general-purpose' });
      });
    }

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
        expect(entry).toMatchObject({ tool: 'Bash', summary: expect.stringMatching(/^wc -l /), rule: 'user:2' });
        expect(entry?.reason).toContain(`told who runs them: ${told}`);
      }
    });
  });
}

function filesIn(config: string): readonly string[] {
  return readdirSync(path.join(config, 'projects'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => path.join(config, 'projects', file));
}

function isBefore(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}
