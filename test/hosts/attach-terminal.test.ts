import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentReport } from '../../src/core/index.ts';
import { hasTerminal, openTerminal, type Terminal } from '../testing/terminal.ts';
import { type AttachHosts, startAttachHosts } from './attach-kit.ts';
import { programsIn } from './host-kit.ts';
import { kit, nameOf, root } from './kit.ts';

// Without a message, the program is opened for the person in their terminal, and knows what was done. TROUPE_CLAUDE_BIN.

const QUESTION = 'Which file was it? [[play:plain]]';
/** What the sub-agent of the play did, and nobody else. */
const DEED = 'grep -rn TODO src | wc -l';

for (const claude of programsIn('TROUPE_CLAUDE_BIN'))
  describe.skipIf(!hasTerminal)(`troupe attach at a terminal, ${nameOf(claude)}`, () => {
    let at: AttachHosts;
    let agent: AgentReport;
    let session: string;
    let terminal: Terminal;

    beforeAll(async () => {
      at = await startAttachHosts(`terminal-${claude.replaceAll(/[^\w.]+/g, '-')}`, new Map([['claude', claude]]));
      const allowed = ['--model', 'claude-sonnet-4-5', '--allowedTools', 'Bash,Read,Agent,Task'];
      await at.hosts.run('claude', ['-p', 'Please do the job. [[play:single]]', ...allowed]);
      agent = await at.agentOf('claude-code');
      session = (await at.tree()).session.id;
      await answerFirstQuestions(at);
      at.heard.take();
      const env = { ...at.hosts.env, TROUPE_HOME: path.join(at.hosts.home, 'troupe-state'), TERM: 'xterm-256color' };
      terminal = openTerminal(at.hosts.project, env);
    }, 240_000);
    afterAll(async () => {
      terminal?.close();
      await at?.close();
    });

    const attach = async (...args: readonly string[]): Promise<void> => {
      terminal.type(
        `clear; "${process.execPath}" "${path.join(root, 'dist/troupe.js')}" attach ${args.join(' ')}; echo "ended with $?"`,
      );
      // The line to type into.
      await terminal.until(/^\s*[❯>│]/m);
    };
    /** Says it, waits for the answer, and leaves. */
    const ask = async (): Promise<readonly string[]> => {
      terminal.type(QUESTION);
      await terminal.until(/Which file was it\?.*No sub-agents needed/s);
      const told = at.heard.take();
      terminal.type('/exit');
      await terminal.until(/^ended with \d+/m);
      return told;
    };

    it('a session goes on where it was', async () => {
      await attach(session);
      const told = await ask();
      expect(terminal.screen()).toContain('ended with 0');
      const question = told.find((body) => body.includes('Which file was it?'));
      expect(question).toContain('Please do the job.');
    });

    it('a copy of a sub-agent knows what it did, and stands below it', async () => {
      await attach(agent.id, '--fork');
      const told = await ask();
      expect(told.some((body) => body.includes('Which file was it?') && body.includes(DEED))).toBe(true);
      const { agents } = await at.tree(session);
      const copy = agents.find(({ parentId }) => parentId === agent.id);
      expect(copy?.evidence?.source).toBe('continued');
    });
  });

/** Theme, key and trust, which the program asks for at its first start in a terminal. */
async function answerFirstQuestions({ hosts: { env, home, project } }: AttachHosts): Promise<void> {
  const { seedAnswers } = await import(pathToFileURL(path.join(kit, 'record-claude-interactive.mjs')).href);
  const folder = env['CLAUDE_CONFIG_DIR'] ?? home;
  const file = path.join(folder, '.claude.json');
  const before = JSON.parse(readFileSync(file, 'utf8'));
  seedAnswers({ ...env, CLAUDE_CONFIG_DIR: folder }, project, before.lastOnboardingVersion ?? '99.0.0');
  writeFileSync(file, JSON.stringify({ ...before, ...JSON.parse(readFileSync(file, 'utf8')) }));
}
