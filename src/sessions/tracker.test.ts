import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LiveTrees, TreeChange } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { MUCH_LATER } from '../hosts/testing/feed.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { until } from '../lib/testing/waiting.ts';
import type { DataFolder } from './places.ts';
import { filesBelow } from './testing/files-below.ts';
import { dumps, freshDumps, settles } from './testing/fresh-read.ts';
import { playRandomly } from './testing/random-operations.ts';
import { writeInHalves } from './testing/write-in-halves.ts';
import { startTracker } from './tracker.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));

let root = '';
let tracker: LiveTrees | undefined;
let changes: TreeChange[] = [];
let errors: unknown[] = [];
beforeEach(() => {
  root = makeTemporaryFolder('tracker');
  mkdirSync(path.join(root, 'projects'));
  changes = [];
  errors = [];
});
afterEach(() => {
  tracker?.close();
  expect(errors).toEqual([]);
});

const place = () => ({ adapter: claudeCode, root, forced: false });

function start(options: Partial<Parameters<typeof startTracker>[1]> = {}, places: readonly DataFolder[] = [place()]) {
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 1000 };
  const onError = (error: unknown) => void errors.push(error);
  tracker = startTracker(places, { clock: () => MUCH_LATER, window, onError, ...options });
  tracker.subscribe((change) => changes.push(change));
  return tracker;
}

const complete = (live: LiveTrees) => until(() => live.listing().isComplete, 'the first reading');

const copy = (name: string): void => cpSync(path.join(fixtures, name), root, { recursive: true });

const isOfProject = (file: string): boolean => file.includes(`${path.sep}projects${path.sep}`);

