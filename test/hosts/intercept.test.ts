import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { intercept, linesOf } from './intercept-kit.ts';
import { nameOf, programs, work } from './kit.ts';

const DENY = `version: 1
rules:
  - name: no removals
    agents: { kind: subagent }
    tools: "Bash(rm:*)"
    decision: deny
    reason: Sub-agents keep what is there
`;

const RESULTS = `version: 1
results:
  - name: nothing is removed
    agents: { kind: subagent }
    tools: "Bash(rm:*)"
    result: |
      removed 'build'
      it's "done" $HOME
  - tools: Write
    result: File created successfully.
`;

for (const program of programs)
  describe(`intercept, ${nameOf(program)}`, () => {
    it('a denied call of a sub-agent is denied, with the reason in its transcript', async () => {
      const ran = await intercept(program, { play: 'guarded', policy: DENY });
      expect([ran.code, ran.errors]).toEqual([0, '']);
      expect(existsSync(path.join(ran.project, 'build/out.txt'))).toBe(true);
      const [denied] = ran.results.filter(({ text }) => text.includes('Sub-agents keep what is there'));
      expect(denied).toMatchObject({ isError: true, isOfAgent: true });
      expect(ran.audit.find(({ summary }) => summary === 'rm -rf build')).toMatchObject({
        decision: 'deny',
        rule: 'user:1',
        agent: { who: 'subagent', type: 'general-purpose' },
      });
      const types = linesOf(ran.output).map(({ type }) => type);
      expect(types).not.toContain('control_request');
      expect(types).not.toContain('control_response');
      expect(types.at(-1)).toBe('result');
    });

    it('an injected result is what the agent sees, and the call does not run', async () => {
      const file = path.join(work, 'results.yaml');
      writeFileSync(file, RESULTS);
      const ran = await intercept(program, { play: 'guarded', flags: ['--inject', file] });
      expect([ran.code, ran.errors]).toEqual([0, '']);
      expect(existsSync(path.join(ran.project, 'build/out.txt'))).toBe(true);
      const [bash, write] = ran.results.filter(({ isOfAgent }) => isOfAgent);
      expect(bash).toEqual({ text: `removed 'build'\nit's "done" $HOME`, isError: false, isOfAgent: true });
      // What has to run to be replaced is denied, in the words of the result.
      expect(write).toEqual({ text: 'File created successfully.', isError: true, isOfAgent: true });
      expect(existsSync(path.join(ran.project, '../outside/should-not-exist.conf'))).toBe(false);
      expect(ran.audit.filter(({ rule }) => rule).map(({ tool, rule }) => [tool, rule])).toEqual([
        ['Bash', 'inject:1'],
        ['Write', 'inject:2'],
      ]);
    });
  });
