// The real Codex, offline, against the scripted model of the recording kit: many runs in one data folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { work } from './kit.ts';

const kit = process.env['TROUPE_LIVE_KIT'] ?? '';
/** TROUPE_CODEX_BIN: one or more programs. */
export const codexPrograms = (process.env['TROUPE_CODEX_BIN'] ?? '')
  .split(path.delimiter)
  .filter((program) => program !== '');

export interface CodexRun {
  readonly play: string;
  /** With the second version of the agent tools. */
  readonly version2?: boolean;
  readonly killAfter?: number;
  readonly killSignal?: string;
}

export interface CodexHost {
  readonly home: string;
  readonly version: string;
  run(options: CodexRun): Promise<void>;
  close(): Promise<void>;
}

export interface DictatedAgent {
  readonly key: string;
  readonly parent: string | null;
  readonly description: string | null;
  readonly prompt: string | null;
  readonly depth: number;
  readonly kind: string;
  readonly endStatus: string;
  readonly toolCalls: number;
  readonly outputTokens: number;
}

const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);

export async function dictateCodex(play: string, maxDepth: number): Promise<readonly DictatedAgent[]> {
  return (await load('truth.mjs')).dictate(play, { maxDepth, dialect: 'codex' }).agents;
}

export async function startCodex(bin: string): Promise<CodexHost> {
  const [{ startFakeOpenai }, { makeWorkspace, commit, cleanEnv, runProgram, versionOf }] = await Promise.all(
    ['fake-openai.mjs', 'workspace.mjs'].map(load),
  );
  const name = bin.replaceAll(/[^\w.]+/g, '-');
  const { base, project, ...rest } = makeWorkspace({ root: path.join(work, 'codex'), scenario: name, play: 'nested' });
  commit(project);
  const home = path.join(base, 'data');
  mkdirSync(path.join(home, 'sessions'), { recursive: true });
  const model = await startFakeOpenai({ dialect: 'codex', log: path.join(base, 'model.jsonl') });
  const env = cleanEnv({ base, project, ...rest }, { CODEX_HOME: home });
  let runs = 0;
  return {
    home,
    version: versionOf(bin, env).match(/\d+\.\d+\.\d+/)?.[0] ?? '',
    async run({ play, version2 = false, killAfter, killSignal }) {
      runs++;
      writeFileSync(path.join(home, 'config.toml'), codexSettings(model.url, project, version2));
      await runProgram({
        bin,
        args: ['exec', '--json', '--skip-git-repo-check', `Please do the job. [[play:${play}]]`],
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

export const codexSettings = (url: string, project: string, version2: boolean): string => `model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
wire_api = "responses"
requires_openai_auth = false
[analytics]
enabled = false
[features]
multi_agent = true
multi_agent_v2 = ${version2}
[agents]
max_depth = 3
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`;
