// Real programs with the guard installed as a person would install it, offline, against the scripted models of the recording kit.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuditEntry } from '../../src/core/index.ts';
import { hashOf } from '../../src/hosts/codex/hooks.ts';
import { handlersIn } from '../../src/hosts/shared/index.ts';
import { CODEX, COPILOT, GEMINI, type HostRecipe, QWEN } from './host-recipes.ts';
import { kit, root, work } from './kit.ts';

const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);

export interface GuardedRecipe extends HostRecipe {
  /** What the person does in the program before it runs hooks. */
  agree?(home: string): void;
}

export const RECIPES: readonly GuardedRecipe[] = [{ ...CODEX, agree: trustHooks }, COPILOT, GEMINI, QWEN];

export interface GuardedProgram {
  readonly version: string;
  /** Which folders below `build` are left after a run of this play. */
  run(play: string, by?: { readonly bin: string; readonly recipe: HostRecipe }): Promise<readonly string[]>;
  setPolicy(text: string): void;
  troupe(...args: readonly string[]): string;
  /** The same, with the exit code and what went to stderr. */
  runTroupe(...args: readonly string[]): { readonly code: number | null; readonly out: string; readonly err: string };
  /** Every call that the audit has of the last run, the newest last. */
  log(): readonly AuditEntry[];
  readonly state: string;
  /** With another environment. */
  runTroupeWith(
    env: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): ReturnType<GuardedProgram['runTroupe']>;
  /** What installing the guard printed. */
  readonly installed: ReturnType<GuardedProgram['runTroupe']>;
  readonly project: string;
  /** The host's data folder. */
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startGuarded(recipe: GuardedRecipe, bin: string): Promise<GuardedProgram> {
  const [models, { makeWorkspace, commit, cleanEnv, runProgram, versionOf, writeFile }, plays] = await Promise.all(
    [recipe.model.file, 'workspace.mjs', 'plays.mjs'].map(load),
  );
  addPlays(plays);
  const scenario = `guard-${bin.replaceAll(/[^\w.]+/g, '-')}`;
  const place = { root: path.join(work, recipe.host), scenario, play: 'guarded-both' };
  const workspace = makeWorkspace(place);
  const { base, project, home } = workspace;
  commit(project);
  const model = await models[recipe.model.start]({
    dialect: recipe.dialect ?? recipe.host,
    log: path.join(base, 'model.jsonl'),
  });
  for (const [name, text] of Object.entries(recipe.settings(model.url, project)))
    writeFile(path.join(home, recipe.folder, name), text);
  const state = path.join(base, 'troupe');
  mkdirSync(state, { recursive: true });
  const env: Record<string, string> = { ...cleanEnv(workspace, recipe.environment(model.url)), TROUPE_HOME: state };
  const version = String(versionOf(bin, env)).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
  // As a person has it: the program is on the PATH, and says its version.
  const options = {
    env: { ...env, PATH: `${path.dirname(bin)}:${env['PATH']}` },
    cwd: project,
    encoding: 'utf8',
  } as const;
  const runTroupeWith: GuardedProgram['runTroupeWith'] = (other, ...args) => {
    const ran = spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { ...options, env: other });
    return { code: ran.status, out: ran.stdout, err: ran.stderr };
  };
  const runTroupe: GuardedProgram['runTroupe'] = (...args) => runTroupeWith(options.env, ...args);
  const troupe = (...args: readonly string[]): string => runTroupe(...args).out;
  const installed = runTroupe('hooks', 'install', '--host', recipe.host, '--guard', '--yes');
  recipe.agree?.(home);
  let runs = 0;
  let heard = 0;
  const all = (): readonly AuditEntry[] =>
    troupe('guard', 'log', '-n', '1000', '--json')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as AuditEntry);
  return {
    version,
    state,
    env,
    data: path.join(home, recipe.folder),
    troupe,
    runTroupe,
    runTroupeWith,
    installed,
    project,
    setPolicy: (text) => writeFileSync(path.join(state, 'policy.yaml'), text),
    log: () => all().slice(heard),
    async run(play, by = { bin, recipe }) {
      heard = all().length;
      runs++;
      for (const name of FOLDERS) writeFile(path.join(project, 'build', name, 'x.txt'), 'x\n');
      const errors = path.join(base, `errors-${runs}.txt`);
      const { code } = await runProgram({
        bin: by.bin,
        args: by.recipe.args(`Please do the job. [[play:${play}]]`, version),
        cwd: project,
        env,
        stdout: path.join(base, `printed-${runs}.txt`),
        stderr: errors,
        timeout: 90_000,
      });
      if (code !== 0)
        throw new Error(`${recipe.host} ended with ${code}: ${readFileSync(errors, 'utf8').slice(0, 2_000)}`);
      return FOLDERS.filter((name) => existsSync(path.join(project, 'build', name)));
    },
    close: () => model.close(),
  };
}

/** Each is removed by one agent: what is left says who could not. */
const FOLDERS = ['main', 'helper', 'leaf'];

interface Plays {
  readonly PLAYS: Record<string, readonly unknown[]>;
  shell(command: string, description: string): unknown;
  agent(description: string, prompt: string): unknown;
  say(text: string): unknown;
}

function addPlays({ PLAYS, shell, agent, say }: Plays): void {
  const step = (...items: readonly unknown[]) => ({ items });
  // Codex itself refuses `rm -rf`.
  const removes = (who: string) => step(shell(`rm -r build/${who}`, `Remove what is of ${who}`));
  const done = [step(say('Done.')), step(say('Done.'))];
  PLAYS['guarded-both'] = [removes('main'), step(agent('Clean up', 'Remove it. [[play:guarded-helper]]')), ...done];
  PLAYS['guarded-helper'] = [removes('helper'), ...done];
  PLAYS['guarded-nested'] = [
    removes('main'),
    step(agent('Clean up', 'Have it removed. [[play:guarded-lead]]')),
    ...done,
  ];
  PLAYS['guarded-lead'] = [step(agent('Deeper', 'Remove it. [[play:guarded-leaf]]')), ...done];
  PLAYS['guarded-leaf'] = [removes('leaf'), ...done];
}

/** As `/hooks` does when the person trusts them. */
function trustHooks(home: string): void {
  const file = path.join(home, '.codex', 'hooks.json');
  const label = (event: string): string => event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  for (const handler of handlersIn(readFileSync(file, 'utf8'))) {
    const key = `${file}:${label(handler.event)}:${handler.group}:${handler.place}`;
    const text = `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${hashOf(handler)}"\n`;
    appendFileSync(path.join(home, '.codex', 'config.toml'), text);
  }
}
