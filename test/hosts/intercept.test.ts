import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest } from '../../src/core/index.ts';
import { intercept, LINES, linesOf } from './intercept-kit.ts';
import { nameOf, programs, work } from './kit.ts';
import { answer, getJson, startServer } from './server.ts';

const DENY = `version: 1
rules:
  - name: no removals
    agents: { kind: subagent }
    tools: "Bash(rm:*)"
    decision: deny
    reason: Sub-agents keep what is there
`;

const ASK = `version: 1
rules:
  - agents: { kind: subagent }
    tools: "Bash(rm:*)"
    decision: ask
    wait: 3s
    on_timeout: deny
  # The program itself would ask about it, and wait for a person.
  - tools: "Write(//**/outside/**)"
    decision: deny
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
      expect(ran.audit.filter(({ rule }) => rule).map(({ tool, decision, rule }) => [tool, decision, rule])).toEqual([
        ['Bash', 'inject', 'inject:1'],
        ['Write', 'inject', 'inject:2'],
      ]);
    });

    it('a question that nobody answers ends as its rule says, and one that is answered as it was', async () => {
      const state = path.join(work, `asking-${path.basename(path.dirname(program))}-${Date.now()}`);
      mkdirSync(path.join(state, 'projects'), { recursive: true });
      writeFileSync(path.join(state, 'policy.yaml'), ASK);
      const server = await startServer(state, { ...process.env, TROUPE_HOME: state });
      const asks = async (): Promise<ApprovalRequest | undefined> =>
        (await getJson<{ asks: ApprovalRequest[] }>(server, '/api/asks')).asks.find(({ end }) => end === null);
      try {
        const late = await intercept(program, { play: 'guarded', state });
        expect(existsSync(path.join(late.project, 'build/out.txt'))).toBe(true);
        expect(late.results.find(({ isOfAgent }) => isOfAgent)?.text).toContain('No answer came within 3 s');
        expect(late.audit.find(({ tool }) => tool === 'Bash')).toMatchObject({
          decision: 'deny',
          answeredBy: 'expiry',
        });
        const answered = await intercept(program, {
          play: 'guarded',
          state,
          during: async () => {
            const ask = await vi.waitUntil(asks, { timeout: 30_000, interval: 50 });
            expect(ask).toMatchObject({ tool: 'Bash', rule: 'user:1', agent: { who: 'subagent' } });
            expect(await answer(server, ask.id, 'allow')).toBe(200);
          },
        });
        expect(existsSync(path.join(answered.project, 'build/out.txt'))).toBe(false);
      } finally {
        await server.stop();
      }
    }, 120_000);

    it('without anybody to ask, what would be asked is denied at once', async () => {
      const ran = await intercept(program, { play: 'guarded', policy: ASK.replace('3s', '10m') });
      expect(existsSync(path.join(ran.project, 'build/out.txt'))).toBe(true);
      expect(ran.audit.find(({ tool }) => tool === 'Bash')).toMatchObject({
        decision: 'deny',
        answeredBy: 'no-server',
      });
    });

    it('prints what the program prints by itself, in each form', async () => {
      for (const args of [[], ['--output-format', 'json'], LINES]) {
        const [bare, steered] = await Promise.all(
          [true, false].map((isBare) => intercept(program, { play: 'single', args, isBare })),
        );
        expect([steered?.code, shapeOf(steered?.output)], args.join(' ')).toEqual([bare?.code, shapeOf(bare?.output)]);
      }
    });

    it('takes the prompt from stdin, as text and as lines', async () => {
      const text = 'Please do the job. [[play:plain]]';
      const line = { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' };
      const asText = await intercept(program, { play: 'plain', isAsked: true, stdin: text });
      const lines = [...LINES, '--input-format', 'stream-json'];
      const asLines = await intercept(program, {
        play: 'plain',
        isAsked: true,
        args: lines,
        stdin: `${JSON.stringify(line)}\n`,
      });
      for (const { output, code } of [asText, asLines]) {
        expect(code).toBe(0);
        expect(linesOf(output).at(-1)).toMatchObject({ type: 'result', is_error: false });
      }
    });

    it('agents in the background are judged to their end', async () => {
      const policy =
        'version: 1\nrules:\n  - agents: { kind: subagent }\n    tools: Bash\n    decision: deny\n    reason: not here\n';
      const ran = await intercept(program, { play: 'background', policy });
      expect(ran.code).toBe(0);
      const calls = ran.audit.filter(({ agent }) => (agent as { who: string }).who === 'subagent');
      if (ran.output.includes('"task_started"')) {
        expect(calls.length).toBeGreaterThan(0);
        for (const { tool, decision } of calls)
          expect([tool, decision]).toEqual([tool, tool === 'Bash' ? 'deny' : 'none']);
        expect(linesOf(ran.output).filter(({ type }) => type === 'result').length).toBeGreaterThan(0);
      }
    });
  });

/** What is the same in two runs: the order and kinds of lines, or the text. */
function shapeOf(output = ''): unknown {
  try {
    const [first, ...rest] = linesOf(output);
    const lines: readonly Record<string, unknown>[] = Array.isArray(first) ? first : [first ?? {}, ...rest];
    return lines.map((line) => [line['type'], line['subtype'], line['result']]);
  } catch {
    return output;
  }
}
