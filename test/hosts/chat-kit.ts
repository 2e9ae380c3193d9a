// The real Gemini CLI and Qwen Code, offline, against the scripted models of the recording kit: many runs in one data folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DictatedAgent, kit, work } from './kit.ts';

export interface ChatRun {
  readonly play: string;
  readonly killAfter?: number;
  readonly killSignal?: string;
}

export interface ChatHost {
  /** The data folder, and in it what the program writes. */
  readonly home: string;
  readonly version: string;
  run(options: ChatRun): Promise<void>;
  close(): Promise<void>;
}

export interface PromptedAgent extends DictatedAgent {
  readonly prompt: string | null;
}

export interface Recipe {
  readonly model: { readonly file: string; readonly start: string; readonly dialect: string };
  readonly folder: string;
  readonly settings: unknown;
  environment(url: string): Readonly<Record<string, string>>;
  args(prompt: string, version: string): readonly string[];
}

const numberOf = (version: string): number => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);

export const GEMINI: Recipe = {
  model: { file: 'fake-gemini.mjs', start: 'startFakeGemini', dialect: 'gemini' },
  folder: '.gemini',
  settings: {
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    experimental: { enableAgents: true },
  },
  environment: (url) => ({
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_NO_RELAUNCH: 'true',
    CI: '1',
  }),
  args: (prompt, version) => [
    '-p',
    prompt,
    ...['-o', 'stream-json', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
    ...(numberOf(version) >= numberOf('0.56.0') ? ['--skip-trust'] : []),
  ],
};

/** It needs Node 22, first in the PATH. */
export const QWEN: Recipe = {
  model: { file: 'fake-openai.mjs', start: 'startFakeOpenai', dialect: 'qwen' },
  folder: '.qwen',
  settings: {
    security: { auth: { selectedType: 'openai' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
    memory: { enableManagedAutoMemory: false },
  },
  environment: (url) => ({ OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'fake-1' }),
  args: (prompt) => ['-p', prompt, '-o', 'stream-json', '--yolo'],
};

const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);

export const programsIn = (variable: string): readonly string[] =>
  (process.env[variable] ?? '').split(path.delimiter).filter((program) => program !== '');

export async function dictateChat(play: string, maxDepth: number): Promise<readonly PromptedAgent[]> {
  // The main agent is woken once: what the script keeps for more is not played.
  const steps = play === 'background' ? { main: 4 } : {};
  return (await load('truth.mjs')).dictate(play, { maxDepth, steps }).agents;
}

export async function startChatHost(recipe: Recipe, bin: string): Promise<ChatHost> {
  const [models, { makeWorkspace, commit, cleanEnv, runProgram, versionOf }] = await Promise.all(
    [recipe.model.file, 'workspace.mjs'].map(load),
  );
  const { base, project, home, temp } = makeWorkspace({
    root: path.join(work, recipe.model.dialect),
    scenario: bin.replaceAll(/[^\w.]+/g, '-'),
    play: 'nested',
  });
  commit(project);
  const data = path.join(home, recipe.folder);
  mkdirSync(data, { recursive: true });
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(recipe.settings));
  const model = await models[recipe.model.start]({
    dialect: recipe.model.dialect,
    log: path.join(base, 'model.jsonl'),
  });
  const env = cleanEnv({ base, project, home, temp }, recipe.environment(model.url));
  const version: string = versionOf(bin, env);
  let runs = 0;
  return {
    home: data,
    version,
    async run({ play, killAfter, killSignal }) {
      runs++;
      await runProgram({
        bin,
        args: recipe.args(`Please do the job. [[play:${play}]]`, version),
        cwd: project,
        env,
        stdout: path.join(base, `stream-${runs}.jsonl`),
        stderr: path.join(base, `errors-${runs}.txt`),
        timeout: 90_000,
        killAfter,
        killSignal,
      });
    },
    close: () => model.close(),
  };
}
