// The real OpenCode as a server in a throw-away project, with the model of the kit.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { vi } from 'vitest';
import { asObject, isObject, type JsonObject, parseObject } from '../../src/lib/json.ts';
import { readDatabase } from '../../src/lib/sqlite.ts';
import { kit } from './kit.ts';

export interface ServedProject {
  readonly project: string;
  /** As the program sees it: its data, its configuration. */
  readonly env: NodeJS.ProcessEnv;
  readonly data: string;
  /** Another one after each start. */
  readonly url: string;
  readonly isSecond: boolean;
  request<T>(method: string, route: string, body?: object): Promise<T>;
  /** Gives the session: a new one, if none is named. */
  prompt(play: string, session?: string): Promise<string>;
  /** Ids of its sub-agents. */
  children(session: string): Promise<readonly string[]>;
  /** As the server has them. */
  messages(session: string): Promise<readonly unknown[]>;
  /** How the shell command of the session's sub-agent ended: `status: error`. */
  commandOf(session: string): Promise<string>;
  /** Answers the question that is open, as the program's own client does. */
  reply(decision: 'once' | 'reject'): Promise<void>;
  /** Until the session does nothing any more. */
  untilIdle(session: string): Promise<void>;
  /** Starts the server again, on the same data: the same program or another one. */
  startAgain(program?: string): Promise<void>;
  kill(): void;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly program: string;
  readonly root: string;
  readonly scenario: string;
  readonly permission: object;
  readonly play?: string;
  readonly password?: string;
  /** On top of the others. */
  readonly settings?: object;
  /** Before it starts. */
  prepare?(env: NodeJS.ProcessEnv, project: string): void;
}

