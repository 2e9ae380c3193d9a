import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeStubs, type Ran, run, SILENT, type Stubs } from '../server/testing/stubs.ts';
import { guardScript, observeScript, writeHookStubs } from './hook-stubs.ts';

let stubs: Stubs;
beforeEach(async () => {
  stubs = await makeStubs();
});

const SHELLS = ['dash', 'bash', 'busybox sh', 'ksh', 'mksh', 'zsh --emulate sh'].filter(
  (shell) => spawnSync('sh', ['-c', `command -v ${shell.split(' ')[0]}`]).status === 0,
);

/** With -n, ksh also warns about style: `n=$((n + 1)) is slower than ((n=n + 1))`. */
function mistakesIn({ status, stderr }: SpawnSyncReturns<Buffer>): readonly [number | null, string] {
  return [status, stderr.toString().replace(/^ksh: warning: .*\n/gm, '')];
}

describe('the stub files', () => {
  it('are readable by their owner only, name their version, and are written once', async () => {
    for (const file of [stubs.observe, stubs.guard]) {
      expect(statSync(file).mode & 0o777).toBe(0o700);
      expect(readFileSync(file, 'utf8').split('\n')[1]).toMatch(/^# troupe unknown: /);
    }
    expect(statSync(path.join(stubs.state, 'spool')).mode & 0o777).toBe(0o700);
    const before = statSync(stubs.guard);
    chmodSync(stubs.observe, 0o600);
    expect(await writeHookStubs(stubs.state, { node: process.execPath, hookFile: stubs.hookFile })).toEqual({
      observe: stubs.observe,
      statusLine: path.join(path.dirname(stubs.observe), 'statusline'),
      guard: stubs.guard,
    });
    expect(statSync(stubs.guard)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(statSync(stubs.observe).mode & 0o777).toBe(0o700);
    writeFileSync(stubs.guard, 'something else');
    await writeHookStubs(stubs.state, { node: process.execPath, hookFile: stubs.hookFile });
    expect(readFileSync(stubs.guard, 'utf8')).toContain('/dev/tcp/');
    expect(stubs.names('bin')).toEqual(['guard', 'observe', 'statusline']);
  });

  it('name the version of the package they belong to', async () => {
    const dist = path.join(stubs.state, 'package', 'dist', 'hook.cjs');
    mkdirSync(path.dirname(dist), { recursive: true });
    writeFileSync(path.join(stubs.state, 'package', 'package.json'), '{"name":"troupe","version":"9.8.7"}');
    const { observe } = await writeHookStubs(stubs.state, { node: process.execPath, hookFile: dist });
    expect(readFileSync(observe, 'utf8')).toContain('# troupe 9.8.7: ');
  });

  it("pass a shell's syntax check", () => {
    const words = { state: "/home/dev/o'clock $(x)", node: '/n', hookFile: '/h', config: '/config', version: '1' };
    // What ksh finds slow is no mistake.
    for (const shell of SHELLS)
      for (const text of [
        observeScript({ ...words, bash: undefined, answers: {} }),
        guardScript({ ...words, bash: undefined, answers: {} }),
      ])
        expect(mistakesIn(spawnSync('sh', ['-c', `${shell} -n`], { input: text }))).toEqual([0, '']);
  });
});

describe.each(SHELLS)('the observer in %s', (shell) => {
  const observe = (input: string | Buffer, args = 'claude-code'): Ran =>
    run('sh', input, { args: ['-c', `exec ${shell} "$0" ${args}`, stubs.observe] });

  it.each([
    ['a call', Buffer.from('{"hook_event_name":"PreToolUse"}')],
    ['10 MB', Buffer.alloc(10 * 1024 * 1024, '{"a":"é"}')],
    ['NUL bytes and halves of characters', Buffer.from([0, 0xff, 0xc3, 0, 10, 13, 10, 0])],
    ['lines at its end', Buffer.from('{}\n\n\n')],
    ['words for a shell', Buffer.from('$(touch x) `touch x` \\ " \' %s %n -n')],
  ])('keeps %s, byte for byte', (_, payload) => {
    expect(observe(payload)).toEqual(SILENT);
    const [event, ...others] = stubs.events();
    expect(event?.payload.equals(payload)).toBe(true);
    expect(event?.last).toEqual({ ppid: process.pid });
    expect(others).toEqual([]);
    expect(statSync(path.join(stubs.state, 'spool', stubs.names()[0] ?? '')).mode & 0o777).toBe(0o600);
  });

  it('keeps nothing when the input is empty or the host unknown', () => {
    expect(observe('')).toEqual(SILENT);
    for (const host of ["''", "'../x'", "'a b'", 'CLAUDE', '.']) expect(observe('{}', host)).toEqual(SILENT);
    expect(stubs.names()).toEqual([]);
  });

  it('creates a missing queue folder, and takes another name when one is taken', () => {
    rmSync(path.join(stubs.state, 'spool'), { recursive: true });
    expect(observe('{"n":1}')).toEqual(SILENT);
    const taken = `p=$$; : > '${stubs.state.replaceAll("'", "'\\''")}'/spool/claude-code.$p.0.json; : > '${stubs.state.replaceAll("'", "'\\''")}'/spool/.new-claude-code.$p.1;`;
    expect(run('sh', '{"n":2}', { args: ['-c', `${taken} exec ${shell} "$0" claude-code`, stubs.observe] })).toEqual(
      SILENT,
    );
    const names = stubs.names().filter((name) => name.endsWith('.2.json'));
    expect(names.map((name) => readFileSync(path.join(stubs.state, 'spool', name), 'utf8'))).toEqual([
      `{"n":2}\n{"ppid":${process.pid}}\n`,
    ]);
    expect(stubs.names().filter((name) => /^\.new-.*\.[02]$/.test(name))).toEqual([]);
  });

  it('ends silently when the queue cannot be written', () => {
    rmSync(path.join(stubs.state, 'spool'), { recursive: true });
    writeFileSync(path.join(stubs.state, 'spool'), '');
    expect(observe('{}')).toEqual(SILENT);
  });
});

describe('a host that ends its hooks', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'leaves what they read in the queue when it sends %s',
    async (signal) => {
      const child = spawn(stubs.observe, ['claude-code'], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
      child.stdin.write('{"a":');
      await vi.waitFor(() => expect(stubs.names()).toEqual([`.new-claude-code.${child.pid}.0`]), 30_000);
      // `cat` is started after the draft is there; it gets the signal as well.
      const draft = path.join(stubs.state, 'spool', `.new-claude-code.${child.pid}.0`);
      await vi.waitFor(() => expect(readFileSync(draft, 'utf8')).toBe('{"a":'), 30_000);
      process.kill(-(child.pid ?? 0), signal);
      child.stdin.end('1}');
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(stubs.events().map(({ payload }) => payload.toString())).toEqual(['{"a":1}']);
    },
  );
});

describe('many hooks at once', () => {
  it('queue each event once and whole when some are killed', async () => {
    const body = 'x'.repeat(300_000);
    const finished = new Set<number>();
    let next = 0;
    const one = async (): Promise<void> => {
      while (next < 100) {
        const id = next++;
        const child = spawn(stubs.observe, ['claude-code'], { stdio: ['pipe', 'ignore', 'ignore'] });
        child.stdin.on('error', () => undefined);
        const payload = JSON.stringify({ id, body });
        const isKilled = id % 4 === 0;
        child.stdin.write(payload.slice(0, 150_000));
        if (isKilled) setTimeout(() => child.kill('SIGKILL'), id % 12);
        else if (id % 3 === 0) await sleep(id % 7);
        child.stdin.end(payload.slice(150_000));
        const [status] = await once(child, 'close');
        if (status === 0) finished.add(id);
      }
    };
    await Promise.all(Array.from({ length: 10 }, one));
    const kept = stubs.events().map(({ payload }) => JSON.parse(payload.toString()));
    for (const { body: told } of kept) expect(told).toHaveLength(body.length);
    const ids = kept.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...finished].filter((id) => !ids.includes(id))).toEqual([]);
    expect(finished.size).toBeGreaterThanOrEqual(75);
  });
});

