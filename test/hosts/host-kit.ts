// A real program, offline, against the scripted model of the recording kit: many runs in one data folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostRecipe, HostWishes } from './host-recipes.ts';
import { type DictatedAgent, kit, work } from './kit.ts';

export interface HostRun extends HostWishes {
  readonly play: string;
  readonly killAfter?: number;
  readonly killSignal?: string;
}

export interface RunningHost {
  /** The data folder: what the program writes. */
  readonly home: string;
  readonly version: string;
  run(options: HostRun): Promise<void>;
  close(): Promise<void>;
}

export interface PromptedAgent extends DictatedAgent {
  readonly prompt: string | null;
}

/** How the kit's script is played on a host. */
export interface Script {
  readonly maxDepth: number;
  /** Whose way of waiting counts as calls. */
  readonly dialect?: string;
  /** By an agent's key, how many steps it comes to play. */
  readonly steps?: Readonly<Record<string, number>>;
}

const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);

export const programsIn = (variable: string): readonly string[] =>
  (process.env[variable] ?? '').split(path.delimiter).filter((program) => program !== '');

export async function dictateTo(script: Script, play: string): Promise<readonly PromptedAgent[]> {
  return (await load('truth.mjs')).dictate(play, script).agents;
}

export async function startHost(recipe: HostRecipe, bin: string): Promise<RunningHost> {
  const [models, { makeWorkspace, commit, cleanEnv, runProgram, versionOf }] = await Promise.all(
    [recipe.model.file, 'workspace.mjs'].map(load),
  );
  const scenario = bin.replaceAll(/[^\w.]+/g, '-');
  const workspace = makeWorkspace({ root: path.join(work, recipe.host), scenario, play: 'nested' });
  const { base, project } = workspace;
  commit(project);
  const home = path.join(workspace.home, recipe.folder);
  mkdirSync(home, { recursive: true });
  const model = await models[recipe.model.start]({ dialect: recipe.host, log: path.join(base, 'model.jsonl') });
  const env = cleanEnv(workspace, recipe.environment(model.url));
  const version: string = versionOf(bin, env);
  let runs = 0;
  return {
    home,
    version,
    async run({ play, version2 = false, killAfter, killSignal }) {
      runs++;
      for (const [name, text] of Object.entries(recipe.settings(model.url, project, { version2 })))
        writeFileSync(path.join(home, name), text);
      await runProgram({
        bin,
        args: recipe.args(`Please do the job. [[play:${play}]]`, version),
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
