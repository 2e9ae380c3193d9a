import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toSessionId, toSourceId } from '../../core/index.ts';
import { linuxStart, seesAllProcesses } from '../../lib/processes.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import type { LocatedSession } from '../index.ts';
import { readCompanions } from './companions.ts';

const session = (native: string): LocatedSession => ({
  id: toSessionId('claude-code', native),
  root: '',
  folder: '',
  sources: [],
  facts: [],
  modifiedAt: 0,
});

/** A data folder in which this very process is noted as one of Claude Code. */
function createRoot(record: object, typed: readonly object[] = []): string {
  const root = makeTemporaryFolder('companions');
  mkdirSync(path.join(root, 'projects'));
  mkdirSync(path.join(root, 'sessions'));
  note(root, record);
  writeFileSync(path.join(root, 'history.jsonl'), typed.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return root;
}

function note(root: string, record: object, name = '1.json'): void {
  const whole = { pid: process.pid, cwd: '/home/dev/shop', startedAt: STARTED, ...record };
  writeFileSync(path.join(root, 'sessions', name), JSON.stringify(whole));
}

const STARTED = Math.round(Date.now() - process.uptime() * 1000);
const cleared = (sessionId: string, more: object = {}): object => ({
  display: '/clear',
  timestamp: STARTED + 5000,
  project: '/home/dev/shop',
  sessionId,
  ...more,
});
const stateOf = async (root: string, native: string) =>
  (await readCompanions(root))(session(native)).flatMap((fact) =>
    fact.kind === 'process-seen' ? [[fact.alive, fact.movedTo ?? null, fact.isOutOfSight ?? false]] : [],
  );

/** The session `second` began with a /clear in `first`. */
function createCleared(record: object): string {
  const root = createRoot(record, [cleared('first', { timestamp: STARTED })]);
  const folder = path.join(root, 'projects', '-home-dev-shop');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'first.jsonl'), '');
  const line = {
    type: 'user',
    cwd: '/home/dev/shop',
    timestamp: new Date(STARTED + 4).toISOString(),
    message: { role: 'user', content: '<command-name>/clear</command-name>' },
  };
  writeFileSync(path.join(folder, 'second.jsonl'), `${JSON.stringify(line)}\n`);
  return root;
}

it('moves a process to the session that /clear opened when its record names the one before (up to 2.1.92)', async () => {
  const root = createCleared({ sessionId: 'first', version: '2.1.92' });
  expect(await stateOf(root, 'second')).toEqual([[true, null, false]]);
  expect(await stateOf(root, 'first')).toEqual([[true, toSessionId('claude-code', 'second'), false]]);
});

it('moves a process back when it resumed the session before /clear (2.1.161 and later)', async () => {
  const root = createCleared({ sessionId: 'second', version: '2.1.161' });
  expect(await stateOf(root, 'second')).toEqual([[true, null, false]]);
  note(root, { sessionId: 'first', version: '2.1.161' });
  expect(await stateOf(root, 'first')).toEqual([[true, null, false]]);
  expect(await stateOf(root, 'second')).toEqual([[true, toSessionId('claude-code', 'first'), false]]);
});

it('takes the process of the original for that of a /branch until its record says where it is', async () => {
  const root = createRoot({ sessionId: 'first', version: '2.1.325', status: 'idle', statusUpdatedAt: Date.now() });
  const folder = path.join(root, 'projects', '-home-dev-shop');
  mkdirSync(folder);
  const file = path.join(folder, 'branch.jsonl');
  writeFileSync(file, `${JSON.stringify({ type: 'user', forkedFrom: { sessionId: 'first' } })}\n`);
  const branch: LocatedSession = {
    ...session('branch'),
    sources: [{ id: toSourceId('branch.jsonl'), path: file, role: 'session', shape: 'lines' }],
    modifiedAt: statSync(file).mtimeMs,
  };
  const pidsOf = async () =>
    (await readCompanions(root))(branch).flatMap((fact) =>
      fact.kind === 'process-seen' ? [fact.pid, fact.session] : [],
    );
  expect(await pidsOf()).toEqual([process.pid, branch.id]);
  note(root, { sessionId: 'first', version: '2.1.325', status: 'idle', statusUpdatedAt: Date.now() + 60_000 });
  expect(await pidsOf()).toEqual([]);
  note(root, { sessionId: 'other', version: '2.1.325', status: 'idle', statusUpdatedAt: Date.now() });
  expect(await pidsOf()).toEqual([]);
});

it("tells the program's own title of a session", async () => {
  const root = createRoot({ sessionId: 'now' });
  const folder = path.join(root, 'projects', '-home-dev-shop');
  mkdirSync(folder);
  const entries = [
    { sessionId: 'a', summary: 'Faster checkout', firstPrompt: 'do it' },
    { sessionId: 'b', firstPrompt: 'no summary' },
    'no entry',
  ];
  writeFileSync(path.join(folder, 'sessions-index.json'), JSON.stringify({ version: 1, entries }));
  const factsFor = await readCompanions(root);
  expect(factsFor(session('a'))).toMatchObject([
    { kind: 'session-titled', title: 'Faster checkout', titleKind: 'generated' },
  ]);
  expect(factsFor(session('b'))).toEqual([]);
});