describe('tracker', () => {
  it('reads existing sessions, newest first, and reports when it is done', async () => {
    for (const name of ['2.1.325-nested', '2.0.76-parallel', '1.0.60-parallel']) copy(name);
    const live = start();
    await complete(live);
    expect(dumps(live.current())).toEqual(await freshDumps([place()]));
    expect(live.current().length).toBeGreaterThanOrEqual(3);
    expect(changes.at(-1)?.kind).toBe('listing');
  });

  it('follows a session that is written line by line, with folders and files appearing at once', async () => {
    const live = start();
    await complete(live);
    const from = path.join(fixtures, '2.1.325-nested');
    for (const file of filesBelow(from).filter(isOfProject))
      await writeInHalves(file, path.join(root, path.relative(from, file)));
    await settles(live, [place()]);
    expect(live.current()[0]?.agents).toHaveLength(4);
    const told = changes.flatMap((change) => (change.kind === 'tree' ? change.sources : []));
    for (const { source, bytes } of told) expect(bytes).toBeLessThanOrEqual(statSync(path.join(root, source)).size);
  });

  it('lists sessions older than the window, and reads one when it is opened', async () => {
    copy('2.1.325-nested');
    copy('2.1.325-parallel');
    const live = start({ window: { ms: -1, sessions: 10 } });
    await complete(live);
    expect(live.current()).toEqual([]);
    const { older } = live.listing();
    expect(older).toHaveLength(2);
    const tree = await live.look('fa129e54-d574-4fea-bbfe-0dd74bbd38cd');
    expect(tree?.agents).toHaveLength(4);
    expect(live.listing().older).toHaveLength(1);
    expect(await live.look('nobody')).toBeUndefined();
  });

  it('follows only the newest sessions when there are more than the limit', async () => {
    copy('2.1.325-nested');
    copy('2.1.325-parallel');
    const live = start({ window: { ms: Number.POSITIVE_INFINITY, sessions: 1 } });
    await complete(live);
    expect(live.current()).toHaveLength(1);
    expect(live.listing().older).toHaveLength(1);
  });

  it('reads no more sessions than it follows when many appear at once', async () => {
    const live = start({ window: { ms: Number.POSITIVE_INFINITY, sessions: 1 } });
    await complete(live);
    const aside = makeTemporaryFolder('tracker-aside');
    for (const name of ['2.1.325-nested', '2.1.325-parallel', '2.1.325-background'])
      cpSync(path.join(fixtures, name, 'projects'), path.join(aside, 'projects'), { recursive: true });
    rmSync(path.join(root, 'projects'), { recursive: true });
    renameSync(path.join(aside, 'projects'), path.join(root, 'projects'));
    await until(() => live.listing().older.length === 2 && live.current().length === 1, 'all of them');
    expect(new Set(changes.flatMap((change) => (change.kind === 'tree' ? change.tree.id : []))).size).toBe(1);
    await until(() => changes.at(-1)?.kind === 'listing', 'the list without the one that is followed now');
  });

  it('changes nothing when it checks again and finds the same', async () => {
    copy('2.1.325-nested');
    copy('2.1.325-parallel');
    copy('2.1.325-background');
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const sweeps = (): number => timers.mock.calls.filter(([, ms]) => ms === 31).length;
    const live = start({ window: { ms: Number.POSITIVE_INFINITY, sessions: 2 }, sweepEveryMs: 31 });
    await complete(live);
    const before = { changes: changes.length, sweeps: sweeps() };
    await until(() => sweeps() > before.sweeps + 5, 'some more sweeps');
    expect(changes.slice(before.changes)).toEqual([]);
    expect(live.current()).toHaveLength(2);
  });

  it('misses no change during the first listing', async () => {
    copy('2.1.325-parallel');
    const { follow } = claudeCode;
    const adapter: SourceAdapter = {
      ...claudeCode,
      async locate(where) {
        const found = await claudeCode.locate(where);
        copy('2.1.325-nested');
        rmSync(path.join(root, 'projects', '-home-dev-parallel'), { recursive: true });
        return found;
      },
      ...(follow && { follow }),
    };
    const live = start({}, [{ adapter, root, forced: false }]);
    await complete(live);
    await settles(live, [place()]);
    expect(live.current().map(({ cwd }) => cwd)).toEqual(['/home/dev/nested']);
  });

  it('tries a data folder again when listing it failed', async () => {
    copy('2.1.325-nested');
    let calls = 0;
    const adapter: SourceAdapter = {
      ...claudeCode,
      locate: (where) => (++calls === 1 ? Promise.reject(new Error('not now')) : claudeCode.locate(where)),
    };
    const live = start({ sweepEveryMs: 50 }, [{ adapter, root, forced: false }]);
    await until(() => live.current().length === 1, 'the session');
    expect(errors.splice(0)).toEqual([new Error('not now')]);
  });

  it('follows the newer copy when a session is in two data folders', async () => {
    copy('2.1.325-nested');
    const other = makeTemporaryFolder('tracker-other');
    cpSync(path.join(fixtures, '2.1.325-nested'), other, { recursive: true });
    const places = [place(), { ...place(), root: other }];
    const file = 'projects/-home-dev-nested/fa129e54-d574-4fea-bbfe-0dd74bbd38cd.jsonl';
    const lines = readFileSync(path.join(root, file), 'utf8').split(/(?<=\n)/);
    writeFileSync(path.join(root, file), lines.slice(0, 9).join(''));
    const earlier = new Date(Date.now() - 1_000);
    utimesSync(path.join(root, file), earlier, earlier);
    writeFileSync(path.join(other, file), lines.slice(0, 12).join(''));
    const live = start({}, places);
    await complete(live);
    appendFileSync(path.join(root, file), lines.slice(9).join(''));
    await settles(live, places);
  });

  it('drops a deleted session, and keeps one that moves to another project', async () => {
    copy('2.1.325-nested');
    copy('2.1.325-parallel');
    const live = start();
    await complete(live);
    const [one, two] = readdirSync(path.join(root, 'projects')).map((name) => path.join(root, 'projects', name));
    renameSync(one ?? '', path.join(root, 'projects', '-elsewhere'));
    rmSync(two ?? '', { recursive: true });
    await settles(live, [place()]);
    expect(live.current()).toHaveLength(1);
    expect(changes.some(({ kind }) => kind === 'gone')).toBe(true);
  });

  it('notices when the process of a session was killed, and when it ended', async () => {
    copy('2.1.325-hang-sigkill');
    const [file] = readdirSync(path.join(root, 'sessions'));
    const record = path.join(root, 'sessions', file ?? '');
    const text = JSON.parse(readFileSync(record, 'utf8'));
    const { spawn } = await import('node:child_process');
    const host = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    const stat = readFileSync(`/proc/${host.pid}/stat`, 'utf8');
    const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    writeFileSync(record, JSON.stringify({ ...text, pid: host.pid, procStart, startedAt: 0 }));
    const live = start();
    await complete(live);
    expect(live.current()[0]?.agents.map(({ status }) => status)).toContain('running');
    host.kill('SIGKILL');
    await until(
      () => live.current()[0]?.agents.every(({ status }) => status === 'unknown' || status === 'completed') === true,
      'the end of its agents',
    );
    rmSync(record);
    await settles(live, [place()]);
  });

  it('polls and adds a notice when the system has no more watches', async () => {
    const refuse = (): never => {
      throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' });
    };
    const live = start({ watch: refuse, sweepEveryMs: 3_600_000 });
    await complete(live);
    expect(live.listing().notices.join()).toContain('fs.inotify.max_user_watches');
    copy('2.1.325-nested');
    await until(() => live.current()[0]?.agents.length === 4, 'the session');
    const file = filesBelow(root).find((name) => name.endsWith('fa129e54-d574-4fea-bbfe-0dd74bbd38cd.jsonl')) ?? '';
    truncateSync(file, statSync(file).size - 1000);
    await settles(live, [place()]);
  });

  it('finds a teammate when its existing file gets the line with its name', async () => {
    const from = path.join(fixtures, 'derived-2.1.39-tmux-team');
    const [lead = '', member = ''] = filesBelow(from).filter(isOfProject);
    const [leadHere = '', memberHere = ''] = [lead, member].map((file) => path.join(root, path.relative(from, file)));
    const live = start({ sweepEveryMs: 3_600_000 });
    await complete(live);
    mkdirSync(path.dirname(leadHere), { recursive: true });
    cpSync(lead, leadHere);
    writeFileSync(memberHere, '');
    const teammate = () => live.current().flatMap(({ agents }) => agents.filter(({ kind }) => kind === 'teammate'))[0];
    await until(() => teammate() !== undefined, 'the lead');
    appendFileSync(memberHere, '{"type":"permission-mode","permissionMode":"default","sessionId":"x"}\n');
    // When a later change has been read, so has this line.
    const title = { type: 'custom-title', customTitle: 'Read by now', sessionId: path.basename(lead, '.jsonl') };
    appendFileSync(leadHere, `${JSON.stringify(title)}\n`);
    await until(() => live.current().some((tree) => tree.title === 'Read by now'), 'the title');
    appendFileSync(memberHere, readFileSync(member));
    await until(() => (teammate()?.sources.length ?? 0) > 0, 'its transcript');
    await settles(live, [place()]);
  });

  it('follows a data folder that is created later', async () => {
    const late = path.join(root, 'later', '.claude');
    const live = start({ sweepEveryMs: 3_600_000 }, [{ ...place(), root: late }]);
    await complete(live);
    cpSync(path.join(fixtures, '2.1.325-nested'), late, { recursive: true });
    await until(() => live.current().length === 1, 'the session');
    await settles(live, [{ ...place(), root: late }]);
  });

  it('finds folders by sweeping when no watch reports them', async () => {
    copy('2.1.325-nested');
    const live = start({ sweepEveryMs: 50 });
    await complete(live);
    const hidden = path.join(root, 'projects', '-new', 'subfolder');
    mkdirSync(hidden, { recursive: true });
    await settles(live, [place()]);
  });
});

