import { cpSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  AgentReport,
  LiveSnapshot,
  SessionDetail,
  SessionReport,
  SessionsReport,
  TimelineReport,
  TreeReport,
} from '../src/core/index.ts';
import { checkLinks, readLinks } from '../src/export/check-export.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// A machine with all hosts at once, as recorded: one session of Claude Code whose sub-agent ran all the others, and a session of
// its own of each. Every UI shows each session once, and as what it is.

const root = fileURLToPath(new URL('..', import.meta.url));
const OUTER = '353ada2e-6b76-407a-ac24-5562cada3e3a';
/** In the order in which they were run: the host of each agent, and how deep it stands. */
const TREE = [
  ['main', 'claude-code', 0],
  ['task', 'claude-code', 1],
  ['session', 'codex', 2],
  ['task', 'codex', 3],
  ['session', 'opencode', 2],
  ['session', 'claude-code', 2],
  ['session', 'gemini', 2],
  ['session', 'qwen', 2],
  ['session', 'copilot', 2],
];
/** Of another day, and of nobody but the person. */
const ALONE = [
  ['codex', '0.166.0-plain', '.codex'],
  ['copilot', '1.0.102-plain', '.copilot'],
  ['gemini', '0.61.0-plain', '.gemini'],
  ['qwen', '0.24.4-plain', '.qwen'],
] as const;

let program: ProgramHome;
beforeAll(() => {
  program = createProgramHome('2.1.325-plain');
  cpSync(path.join(root, 'test/fixtures/all-hosts'), program.home, { recursive: true });
  for (const [host, name, folder] of ALONE)
    cpSync(path.join(root, 'src/hosts', host, 'fixtures', name), path.join(program.home, folder), {
      recursive: true,
    });
  // A copy has one time for all of them: this is the one that was written last.
  const before = new Date(Date.now() - 3_600_000);
  for (const file of readdirSync(program.home, { recursive: true, encoding: 'utf8' }))
    if (!file.includes(OUTER)) utimesSync(path.join(program.home, file), before, before);
});
afterAll(() => program.end());

async function json<T>(...args: readonly string[]): Promise<T> {
  const { out, errors } = await program.run([...args, '--json']);
  expect(errors).toBe('');
  return JSON.parse(out);
}

const shapeOf = ({ kind, host, depth }: AgentReport) => [kind, host, depth];
const rowsOf = (sessions: readonly SessionReport[]): readonly string[] =>
  sessions.map(({ id, host, agents }) => `${host} ${agents}${id === OUTER ? ' outer' : ''}`).toSorted();
const ROWS = ['claude-code 1', 'claude-code 9 outer', ...ALONE.map(([host]) => `${host} 1`)].toSorted();

