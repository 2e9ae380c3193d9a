import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentReport, TreeReport } from '../../src/core/index.ts';
import { addPlays } from './across-kit.ts';
import { intercept, LINES, linesOf, type Ran, type Running } from './intercept-kit.ts';
import { nameOf, programs, root } from './kit.ts';
import { overhear } from './overhear.ts';

// `troupe send` and `troupe stop` from another terminal reach the agents of a run. TROUPE_CLAUDE_BIN.

/** Until the test has said what it wanted to say. */
const WAIT = 'for i in $(seq 600); do [ -e go ] && break; sleep 0.1; done';
const goOn = ({ project }: Running): void => writeFileSync(path.join(project, 'go'), '');
const TOOLS = ['--allowedTools', 'Bash,Read,Agent,Task'];

async function troupe({ env, project }: Running, ...args: readonly string[]) {
  const child = spawn(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], {
    ...{ env, cwd: project },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (out += data));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out: out.trimEnd() };
}

async function agentsIn(running: Running): Promise<readonly AgentReport[]> {
  const { code, out } = await troupe(running, 'tree', '--json');
  return code === 0 ? (JSON.parse(out) as TreeReport).agents : [];
}

/** An agent hears it with its next call: that comes when the message is certainly there. */
async function told(running: Running, agent: string, message: string) {
  const sending = troupe(running, 'send', agent, message);
  setTimeout(() => goOn(running), 6_000);
  return sending;
}

/** The sub-agent, while it is at its first command. */
const subAgent = (running: Running): Promise<AgentReport> =>
  vi.waitUntil(
    async () =>
      (await agentsIn(running)).find(({ kind, toolCallCount }) => kind === 'task' && (toolCallCount ?? 0) > 0),
    { timeout: 60_000, interval: 200 },
  );

for (const program of programs)
  describe(`a run is steered, ${nameOf(program)}`, () => {
    const heard = overhear();
    beforeAll(() =>
      addPlays(({ agent, shell }) => ({
        steered: [{ items: [agent('Long job', 'Loop. [[play:steered-sub]]')] }, ...ends('It is over.')],
        'steered-sub': [
          { items: [shell(WAIT, 'Wait')] },
          { items: [shell('echo second', 'Go on')] },
          ...ends('The loop is done.'),
        ],
        'steered-last': [{ items: [agent('Last job', 'Wait. [[play:steered-once]]')] }, ...ends('It is over.')],
        'steered-once': [{ items: [shell(WAIT, 'Wait')] }, ...ends('Waited.')],
      })),
    );
    afterAll(() => heard.close());
    const run = (play: string, during: (running: Running) => Promise<void>, isPlain = false): Promise<Ran> => {
      heard.take();
      return intercept(program, { play, during, isPlain, args: [...LINES, ...TOOLS], inFront: heard.inFront });
    };
    const versionIn = ({ output }: Ran): string => String(linesOf(output)[0]?.['claude_code_version'] ?? '2.0');

    it('send: a sub-agent reads the message, and nobody else does', async () => {
      const ran = await run('steered', async (running) => {
        const { id } = await subAgent(running);
        const sent = await told(running, id, 'Leave the tests as they are.');
        expect(sent).toEqual({ code: 0, out: 'The agent has the message.' });
      });
      expect(ran.code).toBe(0);
      const bodies = heard.take().filter((body) => body.includes('Leave the tests as they are.'));
      expect(bodies.length).toBeGreaterThan(0);
      expect(bodies.some(isOfMain)).toBe(false);
      expect(linesOf(ran.output).at(-1)).toMatchObject({ type: 'result', is_error: false });
    });

    it('send: one that makes no more calls reads it before it ends', async () => {
      const ran = await run('steered-last', async (running) => {
        const { id } = await subAgent(running);
        expect((await told(running, id, 'Say it once more.')).out).toBe('The agent has the message.');
      });
      expect(ran.code).toBe(0);
      expect(heard.take().some((body) => body.includes('Say it once more.'))).toBe(true);
    });

    it('send: the main agent reads it', async () => {
      const ran = await run('steered', async (running) => {
        await subAgent(running);
        const main = (await agentsIn(running)).find(({ kind }) => kind === 'main');
        const sent = await troupe(running, 'send', main?.id ?? '', 'And hurry.');
        expect(sent).toEqual({ code: 0, out: expect.stringContaining('The program has the message') });
        goOn(running);
      });
      expect(ran.code).toBe(0);
      const bodies = heard.take().filter((body) => body.includes('And hurry.'));
      expect(bodies.length).toBeGreaterThan(0);
      expect(bodies.every(isOfMain)).toBe(true);
    });

    it('stop: the sub-agent ends, and its main agent goes on', async () => {
      let said = '';
      const ran = await run('steered', async (running) => {
        const { id } = await subAgent(running);
        const stopped = await troupe(running, 'stop', id);
        said = stopped.out;
        goOn(running);
        expect(stopped.code, said).toBe(said.startsWith('The program has stopped it.') ? 0 : 1);
      });
      const [, minor = '0', patch = '0'] = versionIn(ran).split('.');
      const isNew = Number(minor) > 1 || (Number(minor) === 1 && Number(patch) >= 197);
      if (isNew) {
        expect(said).toBe('The program has stopped it.');
        expect(heard.take().some((body) => body.includes('The loop is done.'))).toBe(false);
      } else expect(said).toMatch(/^It was not stopped: the program /);
      expect(ran.code).toBe(0);
      expect(ran.output).toContain('It is over.');
    });

    it('stop: the turn of the main agent is interrupted, and the program ends', async () => {
      const ran = await run('steered', async (running) => {
        const { parentId } = await subAgent(running);
        expect(await troupe(running, 'stop', parentId ?? '')).toEqual({ code: 0, out: 'Its turn was interrupted.' });
      });
      expect(ran.output).not.toContain('It is over.');
    });

    it('without --intercept a sentence says why not; the whole program can be interrupted', async () => {
      const ran = await run(
        'steered',
        async (running) => {
          const { id, parentId } = await subAgent(running);
          const why = 'its run was started without --intercept, and only with it troupe can speak to its agents.';
          expect(await troupe(running, 'send', id, 'x')).toEqual({ code: 1, out: `It was not told: ${why}` });
          expect(await troupe(running, 'stop', id)).toEqual({ code: 1, out: `It was not stopped: ${why}` });
          const stopped = await troupe(running, 'stop', parentId ?? '');
          expect(stopped).toEqual({ code: 0, out: 'The program was interrupted, as by Ctrl-C.' });
        },
        true,
      );
      expect(ran.output).not.toContain('It is over.');
    });
  });

/** Only its own conversation begins with the prompt of the run. */
function isOfMain(body: string): boolean {
  return body.includes('[[play:steered]]');
}

/** Steps that only speak: whoever is spoken to once more answers once more. */
function ends(text: string) {
  return Array.from({ length: 4 }, () => ({ items: [{ do: 'say', text }] }));
}
