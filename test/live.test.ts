import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../src/lib/testing/waiting.ts';
import { createProgramHome, type ProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo, followLink } from './testing/server-access.ts';

// The built program, as a person runs it: server, background server, watch, demo. Real processes, real sockets.

const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = path.join(root, 'src/hosts/claude-code/fixtures');
const SESSION = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';

let program: ProgramHome;
let home = '';
beforeEach(() => {
  program = createProgramHome();
  home = program.home;
});
afterEach(() => program.end());

const troupe = (...args: readonly string[]): RunningProgram => program.start(args);
const run = (...args: readonly string[]) => program.run(args);

interface ServerJson {
  readonly url: string;
  /** Of a server that is not in daemon.json. */
  readonly loginUrl?: string;
  readonly port: number;
  readonly pid: number;
}

const logins = new Map<string, Promise<string>>();

/** A link works once: the cookie is kept. */
async function headersFor({ url, loginUrl }: ServerJson): Promise<http.OutgoingHttpHeaders> {
  if (loginUrl === undefined) return accessTo(path.dirname(daemonFile())).headers;
  const cookie = logins.get(url) ?? followLink(loginUrl);
  logins.set(url, cookie);
  return { cookie: await cookie };
}

const serverOf = (running: RunningProgram): Promise<ServerJson> =>
  until(
    () => (running.out().trimEnd().endsWith('}') ? (JSON.parse(running.out()) as ServerJson) : undefined),
    'the server',
  );

async function get(server: ServerJson, route: string): Promise<unknown> {
  const headers = await headersFor(server);
  const { port } = server;
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path: route, headers, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(JSON.parse(text));
    });
    request.on('error', reject);
  });
}

const complete = (server: ServerJson) =>
  until(async () => ((await get(server, '/api/sessions')) as { isComplete: boolean }).isComplete, 'the first reading');

/** Against a part of the schema of what the server commands answer. */
function validate(part: string, value: unknown): void {
  const ajv = new Ajv2020({ formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } });
  const schema = JSON.parse(readFileSync(path.join(root, 'schemas/server.schema.json'), 'utf8'));
  ajv.addSchema(schema);
  expect(ajv.validate(`${schema.$id}${part}`, value), JSON.stringify(ajv.errors)).toBe(true);
}

const daemonFile = () => path.join(program.state, 'daemon.json');

describe('troupe, the server', () => {
  it('serves until Ctrl-C; a second one finds it', async () => {
    const first = troupe('--no-open', '--json');
    const server = await serverOf(first);
    expect(statSync(daemonFile()).mode & 0o777).toBe(0o600);
    await complete(server);
    expect(await get(server, `/api/sessions/${SESSION}`)).toMatchObject({
      status: 'completed',
      subagents: [{}, {}, {}],
    });
    const second = await run('--no-open');
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining(server.url) });
    expect((await run('server', 'status')).out).toContain(server.url);
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    expect(existsSync(daemonFile())).toBe(false);
    expect(await run('server', 'status', '--json')).toMatchObject({
      code: 1,
      out: expect.stringContaining('"running": false'),
    });
  });

  it('two that start together: one serves', async () => {
    const both = [troupe('--no-open', '--json'), troupe('--no-open', '--json')];
    const servers = await Promise.all(both.map(serverOf));
    expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
    const serving = both.filter(({ child }) => child.pid === servers[0]?.pid);
    expect(serving).toHaveLength(1);
    const other = both.find(({ child }) => child.pid !== servers[0]?.pid);
    expect(await other?.ended).toBe(0);
  });

  it('killed and started again, it shows the same picture', async () => {
    const picture = async (server: ServerJson) => {
      await complete(server);
      return get(server, `/api/sessions/${SESSION}`);
    };
    const first = troupe('--no-open', '--json');
    const before = await picture(await serverOf(first));
    first.child.kill('SIGKILL');
    await first.ended;
    expect(existsSync(daemonFile())).toBe(true);
    const second = troupe('--no-open', '--json');
    expect(await picture(await serverOf(second))).toEqual(before);
  });

  it('starts in the background, reports its status and stops', async () => {
    const started = await run('server', 'start', '--json');
    expect(started.code).toBe(0);
    validate('', JSON.parse(started.out));
    const server = JSON.parse(started.out) as ServerJson;
    expect(JSON.parse((await run('server', 'start', '--json')).out)).toEqual(server);
    expect(JSON.parse((await run('server', 'status', '--json')).out)).toMatchObject({ running: true, server });
    expect((await run('server', 'stop')).out).toContain(`process ${server.pid}`);
    const again = await run('server', 'stop', '--json');
    expect(JSON.parse(again.out)).toEqual({ outcome: 'none', server: null });
    validate('#/$defs/stop', JSON.parse(again.out));
    validate('#/$defs/status', JSON.parse((await run('server', 'status', '--json')).out));
  });

  it('takes the old commands, with a warning on stderr', async () => {
    const warning = (old: string, name: string): string => `${old} is now: ${name}. The old name works until 0.3.\n`;
    const started = await run('start', '--json');
    expect(started.errors).toBe(warning('troupe start', 'troupe server start'));
    const current = await run('server', 'start', '--json');
    expect(current).toEqual({ ...started, errors: '' });
    const status = await run('server', 'status', '--json');
    expect(status.errors).toBe('');
    expect(await run('status', '--json')).toEqual({
      ...status,
      errors: warning('troupe status', 'troupe server status'),
    });
    const stopped = await run('stop', '--json');
    expect(stopped.errors).toBe(warning('troupe stop without an agent', 'troupe server stop'));
    expect(JSON.parse(stopped.out)).toMatchObject({ outcome: 'stopped', server: JSON.parse(started.out) });
  });

  it('stops only an agent with `troupe stop AGENT`', async () => {
    const server = await serverOf(troupe('--no-open', '--json'));
    const { code, errors } = await run('stop', 'ffffffff', '--root', path.join(fixtures, '2.1.325-parallel'));
    expect(code).not.toBe(0);
    expect(errors).not.toContain('The old name');
    expect((await run('server', 'status')).out).toContain(server.url);
    expect(await run('server', 'stop', 'ffffffff')).toMatchObject({ code: 2 });
  });

  it('says what is wrong and what to do', async () => {
    const server = await serverOf(troupe('--no-open', '--json'));
    const elsewhere = path.join(fixtures, '2.1.325-parallel');
    expect(await run('--no-open', '--root', elsewhere, '--port', String(server.port))).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/Port \d+ is taken/),
    });
    expect((await run('--port', 'abc')).code).toBe(2);
    expect(await run('server', 'start', '--root', elsewhere)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('troupe server stop'),
    });
    mkdirSync(path.join(home, '.config/troupe'), { recursive: true });
    writeFileSync(path.join(home, '.config/troupe/config.json'), '{"live":{"windowHours":"two"}}');
    expect(await run('watch', '--json', '--root', elsewhere)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('live.windowHours'),
    });
  });

  it('serves its own folder beside a server for another one', async () => {
    await serverOf(troupe('--no-open', '--json'));
    const beside = await serverOf(troupe('--no-open', '--json', '--root', path.join(fixtures, '2.1.325-parallel')));
    await complete(beside);
    expect(await get(beside, '/api/sessions')).toMatchObject({ total: 1, sessions: [{ project: 'parallel' }] });
  });
});

