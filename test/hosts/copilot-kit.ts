// The real Copilot CLI, offline, against the scripted model of the recording kit: many runs in one data folder.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { work } from './kit.ts';

const kit = process.env['TROUPE_LIVE_KIT'] ?? '';
/** TROUPE_COPILOT_BIN: one or more programs. */
export const copilotPrograms = (process.env['TROUPE_COPILOT_BIN'] ?? '')
  .split(path.delimiter)
  .filter((program) => program !== '');

export interface CopilotRun {
  readonly play: string;
  readonly killAfter?: number;
  readonly killSignal?: string;
}

export interface CopilotHost {
  readonly home: string;
  readonly version: string;
  run(options: CopilotRun): Promise<void>;
  close(): Promise<void>;
}

export interface DictatedAgent {
  readonly key: string;
  readonly parent: string | null;
  readonly description: string | null;
  readonly depth: number;
  readonly kind: string;
  readonly endStatus: string;
  readonly toolCalls: number;
  readonly outputTokens: number;
}

const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);

export async function dictateCopilot(play: string): Promise<readonly DictatedAgent[]> {
  return (await load('truth.mjs')).dictate(play, { maxDepth: 9, dialect: 'copilot' }).agents;
}

export async function startCopilot(bin: string): Promise<CopilotHost> {
  const [{ startFakeOpenai }, { makeWorkspace, commit, cleanEnv, runProgram, versionOf }] = await Promise.all(
    ['fake-openai.mjs', 'workspace.mjs'].map(load),
  );
  const name = bin.replaceAll(/[^\w.]+/g, '-');
  const workspace = makeWorkspace({ root: path.join(work, 'copilot'), scenario: name, play: 'nested' });
  const { base, project } = workspace;
  commit(project);
  const home = path.join(base, 'data');
  mkdirSync(path.join(home, 'session-state'), { recursive: true });
  const model = await startFakeOpenai({ dialect: 'copilot', log: path.join(base, 'model.jsonl') });
  const env = cleanEnv(workspace, {
    COPILOT_HOME: home,
    COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'fake-1',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
  });
  let runs = 0;
  return {
    home,
    version: versionOf(bin, env).match(/\d+\.\d+\.\d+/)?.[0] ?? '',
    async run({ play, killAfter, killSignal }) {
      runs++;
      // Everything is allowed, so only plays that stay inside the project belong here.
      await runProgram({
        bin,
        args: ['-p', `Please do the job. [[play:${play}]]`, '--allow-all-tools', '--log-level', 'error'],
        cwd: project,
        env,
        stdout: path.join(base, `printed-${runs}.txt`),
        stderr: path.join(base, `errors-${runs}.txt`),
        timeout: 90_000,
        killAfter,
        killSignal,
      });
    },
    close: () => model.close(),
  };
}