export async function serveOpencode(options: ServeOptions): Promise<ServedProject> {
  const { root, scenario, permission, play = 'guarded', prepare } = options;
  let isSecond = isSecondProgram(options.program);
  // OpenCode 2 has one in any case.
  const password = options.password ?? (isSecond ? 'sesame' : undefined);
  const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);
  const [{ startFakeOpenai }, { makeWorkspace, commit, cleanEnv, freePort, endGroup }] = await Promise.all(
    ['fake-openai.mjs', 'workspace.mjs'].map(load),
  );
  const { base, project, ...workspace } = makeWorkspace({ root, scenario, play });
  const env: NodeJS.ProcessEnv = cleanEnv(workspace, {
    ...Object.fromEntries(
      ['data', 'config', 'state', 'cache'].map((n) => [`XDG_${n.toUpperCase()}_HOME`, path.join(base, n)]),
    ),
    ...(password !== undefined && { OPENCODE_SERVER_PASSWORD: password, OPENCODE_PASSWORD: password }),
    ...Object.fromEntries(OFF.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
    // OpenCode 2 needs no switch for them.
    OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: '1',
  });
  const config = path.join(base, 'config', 'opencode');
  mkdirSync(config, { recursive: true });
  const log = openSync(path.join(base, 'server.log'), 'a');
  const authorization = `Basic ${Buffer.from(`opencode:${password ?? ''}`).toString('base64')}`;
  let url = '';
  let child: ChildProcess | undefined;
  let model: { readonly url: string; close(): Promise<void> } | undefined;
  const isUp = () =>
    fetch(`${url}${isSecond ? '/api/info' : '/global/health'}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(2_000),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
  const start = async (program: string): Promise<void> => {
    isSecond = isSecondProgram(program);
    await model?.close();
    const settled = { log: path.join(base, 'model.jsonl'), dialect: isSecond ? 'opencode2' : 'opencode' };
    const scripted: { readonly url: string; close(): Promise<void> } = await startFakeOpenai(settled);
    model = scripted;
    const settings = { ...settingsFor(scripted.url), permission, ...options.settings };
    writeFileSync(path.join(config, 'opencode.json'), JSON.stringify(settings));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const args = ['serve', '--port', String(port), '--hostname', '127.0.0.1'];
    child = spawn(program, args, { cwd: project, env, stdio: ['ignore', log, log], detached: true });
    try {
      await vi.waitUntil(isUp, { timeout: 60_000, interval: 200 });
    } catch (error) {
      endGroup(child.pid, 'SIGKILL');
      await scripted.close();
      throw error;
    }
  };
  prepare?.(env, project);
  commit(project);
  await start(options.program);
  const request = async <T>(method: string, route: string, body?: object): Promise<T> => {
    const query = `?${isSecond ? 'location[directory]' : 'directory'}=${encodeURIComponent(project)}`;
    const response = await fetch(`${url}${route}${query}`, {
      method,
      headers: { 'content-type': 'application/json', connection: 'close', authorization },
      signal: AbortSignal.timeout(60_000),
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const served: ServedProject = {
    project,
    env,
    data: path.join(base, 'data', 'opencode'),
    get url() {
      return url;
    },
    get isSecond() {
      return isSecond;
    },
    request,
    async prompt(play, session) {
      const text = `Please do the job. [[play:${play}]]`;
      if (isSecond) {
        const place = { location: { directory: project } };
        const id = session ?? (await request<Data<{ id: string }>>('POST', '/api/session', place)).data.id;
        await request('POST', `/api/session/${id}/prompt`, { text });
        return id;
      }
      const id = session ?? (await request<{ id: string }>('POST', '/session', {})).id;
      await request('POST', `/session/${id}/prompt_async`, { parts: [{ type: 'text', text }] });
      return id;
    },
    async children(session) {
      if (!isSecond)
        return (await request<{ id: string }[]>('GET', `/session/${session}/children`)).map(({ id }) => id);
      const { data } = await request<Data<{ id: string; parentID?: string }[]>>('GET', '/api/session');
      return data.filter(({ parentID }) => parentID === session).map(({ id }) => id);
    },
    async messages(session) {
      if (!isSecond) return request<unknown[]>('GET', `/session/${session}/message`);
      // Newest first.
      return (await request<Data<unknown[]>>('GET', `/api/session/${session}/message`)).data.toReversed();
    },
    async commandOf(session) {
      if (isSecond) {
        const { data } = await request<Data<{ id: string; parentID?: string }[]>>('GET', '/api/session');
        const child = data.find(({ parentID }) => parentID === session);
        const { data: messages } = await request<Data<SecondMessage[]>>('GET', `/api/session/${child?.id}/message`);
        const call = messages.flatMap(({ content = [] }) => content).find(({ name }) => name === 'shell');
        return `${call?.state?.status}: ${call?.state?.error?.message ?? ''}`;
      }
      const [child] = await request<{ id: string }[]>('GET', `/session/${session}/children`);
      const messages = await request<{ parts: Part[] }[]>('GET', `/session/${child?.id}/message`);
      const part = messages.flatMap(({ parts }) => parts).find(({ tool }) => tool === 'bash');
      return `${part?.state?.status}: ${part?.state?.error ?? ''}`;
    },
    async reply(decision) {
      if (isSecond) {
        const { data } = await request<Data<{ id: string; sessionID: string }[]>>('GET', '/api/permission/request');
        const [one] = data;
        await request('POST', `/api/session/${one?.sessionID}/permission/${one?.id}/reply`, { decision });
        return;
      }
      const [question] = await request<{ id: string }[]>('GET', '/permission');
      await request('POST', `/permission/${question?.id}/reply`, { reply: decision });
    },
    async untilIdle(session) {
      // Not at once: it says nothing until it has begun.
      await sleep(1_500);
      const isIdle = async () =>
        isSecond
          ? !(session in (await request<Data<object>>('GET', '/api/session/active')).data)
          : !(session in (await request<object>('GET', '/session/status')));
      await vi.waitUntil(isIdle, { timeout: 90_000, interval: 200 });
    },
    startAgain: (program = options.program) => start(program),
    kill: () => endGroup(child?.pid, 'SIGKILL'),
    async close() {
      endGroup(child?.pid, 'SIGTERM');
      await sleep(500);
      endGroup(child?.pid, 'SIGKILL');
      await model?.close();
    },
  };
  return served;
}

interface Data<Of> {
  readonly data: Of;
}

interface Part {
  readonly tool?: string;
  readonly state?: { readonly status: string; readonly error?: string };
}

interface SecondMessage {
  readonly content?: readonly {
    readonly name?: string;
    readonly state?: { readonly status: string; readonly error?: { readonly message: string } };
  }[];
}

/** Of OpenCode 1 and 2 alike; `TROUPE_OPENCODE2_BIN` has been in use for the latter. */
export const programs = [process.env['TROUPE_OPENCODE_BIN'], process.env['TROUPE_OPENCODE2_BIN']]
  .flatMap((list) => (list ?? '').split(path.delimiter))
  .filter((program) => program !== '');

/** As the program says it: some packages have none in their path. */
export function versionOf(program: string): string {
  const said = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 60_000 }).stdout ?? '';
  return /\d+\.\d+\.\d+/.exec(said)?.[0] ?? 'unknown';
}

/** OpenCode 2 is another package, and says its version in other words. */
export function isSecondProgram(program: string): boolean {
  return (spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 60_000 }).stdout ?? '').includes('v2.');
}

const OFF = ['MODELS_FETCH', 'AUTOUPDATE', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'SHARE'];

const settingsFor = (url: string): object => ({
  model: 'fake/fake-1',
  small_model: 'fake/fake-1',
  autoupdate: false,
  share: 'disabled',
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Fake',
      options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
      models: { 'fake-1': { name: 'Fake 1', tool_call: true, limit: { context: 200_000, output: 8_192 } } },
    },
  },
});

/** A machine with much to do lets the program wait before it writes what it has begun: that is not ours to count. */
export async function writtenAt(data: string, call: string): Promise<number> {
  const file = path.join(data, 'opencode.db');
  if (!existsSync(file)) return Date.now();
  return readDatabase(file, (database) => {
    const [message = '', id] = call.split('/');
    if (id === undefined) {
      const [row] = database.all('select time_updated as at from part where id = ?', call);
      return Number(row?.['at'] ?? 0);
    }
    const [row] = database.all('select cast(data as blob) as data from session_message where id = ?', message);
    const content = objectsIn(parseObject(row?.['data'])?.['content']);
    const { ran, created } = asObject(content.find((one) => one['id'] === id)?.['time']) ?? {};
    return Number(ran ?? created ?? 0);
  });
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