describe('troupe watch, piped', () => {
  const transcript = () => path.join(home, '.claude/projects/-home-dev-nested', `${SESSION}.jsonl`);
  const events = (running: RunningProgram): readonly { type: string; data: { sources?: readonly unknown[] } }[] =>
    running
      .out()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const next = JSON.stringify({ type: 'custom-title', customTitle: 'A new name', sessionId: SESSION });

  for (const withServer of [true, false]) {
    it(`writes every event as a line of JSON, ${withServer ? 'from the server' : 'by itself'}`, async () => {
      if (withServer) await run('server', 'start');
      const watch = troupe('watch', '--json');
      await until(() => events(watch)[0], 'a snapshot');
      expect(events(watch)[0]?.type).toBe('snapshot');
      await until(() => events(watch).some(({ type }) => type === 'listing') || withServer, 'the first reading');
      appendFileSync(transcript(), `${next}\n`);
      await until(() => watch.out().includes('A new name'), 'the change');
      const change = events(watch).findLast(({ type }) => type === 'change');
      expect(change).toMatchObject({ data: { session: { title: 'A new name' } } });
      watch.child.kill('SIGINT');
      expect(await watch.ended).toBe(0);
    });
  }

  it('goes on by itself when its server is gone, and says so', async () => {
    await run('server', 'start');
    const watch = troupe('watch', '--json');
    await until(() => events(watch)[0], 'a snapshot');
    await run('server', 'stop');
    await until(() => watch.errors().includes('server gone'), 'the loss');
    await until(() => watch.errors().includes('the picture comes from: this process'), 'another source');
    expect(events(watch).findLast(({ type }) => type === 'snapshot')).toMatchObject({ data: { isComplete: true } });
    appendFileSync(transcript(), `${next}\n`);
    await until(() => watch.out().includes('A new name'), 'the change');
    watch.child.kill('SIGINT');
    expect(await watch.ended).toBe(0);
  });

  it('writes a line for each change, without control characters', async () => {
    const watch = troupe('watch', '--demo', '--speed', '40');
    await until(() => watch.out().split('\n').length > 12, 'some lines');
    watch.child.kill('SIGTERM');
    expect(await watch.ended).toBe(0);
    expect(watch.out()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(watch.out()).toContain('Build the limiter');
  });
});

describe('troupe --or-demo', () => {
  it('plays the recording when there is nothing, and stops with the first session', async () => {
    rmSync(path.join(home, '.claude'), { recursive: true });
    mkdirSync(path.join(home, '.claude/projects'), { recursive: true });
    const server = await serverOf(troupe('--or-demo', '--no-open', '--json'));
    const projects = async (): Promise<readonly string[]> => {
      const { sessions } = (await get(server, '/api/sessions')) as { sessions: { project: string }[] };
      return sessions.map(({ project }) => project);
    };
    await until(async () => (await projects()).includes('shop-api'), 'the demo');
    cpSync(path.join(fixtures, '2.1.325-nested/projects'), path.join(home, '.claude/projects'), { recursive: true });
    await until(async () => (await projects()).join() === 'nested', 'the real one alone');
  });
});

describe('troupe --demo', () => {
  it('plays the recording through the same adapters, and leaves nothing behind', async () => {
    const demo = troupe('--demo', '--speed', '40', '--no-open', '--json');
    const server = await serverOf(demo);
    const session = await until(async () => {
      const { sessions } = (await get(server, '/api/sessions')) as { sessions: { agents: number; running: number }[] };
      return sessions.find(({ agents, running }) => agents > 3 && running > 0);
    }, 'agents at work');
    expect(session).toMatchObject({ project: 'shop-api' });
    const [folder = ''] = ((await get(server, '/api/status')) as { places?: string[] }).places ?? [];
    demo.child.kill('SIGTERM');
    expect(await demo.ended).toBe(0);
    if (folder) expect(existsSync(folder)).toBe(false);
    expect(existsSync(daemonFile())).toBe(false);
  });
});
