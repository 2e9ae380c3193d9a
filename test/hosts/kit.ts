// What the tests of real programs share: the recording kit, and the comparison with what its script dictated.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect } from 'vitest';

// TROUPE_LIVE_KIT: the kit's folder. TROUPE_CLAUDE_BIN: one or more programs.
export const kit = process.env['TROUPE_LIVE_KIT'] ?? '';
export const programs = (process.env['TROUPE_CLAUDE_BIN'] ?? '')
  .split(path.delimiter)
  .filter((program) => program !== '');
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const work = mkdtempSync(path.join(tmpdir(), 'troupe-hosts-'));
// Some programs install packages where they run: tens of thousands of files.
afterAll(() => rmSync(work, { recursive: true, force: true }), 120_000);

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

export interface SeenAgent {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: string;
  readonly description: string | null;
  readonly depth: number;
  readonly status: string;
  readonly toolCallCount: number;
  readonly currentTool: string | null;
  readonly usage: { readonly output: number };
  readonly usageIsLowerBound: boolean;
}

export interface Seen {
  readonly session: {
    readonly hostVersion: string;
    readonly status: string;
    readonly usage: { readonly output: number };
    readonly usageIsLowerBound: boolean;
    readonly cost: { readonly usd: number };
  };
  readonly agents: readonly SeenAgent[];
}

export interface Scenario {
  readonly scenario: string;
  readonly play?: string;
  readonly killAfter?: number;
  readonly killSignal?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** For the program itself. */
  readonly extra?: readonly string[];
}

export async function record(
  bin: string,
  options: Scenario,
): Promise<{ readonly out: string; readonly config: string }> {
  const { recordClaude } = await import(pathToFileURL(path.join(kit, 'record-claude.mjs')).href);
  const out = path.join(work, `${path.basename(path.dirname(bin))}-${options.scenario}-out`);
  await recordClaude({ bin, out, root: path.join(work, 'projects'), ...options });
  return { out, config: path.join(out, 'config') };
}

/** One run for each play, all at once and in one folder, with no hooks but those in `extra`. Gives that folder. */
export async function recordTogether(
  bin: string,
  plays: readonly string[],
  {
    scenario = 'together',
    env: extraEnv,
    extra = [],
    onPrepared,
  }: Partial<Omit<Scenario, 'play'>> & { onPrepared?(folder: string): void },
): Promise<string> {
  const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);
  const [{ startFakeAnthropic }, { claudeEnv, TOOLS }, { makeWorkspace, commit, runProgram }] = await Promise.all(
    ['fake-anthropic.mjs', 'record-claude.mjs', 'workspace.mjs'].map(load),
  );
  const workspace = makeWorkspace({ root: path.join(work, 'projects'), scenario, play: plays[0] });
  commit(workspace.project);
  onPrepared?.(workspace.base);
  const model = await startFakeAnthropic({ log: path.join(workspace.base, 'model.jsonl') });
  const env = claudeEnv(workspace, model.url, extraEnv);
  const rest = ['--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'];
  try {
    await Promise.all(
      plays.map((play, index) =>
        runProgram({
          bin,
          args: ['-p', `Please do the job. [[play:${play}]]`, ...rest, '--allowedTools', TOOLS, ...extra],
          cwd: workspace.project,
          env,
          stdout: path.join(workspace.base, `stream-${index}.jsonl`),
          timeout: 120_000,
        }),
      ),
    );
  } finally {
    await model.close?.();
  }
  return workspace.project;
}

export async function dictate(play: string, maxDepth: number): Promise<readonly DictatedAgent[]> {
  const truth = await import(pathToFileURL(path.join(kit, 'truth.mjs')).href);
  return truth.dictate(play, { maxDepth }).agents;
}

/** What the program itself says that it cost. */
export function totalCost(out: string): number | undefined {
  const lines = readFileSync(path.join(out, 'stream.jsonl'), 'utf8').split('\n');
  const last = lines.findLast((line) => line.includes('"total_cost_usd"'));
  return last === undefined ? undefined : JSON.parse(last).total_cost_usd;
}

/** What the program itself counted, all agents together. */
export function modelUsage(out: string): number | undefined {
  const results = readFileSync(path.join(out, 'stream.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"modelUsage"'))
    .map((line) => JSON.parse(line).modelUsage as Record<string, { outputTokens: number }>);
  const last = results.at(-1);
  return last && Object.values(last).reduce((sum, { outputTokens }) => sum + outputTokens, 0);
}

export function compare(seen: Seen, dictated: readonly DictatedAgent[]): void {
  const described = new Map(seen.agents.map((agent) => [agent.id, agent.description]));
  const tree = seen.agents.map((agent) => ({
    description: agent.description,
    parent: agent.parentId === null ? null : (described.get(agent.parentId) ?? null),
    depth: agent.depth,
    kind: agent.kind,
    status: agent.status,
    calls: agent.toolCallCount,
    output: agent.usageIsLowerBound || agent.kind === 'main' ? 'see total' : agent.usage.output,
  }));
  const expected = dictated.map((agent, index) => ({
    description: agent.description,
    parent: dictated.find(({ key }) => key === agent.parent)?.description ?? null,
    depth: agent.depth,
    kind: agent.kind,
    status: agent.endStatus,
    calls: agent.toolCalls,
    // A main agent with work in the background may end before it has played all its steps: its program's count decides.
    output: seen.agents[index]?.usageIsLowerBound || agent.kind === 'main' ? 'see total' : agent.outputTokens,
  }));
  expect(tree).toEqual(expected);
}

export const minor = (version: string): number => Number(version.split('.')[2]);

/** Up to 2.1.25 a run with -p ends without waiting for its background agents: what became of them is nowhere. */
export const leavesBackground = (version: string): boolean => minor(version) < 38;
/** 2.1.9 has no TaskStop: the call fails, and the agent goes down with the program. */
export const cannotStop = (version: string): boolean => minor(version) < 25;

export function nameOf(program: string): string {
  return `Claude Code at ${path.relative(path.parse(program).root, program).split(path.sep).slice(0, 3).join('/')}`;
}