describe('the record of a process', () => {
  it('is told of the session that it names, and of no other', async () => {
    const root = createRoot({ sessionId: 'now' });
    expect(await stateOf(root, 'now')).toEqual([[true, null, false]]);
    expect(await stateOf(root, 'before')).toEqual([]);
  });

  it('is told of the session before as well when somebody typed /clear there', async () => {
    const root = createRoot({ sessionId: 'now' }, [cleared('before'), { ...cleared('before'), display: 'and more' }]);
    expect(await stateOf(root, 'before')).toEqual([[true, 'claude-code:now', false]]);
    expect(await stateOf(root, 'now')).toEqual([[true, null, false]]);
  });

  it('is told of the session before although another process has resumed it', async () => {
    const root = createRoot({ sessionId: 'now' }, [cleared('before')]);
    note(root, { sessionId: 'before', startedAt: STARTED + 9000, pid: 0 }, '2.json');
    expect(await stateOf(root, 'before')).toContainEqual([true, 'claude-code:now', false]);
  });

  it('is told of a session that it was seen in before, with no history at all', async () => {
    const root = createRoot({ sessionId: 'first' });
    expect(await stateOf(root, 'first')).toEqual([[true, null, false]]);
    note(root, { sessionId: 'second' });
    expect(await stateOf(root, 'first')).toEqual([[true, 'claude-code:second', false]]);
  });

  it('is not told of a session that was cleared in another folder, before it began, or is in use again', async () => {
    const others = [
      cleared('elsewhere', { project: '/home/dev/other' }),
      cleared('earlier', { timestamp: STARTED - 1 }),
      cleared('now'),
      { ...cleared('quoted'), display: 'what does /clear do?' },
    ];
    const root = createRoot({ sessionId: 'now' }, others);
    for (const native of ['elsewhere', 'earlier', 'quoted']) expect(await stateOf(root, native)).toEqual([]);
    expect(await stateOf(root, 'now')).toEqual([[true, null, false]]);
  });

  it('is not told of a cleared session when two processes in the folder may have cleared it', async () => {
    const root = createRoot({ sessionId: 'one' }, [cleared('before')]);
    note(root, { sessionId: 'two' }, '2.json');
    expect(await stateOf(root, 'before')).toEqual([]);
  });

  it('says that it cannot tell when the process runs in another container', async () => {
    const root = createRoot({ sessionId: 'inside', pidDomain: 'linux:0123456789abcdef0123456789abcdef:pid:[1]' });
    expect(await stateOf(root, 'inside')).toEqual([[false, null, true]]);
  });

  const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child'];
  const canUnshare = process.platform === 'linux' && spawnSync('unshare', [...unshare, 'true']).status === 0;
  it.runIf(canUnshare)(
    'is found under the number that it has outside its container, with and without a domain',
    async () => {
      const script = 'cut -d" " -f22 /proc/self/stat; readlink /proc/self/ns/pid; exec sleep 60';
      const shell = spawn('unshare', [...unshare, 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
      onTestFinished(() => void shell.kill('SIGKILL'));
      let text = '';
      for await (const chunk of shell.stdout) {
        text += chunk;
        if (text.split('\n').length > 2) break;
      }
      const space = text.split('\n')[1] ?? '';
      const outer = readdirSync('/proc').find(
        (pid) => pid !== String(shell.pid) && isAt(pid, space) && /^\d+$/.test(pid),
      );
      const procStart = await linuxStart(Number(outer));
      expect(procStart).toBeDefined();
      const machine = readFileSync('/etc/machine-id', 'utf8').trim();
      const record = { sessionId: 'inside', pid: 1, procStart };
      for (const pidDomain of [undefined, `linux:${machine}:${space}`]) {
        const [fact] = (await readCompanions(createRoot({ ...record, pidDomain })))(session('inside'));
        expect(fact, String(pidDomain)).toMatchObject({ kind: 'process-seen', pid: Number(outer), alive: true });
        expect(fact).not.toHaveProperty('isOutOfSight');
      }
      const other = createRoot({ ...record, pidDomain: 'linux::pid:[1]' });
      expect(await stateOf(other, 'inside')).toEqual([[false, null, true]]);
      const later = createRoot({ ...record, procStart: `${procStart}1` });
      expect(await stateOf(later, 'inside')).toEqual([[false, null, !seesAllProcesses()]]);
    },
  );

  it('says that a process is idle when only a command in the background runs', async () => {
    const stateWhen = async (status: string) => {
      const [fact] = (await readCompanions(createRoot({ sessionId: 'now', status })))(session('now'));
      return fact?.kind === 'process-seen' ? fact.state : undefined;
    };
    expect(await stateWhen('shell')).toBe('idle');
    expect(await stateWhen('busy')).toBe('busy');
  });
});

function isAt(pid: string, space: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === space;
  } catch {
    return false;
  }
}