describe('the queue when no server runs', () => {
  /** Runs until the number of one is among those that look after it. */
  const observeSome = async (): Promise<void> => {
    while (!stubs.names().some((name) => /\.\d*[05]0\.0\.json$/.test(name)))
      expect(run(stubs.observe, '{}')).toEqual(SILENT);
  };
  const drained = (): string => path.join(stubs.state, 'drained');

  it('is drained from time to time, in the background', async () => {
    await observeSome();
    await vi.waitFor(() => expect(existsSync(drained())).toBe(true), 30_000);
  });

  it('is left to the server while one runs', async () => {
    writeFileSync(path.join(stubs.state, 'hook-address'), `${process.pid} 1 key proof\n`);
    await observeSome();
    rmSync(path.join(stubs.state, 'hook-address'));
    rmSync(path.join(stubs.state, 'spool'), { recursive: true });
    mkdirSync(path.join(stubs.state, 'spool'));
    await observeSome();
    await vi.waitFor(() => expect(existsSync(drained())).toBe(true), 30_000);
    expect(readFileSync(drained(), 'utf8')).toBe('once\n');
  });

  it('is drained when the server was killed', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(path.join(stubs.state, 'hook-address'), `${pid} 1 key proof\n`);
    await observeSome();
    await vi.waitFor(() => expect(existsSync(drained())).toBe(true), 30_000);
  });
});

describe('a person who runs the stubs by hand', () => {
  // The script of other systems is told otherwise what to run.
  it.runIf(process.platform === 'linux').each(['observe', 'guard'] as const)(
    '%s does not wait for input of a terminal',
    async (which) => {
      const child: ChildProcess = spawn('script', ['-qec', `"${stubs[which]}" claude-code; echo over $?`, '/dev/null']);
      let out = '';
      child.stdout?.on('data', (data) => {
        out += data;
      });
      await once(child, 'close');
      expect(out.trim()).toBe('over 0');
      expect(stubs.names()).toEqual([]);
    },
  );
});