describe('random operations', () => {
  it('end in the same trees as a fresh read', { timeout: 240_000 }, async () => {
    for (const name of [
      '2.1.325-nested',
      '2.1.325-background',
      '2.1.325-workflow',
      '2.0.76-parallel',
      '2.0.76-background',
      '2.1.325-resume',
      '2.1.325-orphan-forked',
      '2.1.325-fork',
      '2.1.325-inter-team',
    ])
      copy(name);
    await playRandomly(root, {
      isChanged: isOfProject,
      operations: 3_000,
      checkEvery: 300,
      async start(roots) {
        const places = roots.map((at) => ({ ...place(), root: at }));
        const live = start({}, places);
        await complete(live);
        return () => settles(live, places);
      },
    });
  });
});

it('shows a state that was held back although the clock was set back meanwhile', async () => {
  copy('2.1.325-single');
  let now = MUCH_LATER;
  const clock = (): number => {
    now -= 3_600_000;
    return now;
  };
  const live = start({ clock });
  await complete(live);
  const count = (): number => live.current()[0]?.agents.length ?? 0;
  await until(() => count() > 1, 'the session is shown');
  const agents = count();
  const [file = ''] = filesBelow(root).filter((one) => /agent-[^/]*\.jsonl$/.test(one));
  const [line = ''] = readFileSync(file, 'utf8').split('\n');
  const other = { ...JSON.parse(line), agentId: 'a000000', uuid: 'other', message: { role: 'user', content: 'Other' } };
  writeFileSync(path.join(path.dirname(file), 'agent-a000000.jsonl'), `${JSON.stringify(other)}\n`);
  await until(() => count() > agents, 'an agent that nobody asked for is shown in the end');
});
