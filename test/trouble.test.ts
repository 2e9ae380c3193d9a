import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../src/lib/testing/waiting.ts';
import { createProgramHome, type ProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The built program where the system is no help: folders that cannot be written to, files that cannot be read.

let program: ProgramHome;
beforeEach(() => {
  program = createProgramHome();
});
afterEach(() => program.end());

const isLinux = process.platform === 'linux';
/** Not even root may write there. */
const UNWRITABLE = '/sys/kernel';

/** Creates a file once the program has written to stderr. */
const marksWrites = (file: string): string =>
  `import { writeFileSync } from 'node:fs';
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  stderr.write = (...given) => {
    const isDone = write(...given);
    writeFileSync(${JSON.stringify(file)}, '');
    return isDone;
  };`;

describe.runIf(isLinux)('a state folder that cannot be written to', () => {
  it.each([[['--no-open']], [['server', 'start']]])('is reported with a remedy by troupe %s', async (args) => {
    const { code, errors } = await program.run(args, { env: { TROUPE_HOME: UNWRITABLE } });
    expect(code).toBe(2);
    expect(errors).toMatch(
      /^troupe: troupe cannot use its folder \/sys\/kernel: E\w+: .+\nMake it a folder of your own/,
    );
    expect(errors).not.toContain('bug');
  });

  it('does not end a running server, even when stderr is full', async () => {
    const full = openSync('/dev/full', 'w');
    const written = path.join(program.home, 'written');
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(marksWrites(written))}` };
    const serving = program.start(['--no-open', '--json'], { stdio: ['ignore', 'pipe', full], env });
    closeSync(full);
    await expect.poll(serving.out, { timeout: 30_000 }).toContain('"url"');
    const state = path.join(program.home, '.local/state/troupe');
    rmSync(state, { recursive: true });
    symlinkSync(UNWRITABLE, state);
    await until(() => existsSync(written), 'what it reports');
    const answer = await fetch(JSON.parse(serving.out()).url);
    expect(answer.status).toBe(200);
    serving.child.kill('SIGTERM');
    expect(await serving.ended).toBe(0);
  });
});

describe.runIf(isLinux)('a transcript that cannot be read', () => {
  const session = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
  beforeEach(() => {
    const file = path.join(program.home, `.claude/projects/-home-dev-nested/${session}.jsonl`);
    // No host writes so much: it is not read.
    truncateSync(file, 9 * 1024 ** 3);
  });

  it('is not read, and reported, if it is a link out of the data folder', async () => {
    const file = path.join(program.home, `.claude/projects/-home-dev-nested/${session}.jsonl`);
    rmSync(file);
    symlinkSync('/proc/self/environ', file);
    const shown = await program.run(['show', session]);
    expect(shown.errors).toContain('.jsonl is a link to a file outside');
    expect(shown.out).not.toContain('PATH=');
  });

  it.each([false, true])(
    'is served by no address if it is a link out of the data folder (while it runs: %s)',
    async (isLater) => {
      const folder = path.join(program.home, '.claude/projects/-home-dev-nested');
      const own = path.join(folder, `${session}.jsonl`);
      const subagents = path.join(folder, session, 'subagents');
      const [agent = ''] = readdirSync(subagents).filter((name) => name.endsWith('.jsonl'));
      const outside = path.join(program.home, 'outside.jsonl');
      const text = readFileSync(path.join(subagents, agent), 'utf8');
      writeFileSync(
        outside,
        text.replaceAll('"role":"user","content":"', '"role":"user","content":"NOT-FOR-THE-PAGE '),
      );
      expect(readFileSync(outside, 'utf8')).toContain('NOT-FOR-THE-PAGE');
      const link = (): void => {
        for (const file of [own, path.join(subagents, agent)]) {
          rmSync(file);
          symlinkSync(outside, file);
        }
      };
      if (!isLater) link();
      const serving = program.start(['--no-open', '--json']);
      await expect.poll(serving.out, { timeout: 30_000 }).toContain('"url"');
      if (isLater) link();
      const { origin, headers } = accessTo(program.state);
      const id = agent.replace(/^agent-|\.jsonl$/g, '');
      for (const route of [
        `agents/${session}/transcript?session=${session}`,
        `agents/${id}/transcript?session=${session}`,
        `sessions/${session}`,
        'sessions',
      ])
        expect(await (await fetch(`${origin}/api/${route}`, { headers })).text(), route).not.toContain(
          'NOT-FOR-THE-PAGE',
        );
    },
  );

  it('is reported by name, by the command and by the server', async () => {
    const shown = await program.run(['show', session]);
    expect(shown).toMatchObject({ code: 2, errors: expect.stringMatching(/^troupe: \S+\.jsonl cannot be read: /) });
    const serving = program.start(['--no-open', '--json']);
    await expect.poll(serving.out, { timeout: 30_000 }).toContain('"url"');
    const { origin, headers } = accessTo(program.state);
    const answer = await fetch(`${origin}/api/agents/${session}/transcript?session=${session}`, { headers });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'transcript-unreadable',
        message: expect.stringContaining('cannot be read'),
        remedy: expect.any(String),
      },
    });
    expect(serving.errors()).toBe('');
  });
});

describe.runIf(isLinux)('a HOME that is not an absolute path', () => {
  it.each(['', '.', 'here'])('is not resolved against the current folder: HOME=%s', async (HOME) => {
    const cwd = HOME === 'here' ? path.dirname(program.home) : program.home;
    const home = HOME === 'here' ? path.basename(program.home) : HOME;
    const { out, errors } = await program.run(['ls', '-n', '1', '--json'], { env: { HOME: home }, cwd });
    expect(errors).toBe('');
    expect(out).toContain('"sessions"');
    expect(out).not.toContain('fa129e54');
  });
});

describe.runIf(isLinux)('a terminal that is closed', () => {
  const served = async (serving: RunningProgram): Promise<{ readonly url: string; readonly pid: number }> => {
    await expect.poll(serving.out, { timeout: 30_000 }).toMatch(/\}\s*$/);
    return JSON.parse(serving.out());
  };

  it('does not end a server that was started with nohup', async () => {
    const serving = program.start(['--no-open', '--json'], { before: ['nohup'] });
    const { url, pid } = await served(serving);
    process.kill(pid, 'SIGHUP');
    // A server that minded it would be closing by the second request.
    for (let request = 0; request < 5; request++)
      expect((await fetch(url, { headers: { connection: 'close' } })).status).toBe(200);
    expect(existsSync(path.join(program.state, 'daemon.json'))).toBe(true);
    process.kill(pid, 'SIGTERM');
    expect(await serving.ended).toBe(0);
  });

  it.runIf(existsSync('/usr/bin/script'))('ends a server that runs in it', async () => {
    const command = `${process.execPath} dist/troupe.js --no-open --json`;
    const serving = program.start([], { instead: ['/usr/bin/script', '-qec', command, '/dev/null'] });
    process.kill((await served(serving)).pid, 'SIGHUP');
    expect(await serving.ended).toBe(0);
    expect(existsSync(path.join(program.home, '.local/state/troupe/daemon.json'))).toBe(false);
  });
});

describe.runIf(isLinux)('a server that is paused', () => {
  it('is reported as paused, and can be stopped', async () => {
    const { pid } = JSON.parse((await program.run(['server', 'start', '--json'])).out);
    process.kill(pid, 'SIGSTOP');
    const [asked, asJson] = await Promise.all([
      program.run(['server', 'status']),
      program.run(['server', 'status', '--json']),
    ]);
    expect(asked.code).toBe(1);
    expect(asked.out).toMatch(
      new RegExp(`process ${pid}.*but it is paused.*\n.*kill -CONT ${pid}\n.*troupe server stop`),
    );
    expect(JSON.parse(asJson.out)).toMatchObject({
      running: true,
      answers: false,
      server: { pid },
    });
    const stopped = await program.run(['server', 'stop']);
    expect(stopped).toMatchObject({ code: 0, out: `The server (process ${pid}) has ended.\n` });
    expect((await program.run(['server', 'status'])).out).toContain('No server runs');
  });
});

describe.runIf(isLinux)('a low limit of open files', () => {
  it('is enough for a server with hundreds of idle connections', async () => {
    const before = ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'];
    const serving = program.start(['--no-open', '--json'], { before });
    await expect.poll(serving.out, { timeout: 30_000 }).toContain('"url"');
    const { origin, port, headers } = accessTo(program.state);
    const held = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    const session = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
    const answer = await fetch(`${origin}/api/agents/${session}/transcript?session=${session}`, { headers });
    expect(answer.status).toBe(200);
    expect(serving.errors()).toBe('');
    for (const socket of held) socket.destroy();
  });
});

describe('--port with another port than that of the running server', () => {
  it('prints a warning with the real port', async () => {
    const server = JSON.parse((await program.run(['server', 'start', '--json'])).out);
    const other = String(server.port === 4711 ? 4712 : 4711);
    for (const args of [
      ['server', 'start', '--port', other, '--json'],
      ['--no-open', '--port', other, '--json'],
    ]) {
      const { code, out, errors } = await program.run(args);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual(server);
      expect(errors).toMatch(new RegExp(`not on port ${other}.*troupe server stop`));
    }
    expect((await program.run(['server', 'start', '--port', String(server.port)])).errors).toBe('');
  });
});
