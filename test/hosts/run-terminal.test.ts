import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/sessions/index.ts';
import { agentsTold } from '../../src/sessions/stream/testing/replay-stream.ts';
import { hasTerminal, openTerminal, type Terminal } from '../testing/terminal.ts';
import { linesOf, prepare, resultsOf } from './intercept-kit.ts';
import { nameOf, programs, root } from './kit.ts';

// The real program in a real terminal, with troupe around it. TROUPE_CLAUDE_BIN.

const ASK = (wait: string): string => `version: 1
rules:
  - agents: { kind: subagent }
    tools: "Bash(rm:*)"
    decision: ask
    reason: It removes something
    wait: ${wait}
    on_timeout: deny
  - tools: "Write(//**/outside/**)"
    decision: deny
`;

const QUESTION = 'Allow it once?';
const troupe = `"${process.execPath}" "${path.join(root, 'dist/troupe.js')}"`;

for (const program of programs)
  describe.skipIf(!hasTerminal)(`in a terminal, ${nameOf(program)}`, () => {
    let close = async (): Promise<void> => {};
    afterEach(() => close());

    const start = async (play: string, flags: string, { policy = '', args = '' } = {}) => {
      const { workspace, model, env } = await prepare(play, policy === '' ? {} : { policy });
      const terminal = openTerminal(workspace.project, { ...env, TERM: 'xterm', HISTFILE: '/dev/null' });
      close = async () => {
        terminal.close();
        await model.close?.();
      };
      const command = `"${program}" -p 'Please do the job. [[play:${play}]]' --model claude-sonnet-4-5 ${args}`;
      terminal.type(`clear; ${troupe} run ${flags} -- ${command}; echo "ended with $?"`);
      return { terminal, env, project: workspace.project as string };
    };
    const isKept = (project: string): boolean => existsSync(path.join(project, 'build/out.txt'));
    const isRestored = async (terminal: Terminal): Promise<void> => {
      terminal.type("stty -a | grep -o '.icanon\\b\\|.echo\\b' | tr '\\n' '|'; echo .");
      await terminal.until(/ icanon\| echo\|\./);
    };

    it('a question is answered by keys: yes', async () => {
      const { terminal, project } = await start('guarded', '--intercept --tree', { policy: ASK('5m') });
      await terminal.until(QUESTION);
      expect(terminal.screen()).toContain('rm -rf build');
      // Neither is an answer, so it is asked again.
      terminal.press('Enter');
      terminal.type('what');
      terminal.type('y');
      await terminal.until('ended with 0');
      expect(isKept(project)).toBe(false);
      // The question stands where it stood, and the tree is below.
      expect(terminal.screen()).toMatch(/Allow it once\? [^\n]*\] y\n.*└─ ✓/s);
      await isRestored(terminal);
    });

    it('or no', async () => {
      const { terminal, project, env } = await start('guarded', '--intercept', { policy: ASK('5m') });
      await terminal.until(QUESTION);
      terminal.type('n');
      await terminal.until('ended with 0');
      expect(isKept(project)).toBe(true);
      expect(resultsOf(env).find(({ isOfAgent }) => isOfAgent)).toMatchObject({ isError: true });
    });

    it('or by nobody, and what was typed before it came is no answer', async () => {
      const { terminal, project } = await start('guarded', '--intercept', { policy: ASK('4s') });
      terminal.press('y', 'Enter');
      await terminal.until(QUESTION);
      await terminal.until('It is settled without an answer from here.');
      await terminal.until('ended with 0');
      expect(isKept(project)).toBe(true);
      await isRestored(terminal);
    });

    it('Ctrl-C at a question is Ctrl-C for everybody', async () => {
      const { terminal, project } = await start('guarded', '--intercept', { policy: ASK('5m') });
      await terminal.until(QUESTION);
      terminal.press('C-c');
      terminal.type('echo and now $?');
      // Some versions end with 0 then.
      await terminal.until(/and now \d+/);
      expect(terminal.screen()).not.toContain('bug of troupe');
      expect(isKept(project)).toBe(true);
      await isRestored(terminal);
    });

    it('Ctrl-C ends the program in the middle of its work, and troupe as the program', async () => {
      const { terminal } = await start('hang', '--tree', { args: '--output-format stream-json --verbose > out.jsonl' });
      await terminal.until('Hangs');
      terminal.press('C-c');
      terminal.type('echo and now $?');
      await terminal.until(/and now \d+/);
      await isRestored(terminal);
    });

    it('prints no stream there, and is followed by the files of its session', async () => {
      const { terminal, project } = await start('parallel', '--tree --events events.jsonl', {
        args: '--allowedTools Bash,Read,Write,Agent,Task',
      });
      await terminal.until('ended with 0');
      const events = linesOf(readFileSync(path.join(project, 'events.jsonl'), 'utf8')) as unknown as StreamEvent[];
      const told = agentsTold(events);
      expect(told.map(({ ends }) => ends)).toEqual([['completed'], ['completed']]);
      expect(told.every(({ isTidy }) => isTidy)).toBe(true);
      expect(terminal.screen()).toContain('└─ ✓');
    });
  });
