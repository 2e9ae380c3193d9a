import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveTrees, TreeChange } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { MUCH_LATER } from '../hosts/testing/feed.ts';
import type { DataFolder } from './places.ts';
import { filesBelow } from './testing/files-below.ts';
import { dumps, freshDumps, settles } from './testing/fresh-read.ts';
import { playRandomly } from './testing/random-operations.ts';
import { pause, until } from './testing/waiting.ts';
import { writeInHalves } from './testing/write-in-halves.ts';
import { startTracker } from './tracker.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));

let root = '';
let tracker: LiveTrees | undefined;
let changes: TreeChange[] = [];
let errors: unknown[] = [];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-tracker-'));
  mkdirSync(path.join(root, 'projects'));
  changes = [];
  errors = [];
});
afterEach(() => {
  tracker?.close();
  rmSync(root, { recursive: true, force: true });
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
  it('reads what is there, newest first, and tells when it has', async () => {
    for (const name of ['2.1.325-nested', '2.0.76-parallel', '1.0.60-parallel']) copy(name);
    const live = start();
    await complete(live);
    expect(dumps(live.current())).toEqual(await freshDumps([place()]));
    expect(live.current().length).toBeGreaterThanOrEqual(3);
    expect(changes.at(-1)?.kind).toBe('listing');
  });

  it('follows a session that is written line by line, folders and files appearing at once', async () => {
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

  it('sessions older than the window are listed, and read when somebody looks or something is written', async () => {
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

  it('at most so many sessions are followed, the newest', async () => {
    copy('2.1.325-nested');
    copy('2.1.325-parallel');
    const live = start({ window: { ms: Number.POSITIVE_INFINITY, sessions: 1 } });
    await complete(live);
    expect(live.current()).toHaveLength(1);
    expect(live.listing().older).toHaveLength(1);
  });

  it('of many that come at once, no more are read than are followed', async () => {
    const live = start({ window: { ms: Number.POSITIVE_INFINITY, sessions: 1 } });
    await complete(live);
    const aside = mkdtempSync(path.join(tmpdir(), 'troupe-tracker-aside-'));
    for (const name of ['2.1.325-nested', '2.1.325-parallel', '2.1.325-background'])
      cpSync(path.join(fixtures, name, 'projects'), path.join(aside, 'projects'), { recursive: true });
    rmSync(path.join(root, 'projects'), { recursive: true });
    renameSync(path.join(aside, 'projects'), path.join(root, 'projects'));
    rmSync(aside, { recursive: true });
    await until(() => live.listing().older.length === 2 && live.current().length === 1, 'all of them');
    expect(new Set(changes.flatMap((change) => (change.kind === 'tree' ? change.tree.id : []))).size).toBe(1);
    await until(() => changes.at(-1)?.kind === 'listing', 'the list without the one that is followed now');
  });

  it('keeps to those it follows: looking again and again changes nothing', async () => {
    copy('2.1.325-nested');
    copy('2.1.325-parallel');
    copy('2.1.325-background');
    const live = start({ window: { ms: Number.POSITIVE_INFINITY, sessions: 2 }, sweepEveryMs: 30 });
    await complete(live);
    const before = changes.length;
    await pause(300);
    expect(changes.slice(before)).toEqual([]);
    expect(live.current()).toHaveLength(2);
  });

  it('misses nothing that happens while it lists what is there', async () => {
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

  it('a place that cannot be looked at is tried again', async () => {
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

  it('follows one session in two places by the newer one', async () => {
    copy('2.1.325-nested');
    const other = mkdtempSync(path.join(tmpdir(), 'troupe-tracker-other-'));
    cpSync(path.join(fixtures, '2.1.325-nested'), other, { recursive: true });
    const places = [place(), { ...place(), root: other }];
    const file = 'projects/-home-dev-nested/fa129e54-d574-4fea-bbfe-0dd74bbd38cd.jsonl';
    const lines = readFileSync(path.join(root, file), 'utf8').split(/(?<=\n)/);
    writeFileSync(path.join(root, file), lines.slice(0, 9).join(''));
    await pause(20);
    writeFileSync(path.join(other, file), lines.slice(0, 12).join(''));
    const live = start({}, places);
    await complete(live);
    appendFileSync(path.join(root, file), lines.slice(9).join(''));
    await settles(live, places);
    rmSync(other, { recursive: true });
  });

  it('a session that is deleted is gone; one that moves to another project is the same session', async () => {
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

  it('finds out by itself that a process died, and that it ended in good order', async () => {
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

  it('follows by looking where the system has no more watches, and says so', async () => {
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

  it('finds a teammate as soon as its first line says who it is, though its file was there before', async () => {
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
    await pause(100);
    appendFileSync(memberHere, readFileSync(member));
    await until(() => (teammate()?.sources.length ?? 0) > 0, 'its transcript');
    await settles(live, [place()]);
  });

  it('sees a data folder as soon as it appears', async () => {
    const late = path.join(root, 'later', '.claude');
    const live = start({ sweepEveryMs: 3_600_000 }, [{ ...place(), root: late }]);
    await complete(live);
    cpSync(path.join(fixtures, '2.1.325-nested'), late, { recursive: true });
    await until(() => live.current().length === 1, 'the session');
    await settles(live, [{ ...place(), root: late }]);
  });

  it('goes on where no watch tells anything, by looking', async () => {
    copy('2.1.325-nested');
    const live = start({ sweepEveryMs: 50 });
    await complete(live);
    const hidden = path.join(root, 'projects', '-new', 'subfolder');
    mkdirSync(hidden, { recursive: true });
    await settles(live, [place()]);
  });
});

describe('ten thousand random operations', () => {
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
      operations: 10_000,
      checkEvery: 500,
      async start(roots) {
        const places = roots.map((at) => ({ ...place(), root: at }));
        const live = start({}, places);
        await complete(live);
        return () => settles(live, places);
      },
    });
  });
});
