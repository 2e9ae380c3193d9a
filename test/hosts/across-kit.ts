// Claude Code, and every other program on its PATH: one home for all of them, each with a scripted model of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CODEX, COPILOT, GEMINI, type HostRecipe, QWEN } from './host-recipes.ts';
import { kit, work } from './kit.ts';
import { isSecondProgram } from './opencode-server.ts';

/** What the scripted model does: each list of items is one answer. */
export type Plays = Readonly<Record<string, readonly { readonly items: readonly unknown[] }[]>>;

export interface AcrossHosts {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a program that lies on the PATH, to its end. */
  run(program: string, args: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);

/** By name (`claude`, `codex`, …) where each program lies; `node` for those that need another. */
export async function startAcrossHosts(
  name: string,
  programs: ReadonlyMap<string, string>,
  /** What stands in front of a scripted model, by its address. */
  inFront: (url: string) => Promise<string> = async (url) => url,
): Promise<AcrossHosts> {
  const [{ startFakeAnthropic }, { startFakeOpenai }, { startFakeGemini }, workspaces] = await Promise.all(
    ['fake-anthropic.mjs', 'fake-openai.mjs', 'fake-gemini.mjs', 'workspace.mjs'].map(load),
  );
  const { makeWorkspace, commit, cleanEnv, runProgram } = workspaces;
  const workspace = makeWorkspace({ root: path.join(work, 'across'), scenario: name, play: 'nested' });
  const { base, project, home } = workspace;
  commit(project);
  const log = (model: string): string => path.join(base, `model-${model}.jsonl`);
  const opencode = programs.get('opencode');
  const isSecond = opencode !== undefined && isSecondProgram(opencode);
  const openai = (dialect: string) => startFakeOpenai({ dialect, log: log(dialect) });
  const started = {
    claude: await startFakeAnthropic({ log: log('claude') }),
    codex: await openai('codex'),
    opencode: await openai(isSecond ? 'opencode2' : 'opencode'),
    copilot: await openai('copilot'),
    qwen: await openai('qwen'),
    gemini: await startFakeGemini({ log: log('gemini') }),
  };
  const models: Record<string, { readonly url: string }> = {};
  for (const [model, { url }] of Object.entries(started)) models[model] = { url: await inFront(url) };
  const urlOf = (model: keyof typeof started): string => models[model]?.url ?? started[model].url;
  const bin = path.join(base, 'bin');
  mkdirSync(bin);
  for (const [program, place] of programs) if (existsSync(place)) symlinkSync(place, path.join(bin, program));
  const put = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text);
  };
  const putSettings = ({ folder, settings }: HostRecipe, url: string): void => {
    const files = settings(url, project, { version2: false });
    for (const [file, text] of Object.entries(files)) put(path.join(folder, file), text);
  };
  putSettings(CODEX, urlOf('codex'));
  putSettings(GEMINI, urlOf('gemini'));
  putSettings(QWEN, urlOf('qwen'));
  put('.config/opencode/opencode.json', JSON.stringify(opencodeSettings(urlOf('opencode'))));
  const env = cleanEnv(workspace, {
    PATH: `${bin}${path.delimiter}${process.env['PATH']}`,
    ANTHROPIC_BASE_URL: urlOf('claude'),
    ANTHROPIC_API_KEY: 'sk-ant-dummy-local',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: workspace.temp,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
    ...COPILOT.environment(urlOf('copilot')),
    ...GEMINI.environment(urlOf('gemini')),
    ...QWEN.environment(urlOf('qwen')),
  });
  let runs = 0;
  return {
    home,
    project,
    env,
    async run(program, args) {
      runs++;
      const [stdout, stderr] = [path.join(base, `printed-${runs}.txt`), path.join(base, `errors-${runs}.txt`)];
      await runProgram({ bin: path.join(bin, program), args, cwd: project, env, stdout, stderr, timeout: 180_000 });
    },
    async close() {
      // OpenCode 2 leaves a service running.
      if (isSecond) spawnSync(path.join(bin, 'opencode'), ['service', 'stop'], { cwd: project, env, timeout: 30_000 });
      for (const model of Object.values(started)) await model.close();
    },
  };
}

/** Adds plays of a test's own to the kit's. */
export async function addPlays(make: (words: PlayWords) => Plays): Promise<void> {
  const plays = await load('plays.mjs');
  Object.assign(plays.PLAYS, make(plays));
}

export interface PlayWords {
  say(text: string): unknown;
  shell(command: string, description: string): unknown;
  write(path: string, content: string): unknown;
  tool(name: string, input: object): unknown;
  agent(description: string, prompt: string, options?: Readonly<Record<string, unknown>>): unknown;
}

const opencodeSettings = (url: string) => ({
  model: 'fake/fake-1',
  small_model: 'fake/fake-1',
  share: 'disabled',
  autoupdate: false,
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Fake',
      options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
      models: { 'fake-1': { name: 'Fake One', tool_call: true, limit: { context: 200_000, output: 8_000 } } },
    },
  },
  permission: { edit: 'allow', bash: 'allow', webfetch: 'allow' },
});