describe('a machine with all hosts at once', () => {
  it('troupe ls: every session once; with --host, only what that host wrote', async () => {
    const { sessions, total } = await json<SessionsReport>('ls');
    // Those in the tree of another count as well.
    expect([rowsOf(sessions), total]).toEqual([ROWS, ROWS.length + 6]);
    const few = await json<SessionsReport>('ls', '-n', '2');
    expect(few.total).toBe(total);
    // What stands in the tree of another makes room for another row.
    expect(few.sessions.map(({ id }) => id === OUTER)).toEqual([true, false]);
    const { sessions: ofCodex } = await json<SessionsReport>('ls', '--host', 'codex');
    expect(ofCodex.map(({ host, agents }) => `${host} ${agents}`).toSorted()).toEqual(['codex 1', 'codex 2']);
  });

  it('troupe tree: one tree, its tokens once, valid by its schema', async () => {
    const report = await json<TreeReport>('tree');
    expect(report.agents.map(shapeOf)).toEqual(TREE);
    const output = report.agents.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
    expect([report.session.usage.output, report.agents[0]?.subtreeUsage.output]).toEqual([output, output]);
    expect(report.agents.every(({ status }) => status === 'completed')).toBe(true);
    const schema = JSON.parse(readFileSync(path.join(root, 'schemas/tree.schema.json'), 'utf8'));
    expect(new Ajv2020({ strict: false }).validate(schema, report)).toBe(true);
    const { out } = await program.run(['tree']);
    expect(out).toContain('✓ Please do the job. [[play:single]]');
    expect(out).not.toContain('no parent known');
    const inner = report.agents.find(({ host }) => host === 'codex')?.id ?? '';
    const explained = await program.run(['tree', '--explain', inner]);
    expect(explained.out).toContain('the command printed the id of its session');
    // Who asks for it by its id gets it by itself.
    const alone = await json<TreeReport>('tree', inner);
    expect(alone.agents.map(shapeOf)).toEqual([
      ['main', 'codex', 0],
      ['task', 'codex', 1],
    ]);
  });

  it('troupe show: each conversation, by the id of its agent', async () => {
    const { agents } = await json<TreeReport>('tree');
    for (const { id } of agents) {
      const { out, errors } = await program.run(['show', id]);
      expect([errors, out.trim() !== '']).toEqual(['', true]);
    }
  });

  it('troupe export: a page for each, and no link is dead', async () => {
    const folder = path.join(program.home, 'pages');
    const { out } = await program.run(['export', OUTER, '-o', folder, '-f', 'html,md,json']);
    expect(out).toContain(`1 session, ${TREE.length} agents`);
    for (const ending of ['html', 'md']) {
      const files = readdirSync(folder, { encoding: 'utf8' }).filter((file) => file.endsWith(`.${ending}`));
      expect(files).toHaveLength(TREE.length);
      const pages = files.map((file) => readLinks(file, readFileSync(path.join(folder, file), 'utf8')));
      expect(checkLinks(pages, `index.${ending}`)).toEqual([]);
    }
    const document = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8'));
    const [asker] = document.sub_agents;
    expect(asker.sub_agents.map(({ agent }: { readonly agent: string }) => agent)).toEqual([
      'codex',
      'opencode',
      'claude',
      'gemini',
      'qwen',
      'copilot',
    ]);
  });

  it('the server: the same rows, the same tree, its conversations and its timeline', async () => {
    const server = program.start(['--no-open', '--json']);
    await expect.poll(() => server.out().trimEnd().endsWith('}'), { timeout: 30_000 }).toBe(true);
    const { origin, headers } = accessTo(program.state);
    const get = async <T>(route: string): Promise<T> => (await fetch(`${origin}${route}`, { headers })).json();
    // One that is older than the window is read when somebody looks.
    await expect
      .poll(async () => (await get<SessionDetail>(`/api/sessions/${OUTER}`)).subagents?.length, { timeout: 20_000 })
      .toBe(TREE.length - 1);
    const { main, subagents } = await get<SessionDetail>(`/api/sessions/${OUTER}`);
    expect([main, ...subagents].map(shapeOf)).toEqual(TREE);
    const { sessions } = await get<SessionsReport>('/api/sessions');
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(sessions.length);
    const started = new Set(subagents.filter(({ kind }) => kind === 'session').map(({ id }) => id));
    expect(sessions.filter(({ id }) => started.has(id))).toEqual([]);
    const timeline = await get<TimelineReport>(`/api/sessions/${OUTER}/timeline`);
    expect(timeline.agents.map(({ id }) => id)).toEqual([main, ...subagents].map(({ id }) => id));
    expect(timeline.agents[1]?.calls.flatMap(({ spawned }) => spawned ?? [])).toEqual([...started]);
    expect(timeline.agents[3]?.calls.length).toBeGreaterThan(0);
    for (const { id } of [main, ...subagents]) {
      const part = await get<{ readonly total: number }>(`/api/agents/${id}/transcript?session=${OUTER}`);
      expect(part.total).toBeGreaterThan(0);
    }
  });

  it('troupe watch: the first picture has each session once', async () => {
    const watch = program.start(['watch', '--json']);
    const pictures = (): readonly LiveSnapshot[] =>
      watch
        .out()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .flatMap(({ type, data }) => (type === 'snapshot' ? [data] : []));
    await expect.poll(() => pictures().length, { timeout: 30_000 }).toBeGreaterThan(0);
    const ids = pictures()
      .at(-1)
      ?.sessions.flatMap(({ main, subagents }) => [main, ...subagents].map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids?.length);
    watch.child.kill('SIGTERM');
  });
});
