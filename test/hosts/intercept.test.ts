import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { intercept, linesOf } from './intercept-kit.ts';
import { nameOf, programs } from './kit.ts';

const DENY = `version: 1
rules:
  - name: no removals
    agents: { kind: subagent }
    tools: "Bash(rm:*)"
    decision: deny
    reason: Sub-agents keep what is there
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
  });
