// `troupe run --intercept` around the real program, offline, against the scripted model.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { kit, root, work } from './kit.ts';

export interface Wanted {
  readonly play: string;
  readonly policy?: string;
  /** Where troupe keeps its state, with a policy in it; else a new one. */
  readonly state?: string;
  /** Of the program; the prompt stands first. */
  readonly args?: readonly string[];
  /** Of troupe. */
  readonly flags?: readonly string[];
  readonly stdin?: string;
  readonly isBare?: boolean;
  /** The command line has no prompt. */
  readonly isAsked?: boolean;
  readonly during?: (running: Running) => Promise<void>;
  /** What stands in front of the scripted model, by its address. */
  readonly inFront?: (url: string) => Promise<string>;
  /** Without --intercept. */
  readonly isPlain?: boolean;
}

export interface Running {
  readonly child: ChildProcess;
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the program printed so far. */
  output(): string;
}

export interface SeenResult {
  readonly text: string;
  readonly isError: boolean;
  readonly isOfAgent: boolean;
}

export interface Ran {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  /** What agents saw as results of their calls. */
  readonly results: readonly SeenResult[];
  readonly project: string;
  readonly audit: readonly Record<string, unknown>[];
}

let runs = 0;

export async function prepare(
  play: string,
  { policy, state, inFront }: Pick<Wanted, 'policy' | 'state' | 'inFront'> = {},
) {
  const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);
  const [{ startFakeAnthropic }, { claudeEnv }, { makeWorkspace, commit }] = await Promise.all(
    ['fake-anthropic.mjs', 'record-claude.mjs', 'workspace.mjs'].map(load),
  );
  const workspace = makeWorkspace({ root: path.join(work, 'projects'), scenario: `intercept-${++runs}-${play}`, play });
  commit(workspace.project);
  const model = await startFakeAnthropic({ log: path.join(workspace.base, 'model.jsonl') });
  const home = state ?? path.join(workspace.base, 'troupe');
  mkdirSync(home, { recursive: true });
  if (policy) writeFileSync(path.join(home, 'policy.yaml'), policy);
  const env: NodeJS.ProcessEnv = {
    ...claudeEnv(workspace, (await inFront?.(model.url)) ?? model.url),
    TROUPE_HOME: home,
  };
  return { workspace, model, env };
}

export async function intercept(bin: string, wanted: Wanted): Promise<Ran> {
  const { play, args = LINES, flags = [], stdin, isBare, isAsked, isPlain, during } = wanted;
  const { workspace, model, env } = await prepare(play, wanted);
  const prompt = isAsked ? [] : [`Please do the job. [[play:${play}]]`];
  const command = [bin, '-p', ...prompt, '--model', 'claude-sonnet-4-5', ...args];
  const troupe = [process.execPath, path.join(root, 'dist/troupe.js')];
  const [program = '', ...rest] = isBare
    ? command
    : [...troupe, 'run', ...(isPlain ? [] : ['--intercept']), '--host', 'claude-code', ...flags, '--', ...command];
  const child = spawn(program, rest, { cwd: workspace.project, env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(stdin);
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const closed = once(child, 'close');
  await during?.({ child, project: workspace.project, env, output: () => output });
  const [code] = (await closed) as [number | null];
  await model.close?.();
  return {
    output,
    errors,
    code,
    results: resultsOf(env),
    project: workspace.project,
    audit: await auditOf(troupe, env),
  };
}

export const LINES = ['--output-format', 'stream-json', '--verbose'];

async function auditOf([node = '', troupe = '']: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(node, [troupe, 'guard', 'log', '--json', '-n', '100'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (data) => {
    text += data;
  });
  await once(child, 'close');
  return linesOf(text);
}

export function linesOf(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

interface TranscriptFile {
  readonly file: string;
  readonly text: string;
}

export function resultsOf(env: NodeJS.ProcessEnv): Ran['results'] {
  return resultsIn(transcriptsIn(String(env['CLAUDE_CONFIG_DIR'])));
}

/** Each call's result, as it stands in the transcript of the agent that made the call. */
function resultsIn(transcripts: readonly TranscriptFile[]): Ran['results'] {
  // A result may stand in a transcript twice, the second time with what the program adds to it.
  const results = new Map<unknown, SeenResult>();
  for (const { file, text } of transcripts) {
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, content, is_error: isError, tool_use_id: call } = value as Record<string, unknown>;
      if (type === 'tool_result' && !results.has(call))
        results.set(call, {
          text: typeof content === 'string' ? content : JSON.stringify(content),
          isError: isError === true,
          isOfAgent: path.basename(file).startsWith('agent-'),
        });
      else for (const one of Object.values(value)) walk(one);
    };
    for (const line of linesOf(text)) walk(line['message']);
  }
  return [...results.values()];
}

function transcriptsIn(config: string): readonly TranscriptFile[] {
  const folder = path.join(config, 'projects');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => ({ file, text: readFileSync(path.join(folder, file), 'utf8') }));
}
