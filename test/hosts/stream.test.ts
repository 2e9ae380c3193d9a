import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/sessions/index.ts';
import { agentsTold } from '../../src/sessions/stream/testing/replay-stream.ts';
import { cannotStop, dictate, kit, leavesBackground, minor, nameOf, programs, root, work } from './kit.ts';

// `troupe run` around the real program, offline, against the scripted model: the events must be what the script dictated.

interface Ran {
  readonly events: readonly StreamEvent[];
  readonly output: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly version: string;
  readonly record: readonly Record<string, unknown>[];
}

interface Wanted {
  readonly play: string;
  readonly extra?: readonly string[];
  /** What to do to it while its agent hangs. */
  readonly disturb?: (troupe: ChildProcess, program: number) => void;
  /** What runs it: troupe itself, or a pipe. */
  readonly piped?: boolean;
}

let runs = 0;

async function run(bin: string, { play, extra = [], disturb, piped = false }: Wanted): Promise<Ran> {
  const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);
  const [{ startFakeAnthropic }, { claudeEnv, TOOLS }, { makeWorkspace, commit }] = await Promise.all(
    ['fake-anthropic.mjs', 'record-claude.mjs', 'workspace.mjs'].map(load),
  );
  const workspace = makeWorkspace({ root: path.join(work, 'projects'), scenario: `stream-${++runs}-${play}`, play });
  commit(workspace.project);
  const model = await startFakeAnthropic({ log: path.join(workspace.base, 'model.jsonl') });
  const home = path.join(workspace.base, 'troupe');
  mkdirSync(home, { recursive: true });
  const env = { ...claudeEnv(workspace, model.url), TROUPE_HOME: home };
  const events = path.join(workspace.base, 'events.jsonl');
  const rest = ['--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5', '--allowedTools', TOOLS];
  const command = [bin, '-p', `Please do the job. [[play:${play}]]`, ...rest, ...extra];
  const troupe = path.join(root, 'dist/troupe.js');
  const child = piped
    ? spawn(
        'sh',
        ['-c', `"$@" | "${process.execPath}" "${troupe}" stream --tee --events "${events}"`, 'sh', ...command],
        { cwd: workspace.project, env, stdio: ['ignore', 'pipe', 'pipe'] },
      )
    : spawn(process.execPath, [troupe, 'run', '--events', events, '--', ...command], {
        cwd: workspace.project,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
  let output = '';
  child.stderr?.on('data', (data) => process.stderr.write(data));
  child.stdout?.on('data', (data) => {
    output += data;
    if (disturb && output.includes('Hangs') && output.includes('"tool_result"')) {
      const [program = ''] = execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' }).split('\n');
      const act = disturb;
      disturb = undefined;
      setTimeout(() => act(child, Number(program)), 1_000);
    }
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  await model.close?.();
  const told = linesOf<StreamEvent>(events);
  const [name] = piped ? [] : readdirSync(path.join(home, 'runs'));
  const started = told.find((event) => event.type === 'session_started');
  return {
    events: told,
    output,
    code,
    signal,
    version: started?.host_version ?? '',
    record: name === undefined ? [] : linesOf(path.join(home, 'runs', name)),
  };
}

function linesOf<T>(file: string): readonly T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

async function compare({ events, version }: Ran, play: string): Promise<void> {
  const told = agentsTold(events);
  const depth = Math.max(1, ...told.map((agent) => agent.depth ?? 0));
  const expected = (await dictate(play, play === 'nested' ? depth : 1)).filter(({ kind }) => kind !== 'main');
  const session = events.find((event) => event.type === 'session_started')?.session_id;
  const keys = new Map(told.map((agent) => [agent.id, agent.description]));
  const seen = told.map((agent) => ({
    description: agent.description,
    parent: agent.parent === session ? null : (keys.get(agent.parent) ?? 'nobody'),
    depth: agent.depth,
    end: agent.ends.at(-1),
  }));
  const dictated = expected.map((agent) => ({
    description: agent.description,
    parent: expected.find(({ key }) => key === agent.parent)?.description ?? null,
    depth: agent.depth,
    end: agent.endStatus,
  }));
  const inOrder = <T extends { readonly description: string | null }>(list: readonly T[]) =>
    list.toSorted((a, b) => ((a.description ?? '') < (b.description ?? '') ? -1 : 1));
  expect(inOrder(seen), version).toEqual(inOrder(dictated));
}

for (const program of programs)
  describe(nameOf(program), () => {
    const tidy = (ran: Ran): void => {
      for (const agent of agentsTold(ran.events)) expect(agent.isTidy, JSON.stringify(agent)).toBe(true);
      expect(ran.events.at(-1)?.type).toBe('stream_ended');
    };

    for (const play of ['plain', 'single', 'parallel', 'many', 'nested', 'background', 'failing', 'resume', 'stop'])
      it(`${play}: the events are what the script dictated`, async () => {
        const ran = await run(program, { play });
        tidy(ran);
        expect(ran.code).toBe(0);
        expect(ran.record[0]?.['type']).toBe('run_started');
        expect(ran.record.at(-1)).toMatchObject({ type: 'run_ended', code: 0 });
        const { version } = ran;
        if (play === 'resume' && minor(version) < 190) return expect(agentsTold(ran.events)).toHaveLength(1);
        if (play === 'resume') expect(agentsTold(ran.events)[0]?.ends).toEqual(['completed', 'completed']);
        // 2.0.x ends without waiting for agents in the background, and without a word about them.
        const isOld = version.startsWith('2.0.');
        const isLeft =
          play === 'background'
            ? isOld || leavesBackground(version)
            : play === 'stop' && (isOld || cannotStop(version));
        if (isLeft) expect(agentsTold(ran.events)[0]?.ends[0]).toMatch(/^(?:lost|stopped)$/);
        else await compare(ran, play);
      });

    it('nested, with the text of sub-agents', async () => {
      const ran = await run(program, { play: 'nested', extra: ['--forward-subagent-text'] });
      // Versions before 2.1.211 do not know the flag, and end at once.
      if (ran.events.length === 0) return expect(ran.code).not.toBe(0);
      tidy(ran);
      await compare(ran, 'nested');
    });

    it('through a pipe, with partial messages', async () => {
      const ran = await run(program, { play: 'parallel', extra: ['--include-partial-messages'], piped: true });
      tidy(ran);
      expect(
        ran.output
          .trimEnd()
          .split('\n')
          .map((line) => typeof JSON.parse(line)),
      ).not.toContain('string');
      await compare(ran, 'parallel');
    });

    it('killed: its agent is lost, and troupe ends by the same signal', async () => {
      const ran = await run(program, { play: 'hang', disturb: (_troupe, pid) => process.kill(pid, 'SIGKILL') });
      tidy(ran);
      expect(agentsTold(ran.events).map(({ ends }) => ends)).toEqual([['lost']]);
      expect(ran.signal).toBe('SIGKILL');
    });

    it('a signal for troupe is one for the program', async () => {
      const ran = await run(program, { play: 'hang', disturb: (troupe) => troupe.kill('SIGTERM') });
      tidy(ran);
      expect(agentsTold(ran.events)).toHaveLength(1);
      expect(ran.signal ?? ran.code).not.toBe(0);
    });
  });
