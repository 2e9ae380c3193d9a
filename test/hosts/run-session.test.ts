import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSession, type SessionChunk, type SessionConfig } from '../../src/index.ts';
import { prepare, resultsOf } from './intercept-kit.ts';
import { nameOf, programs } from './kit.ts';

// The library around the real program: what is answered is what happens.

type Steered = ReturnType<typeof runSession>;

async function run(
  program: string,
  play: string,
  config: Omit<SessionConfig, 'command'>,
  on: (chunk: SessionChunk, session: Steered) => void = () => {},
) {
  const { workspace, model, env } = await prepare(play);
  const session = runSession({
    command: [program, '--model', 'claude-sonnet-4-5'],
    prompt: `Please do the job. [[play:${play}]]`,
    cwd: workspace.project,
    env,
    roots: [String(env['CLAUDE_CONFIG_DIR'])],
    ...config,
  });
  const chunks: SessionChunk[] = [];
  for await (const chunk of session) {
    chunks.push(chunk);
    on(chunk, session);
  }
  await model.close?.();
  return { chunks, types: chunks.map(({ type }) => type), results: resultsOf(env), project: workspace.project };
}

const isRemoval = (chunk: SessionChunk): boolean =>
  chunk.type === 'call_waiting' && JSON.stringify(chunk.input).includes('rm -rf build');

for (const program of programs)
  describe(`runSession, ${nameOf(program)}`, () => {
    it('yields typed chunks, holds every call, and gives a result in its place', async () => {
      const { chunks, types, results, project } = await run(program, 'guarded', { hold: 'all' }, (chunk, session) => {
        if (chunk.type !== 'call_waiting') return;
        const decision = isRemoval(chunk) ? ({ decision: 'result', text: 'gone' } as const) : ALLOW;
        expect(session.answer(chunk.id, chunk.tool === 'Write' ? DENY : decision)).toBe(true);
        expect(session.answer(chunk.id, ALLOW)).toBe(false);
      });
      expect(existsSync(path.join(project, 'build/out.txt'))).toBe(true);
      const [first, second] = results.filter(({ isOfAgent }) => isOfAgent);
      expect(first).toMatchObject({ text: 'gone', isError: false });
      expect(second?.text).toContain('not outside');
      expect(types.indexOf('subagent_spawned')).toBeLessThan(chunks.findIndex(isRemoval));
      expect(types).toContain('agent_text');
      expect(chunks.at(-1)).toMatchObject({ type: 'session_exited', code: 0 });
    });

    it('a question that nobody answers ends as the config says', async () => {
      const config = { hold: 'all', waitMs: 1_500, otherwise: 'deny' } as const;
      const { chunks, results, project } = await run(program, 'guarded', config, (chunk, session) => {
        if (chunk.type === 'call_waiting' && !isRemoval(chunk)) session.answer(chunk.id, ALLOW);
      });
      expect(existsSync(path.join(project, 'build/out.txt'))).toBe(true);
      expect(results.find(({ isOfAgent }) => isOfAgent)?.text).toContain('No answer came within 2 s');
      expect(chunks.filter((chunk) => chunk.type === 'call_settled' && chunk.by === 'expiry')).toHaveLength(1);
    });

    it('goes on with another message, and can be interrupted', async () => {
      let ends = 0;
      const { chunks, types } = await run(program, 'plain', { keepOpen: true }, (chunk, session) => {
        if (chunk.type === 'result' && ++ends === 1) session.send('And now wait. [[play:hang]]');
        else if (chunk.type === 'subagent_spawned') setTimeout(() => void session.interrupt(), 500);
        else if (chunk.type === 'result') void session.close();
      });
      expect(ends).toBe(2);
      expect(types).toContain('subagent_spawned');
      expect(chunks.at(-1)).toMatchObject({ type: 'session_exited' });
    });

    it('a program that is not there is said', async () => {
      const session = runSession({ command: ['/nowhere/claude'], prompt: 'x' });
      await expect(async () => {
        for await (const chunk of session) expect(chunk).toBeUndefined();
      }).rejects.toThrow(/did not start/);
    });
  });

const ALLOW = { decision: 'allow' } as const;
const DENY = { decision: 'deny', reason: 'not outside' } as const;
