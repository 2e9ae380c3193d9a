import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildTree, computeTree, nativeId, type SessionId, type SessionTree } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { readSession } from './read-session.ts';
import { createSessions } from './sessions.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));
const MUCH_LATER = Date.parse('2030-01-01T00:00:00Z');
/** Before the host deletes anything. */
const DAYS_LATER = Date.parse('2026-11-20T00:00:00Z');

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('sessions');
});

async function open(name: string, now = MUCH_LATER, change?: (id: string) => void): Promise<SessionTree> {
  cpSync(path.join(fixtures, name), folder, { recursive: true });
  change?.(JSON.parse(readFileSync(path.join(folder, 'truth.json'), 'utf8')).agents[0].id);
  return (await createSessions([{ adapter: claudeCode, root: folder, forced: false }], { clock: () => now }).open())
    .tree;
}

const statuses = (tree: SessionTree): readonly string[] =>
  tree.agents.map((agent) => `${agent.status}${agent.waitingOn ? ` on ${agent.waitingOn}` : ''} ${agent.activity}`);

/** The record that the host keeps of a running process, about this very process. */
function writeProcessRecord(sessionId: string, fields: object = {}): void {
  mkdirSync(path.join(folder, 'sessions'), { recursive: true });
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const record = { pid: process.pid, sessionId, procStart, startedAt: 0, ...fields };
  for (const file of ['9690.json', '25090.json', '30907.json'])
    rmSync(path.join(folder, 'sessions', file), { force: true });
  writeFileSync(path.join(folder, 'sessions', `${process.pid}.json`), JSON.stringify(record));
}

describe.runIf(process.platform === 'linux')('sessions with a live process', () => {
  it('show a running agent as running, and its parent as waiting for it', async () => {
    const tree = await open('2.1.325-hang-sigkill', MUCH_LATER, (id) => writeProcessRecord(id, { status: 'busy' }));
    expect(statuses(tree)).toEqual(['waiting on child waiting', 'running thinking']);
    expect(tree.agents[1]?.stalled).toBe(true);
  });

  it('show the current call of an agent', async () => {
    const tree = await open('2.1.325-orphan-killed', MUCH_LATER, (id) => writeProcessRecord(id, { status: 'busy' }));
    expect(statuses(tree)).toEqual(['waiting on child waiting', 'running tool_use']);
    expect(tree.agents[1]?.currentTool).toMatchObject({ tool: 'Bash', summary: 'sleep 20' });
  });

  it('show a main agent as waiting for input after its turn', async () => {
    const tree = await open('2.1.325-single', MUCH_LATER, (id) => writeProcessRecord(id, { status: 'idle' }));
    expect(statuses(tree)).toEqual(['waiting on input idle', 'completed done']);
  });

  it('show when a process requests permission', async () => {
    const fields = { status: 'waiting', waitingFor: 'permission to use Bash' };
    const tree = await open('2.1.325-hang-sigkill', MUCH_LATER, (id) => writeProcessRecord(id, fields));
    expect(statuses(tree)[0]).toBe('waiting on permission waiting');
    expect(tree.agents[0]?.changes.at(-1)?.reason).toBe('permission to use Bash');
  });

  it('show an agent of an earlier process as lost, not running', async () => {
    const fields = { status: 'busy', startedAt: MUCH_LATER };
    const tree = await open('2.1.325-orphan-killed', MUCH_LATER, (id) => writeProcessRecord(id, fields));
    expect(tree.agents[1]?.status).toBe('unknown');
  });

  it('do not accept another process with the same number', async () => {
    const tree = await open('2.1.325-hang-sigkill', MUCH_LATER, (id) => writeProcessRecord(id, { procStart: '1' }));
    expect(statuses(tree)).toEqual(['unknown unknown', 'unknown unknown']);
  });
});

describe('sessions without a process record', () => {
  it('may continue when their version keeps none and the last line is under five minutes old', async () => {
    const justAfter = Date.parse('2026-11-15T06:56:45Z');
    expect((await open('2.1.20-background', justAfter)).agents[1]?.status).toBe('running');
    expect((await open('2.1.20-background', justAfter + 6 * 60_000)).agents[1]?.status).toBe('unknown');
  });

  it('are not running when their version keeps one, however young the last line', async () => {
    const tree = await open('2.1.325-hang-sigkill', Date.parse('2026-11-15T06:51:26Z'));
    expect(statuses(tree)).toEqual(['unknown unknown', 'unknown unknown']);
  });
});

describe('sessions on disk', () => {
  it('keep their agents when the main transcript is missing', async () => {
    const tree = await open('2.1.325-nested', DAYS_LATER, (id) => {
      rmSync(path.join(folder, 'projects/-home-dev-nested', `${id}.jsonl`));
    });
    expect(tree.agents).toHaveLength(4);
    expect(tree.agents.filter((agent) => agent.depth === 2)).toHaveLength(2);
    expect(tree.diagnostics.map(({ code }) => code)).toEqual(['missing-transcript']);
    expect(computeTree({ tree, ignoredFiles: 0 }, { internal: false }).session).toMatchObject({
      title: null,
      project: 'nested',
      branch: 'main',
      usage: { output: 378 - 95 },
      usageIsLowerBound: true,
    });
  });

  it('note transcripts that the host deleted because of their age once, and not as a problem', async () => {
    const tree = await open('2.1.325-parallel', MUCH_LATER, (id) => {
      const agents = path.join(folder, 'projects/-home-dev-parallel', id, 'subagents');
      for (const name of readdirSync(agents)) if (name.endsWith('.jsonl')) rmSync(path.join(agents, name));
    });
    expect(tree.diagnostics.map(({ code, severity, count }) => [code, severity, count])).toEqual([
      ['deleted-transcript', 'info', 1],
    ]);
    expect(tree.diagnostics[0]?.examples[0]?.detail).toBe('of 2 agents');
    const { session } = computeTree({ tree, ignoredFiles: 0 }, { internal: false });
    // The host's own total still holds what they used.
    expect(session).toMatchObject({ problems: 0, usage: { output: 293 }, unattributedUsage: { output: 141 } });
  });

  it('show agents below a parent that left no file', async () => {
    const tree = await open('2.1.325-nested', MUCH_LATER, (id) => {
      const parent = path.join(folder, 'projects/-home-dev-nested', id, 'subagents/agent-a2ca437af9f568b24');
      rmSync(`${parent}.jsonl`);
      rmSync(`${parent}.meta.json`);
    });
    expect(tree.agents.map(({ depth, link }) => [depth, link.rank]).slice(1)).toEqual([
      [1, 'exact'],
      [2, 'exact'],
      [2, 'exact'],
    ]);
  });

  it('own an agent whose call was never recorded because main was killed', async () => {
    const tree = await open('2.1.325-hang-sigkill', MUCH_LATER, (id) => {
      const main = path.join(folder, 'projects/-home-dev-hang-sigkill', `${id}.jsonl`);
      const lines = readFileSync(main, 'utf8').split('\n');
      const reply = lines.findIndex((line) => line.includes('"type":"assistant"'));
      writeFileSync(main, `${lines.slice(0, reply).join('\n')}\n`);
    });
    expect(tree.agents[1]?.link).toMatchObject({ parent: tree.agents[0]?.id, rank: 'exact', evidence: 'sidecar' });
  });

  it('identify workflow agents by their folder when sidecars are missing', async () => {
    const kinds = (tree: SessionTree) => tree.agents.map(({ kind, link }) => [kind, link.parent]);
    const whole = await open('2.1.325-workflow');
    const bare = await open('2.1.325-workflow', MUCH_LATER, () => {
      const projects = path.join(folder, 'projects');
      const files = readdirSync(projects, { recursive: true, encoding: 'utf8' });
      for (const file of files) if (file.endsWith('.meta.json')) rmSync(path.join(projects, file));
    });
    expect(kinds(bare)).toEqual(kinds(whole));
  });

  it('are ordered by their youngest line, in the list and in the tree', async () => {
    for (const name of ['2.1.325-nested', '2.1.197-nested'])
      cpSync(path.join(fixtures, name), folder, { recursive: true });
    const sessions = createSessions([{ adapter: claudeCode, root: folder, forced: false }], {
      clock: () => MUCH_LATER,
    });
    const all = (await sessions.list({ limit: 20 })).trees.map(({ id }) => id);
    expect(all).toHaveLength(2);
    const project = path.join(folder, 'projects/-home-dev-nested');
    for (const id of all) {
      // Whichever file was touched last.
      utimesSync(path.join(project, `${nativeId(id)}.jsonl`), new Date(), new Date(MUCH_LATER));
      expect((await sessions.list({ limit: 1 })).trees.map((tree) => tree.id)).toEqual([all[0]]);
      expect((await sessions.open()).tree.id).toBe(all[0]);
      utimesSync(path.join(project, `${nativeId(id)}.jsonl`), new Date(), new Date());
    }
    // Times that a tool has set: only the older session was touched since.
    for (const entry of readdirSync(project, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) utimesSync(path.join(entry.parentPath, entry.name), 0, 0);
    utimesSync(path.join(project, `${nativeId(all[1] as SessionId)}.jsonl`), new Date(), new Date());
    expect((await sessions.list({ limit: 1 })).trees.map((tree) => tree.id)).toEqual([all[0]]);
  });

  it('are one session when found in two places', async () => {
    const whole = await open('2.1.325-nested');
    const copy = path.join(folder, 'copy');
    cpSync(path.join(folder, 'projects'), path.join(copy, 'projects'), { recursive: true });
    const places = [folder, copy].map((root) => ({ adapter: claudeCode, root, forced: false }));
    const sessions = createSessions(places, { clock: () => MUCH_LATER });
    expect((await sessions.list({ limit: 20 })).total).toBe(1);
    expect((await sessions.open('fa12')).tree.agents).toEqual(whole.agents);
  });

  it('count an unreadable file, and read the others', async () => {
    const agent =
      'projects/-home-dev-nested/fa129e54-d574-4fea-bbfe-0dd74bbd38cd/subagents/agent-ab4c7b9a30ff9f65c.jsonl';
    const tree = await open('2.1.325-nested', DAYS_LATER, () => {
      // Root reads everything: for root, what cannot be read is empty.
      rmSync(path.join(folder, agent));
      writeFileSync(path.join(folder, agent), '');
      chmodSync(path.join(folder, agent), 0o000);
    });
    expect(tree.agents).toHaveLength(4);
    const unread = tree.agents.find((one) => one.id.endsWith('ab4c7b9a30ff9f65c'));
    expect(unread).toMatchObject({ status: 'completed', description: 'Check app.js' });
    expect(unread?.usage).toBeUndefined();
    expect(tree.diagnostics.some(({ code }) => code === 'missing-transcript' || code === 'unreadable-file')).toBe(true);
  });

  it("another host's files in the same place are ignored and counted", async () => {
    cpSync(path.join(fixtures, '2.1.325-single'), folder, { recursive: true });
    const other = path.join(folder, 'projects/-home-dev-single/chats.jsonl');
    writeFileSync(other, '{"uuid":"u","sessionId":"s","type":"user","message":{"role":"user","parts":[]}}\n');
    const sessions = createSessions([{ adapter: claudeCode, root: folder, forced: false }], {
      clock: () => MUCH_LATER,
    });
    const listing = await sessions.list({ limit: 20 });
    expect(listing.trees).toHaveLength(1);
    expect(listing.ignoredFiles).toBe(1);
  });

  it('include files that the program archived, and count nothing twice', async () => {
    const whole = await open('2.1.325-nested');
    const id = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
    const project = path.join(folder, 'projects/-home-dev-nested');
    cpSync(path.join(project, `${id}.jsonl`), path.join(project, `${id}.jsonl.superseded-1794725500000`));
    cpSync(path.join(project, `${id}.jsonl`), path.join(project, `${id}.orphaned-1794725500000-1.jsonl`));
    const sessions = createSessions([{ adapter: claudeCode, root: folder, forced: false }], {
      clock: () => MUCH_LATER,
    });
    const { trees } = await sessions.list({ limit: 20 });
    expect(trees).toHaveLength(1);
    expect(trees[0]?.agents.map(({ sources, ...agent }) => agent)).toEqual(
      whole.agents.map(({ sources, ...agent }) => agent),
    );
  });

  it('stay one session when moved to another project', async () => {
    const whole = await open('2.1.325-nested');
    const id = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
    const elsewhere = path.join(folder, 'projects/-home-dev-elsewhere');
    mkdirSync(elsewhere);
    renameSync(path.join(folder, 'projects/-home-dev-nested', `${id}.jsonl`), path.join(elsewhere, `${id}.jsonl`));
    const sessions = createSessions([{ adapter: claudeCode, root: folder, forced: false }], {
      clock: () => MUCH_LATER,
    });
    const { trees } = await sessions.list({ limit: 20 });
    expect(trees).toHaveLength(1);
    expect(trees[0]?.agents.map(({ id: agent, link }) => [agent, link.parent])).toEqual(
      whole.agents.map(({ id: agent, link }) => [agent, link.parent]),
    );
  });

  it('name the session a fork was copied from, and what was copied', async () => {
    cpSync(path.join(fixtures, '2.1.325-orphan-forked'), folder, { recursive: true });
    const sessions = createSessions([{ adapter: claudeCode, root: folder, forced: false }], {
      clock: () => MUCH_LATER,
    });
    const { tree } = await sessions.open('d1104698');
    expect(tree.forkedFrom).toBe('claude-code:1cc95efd-908e-46cc-bfab-21f959117047');
    // 81 of main and 33 of its agent.
    expect(tree.inheritedUsage?.output).toBe(114);
    expect((await sessions.open('1cc95efd')).tree.forkedFrom).toBeUndefined();
  });

  it('end the run of a teammate at its idle message', async () => {
    // The team's folder as 2.1.325 keeps it while the session lives (recording inter-team, snapshot).
    const tree = await open('2.1.325-inter-team', MUCH_LATER, (lead) => {
      const team = path.join(folder, 'teams/session-58b689e0');
      mkdirSync(path.join(team, 'inboxes'), { recursive: true });
      writeFileSync(
        path.join(team, 'config.json'),
        JSON.stringify({ name: 'session-58b689e0', leadSessionId: lead, members: [] }),
      );
      const text = JSON.stringify({
        type: 'idle_notification',
        from: 'bob',
        timestamp: '2026-11-15T07:23:40.000Z',
        idleReason: 'interrupted',
      });
      const letters = [
        { from: 'bob', text, timestamp: '2026-11-15T07:23:40.000Z', read: false },
        { from: 'alice', text: 'plain words' },
      ];
      writeFileSync(path.join(team, 'inboxes/team-lead.json'), JSON.stringify(letters));
    });
    const bob = tree.agents.find(({ name }) => name === 'bob');
    expect(bob?.runs.at(-1)).toMatchObject({ status: 'stopped', signal: 'inbox' });
    expect(tree.agents.find(({ name }) => name === 'alice')?.status).toBe('completed');
  });

  it('count a file that vanishes before it is read, and read the others', async () => {
    cpSync(path.join(fixtures, '2.1.325-nested'), folder, { recursive: true });
    const { sessions } = await claudeCode.locate(folder);
    const session = sessions[0]!;
    rmSync(session.sources.find(({ id }) => id.endsWith('agent-ab4c7b9a30ff9f65c.jsonl'))!.path);
    const tree = buildTree(await readSession(claudeCode, session), { now: MUCH_LATER });
    expect(tree.agents).toHaveLength(4);
    expect(tree.diagnostics.map(({ code }) => code)).toContain('unreadable-file');
  });

  it('follow links, and stop at a loop of links', async () => {
    cpSync(path.join(fixtures, '2.1.325-nested'), folder, { recursive: true });
    const away = makeTemporaryFolder('away');
    renameSync(path.join(folder, 'projects'), path.join(away, 'projects'));
    symlinkSync(path.join(away, 'projects'), path.join(folder, 'projects'));
    const inside = path.join(away, 'projects/-home-dev-nested/fa129e54-d574-4fea-bbfe-0dd74bbd38cd/subagents');
    symlinkSync(inside, path.join(inside, 'loop'));
    symlinkSync(path.join(away, 'nowhere'), path.join(inside, 'agent-broken.jsonl'));
    const sessions = createSessions([{ adapter: claudeCode, root: folder, forced: false }], {
      clock: () => MUCH_LATER,
    });
    expect((await sessions.open()).tree.agents).toHaveLength(4);
  });

  it('accept the projects folder, or one project, as a root', async () => {
    for (const place of ['projects', 'projects/-home-dev-nested']) {
      const root = path.join(fixtures, '2.1.325-nested', place);
      const { tree } = await createSessions([{ adapter: claudeCode, root, forced: false }], {
        clock: () => MUCH_LATER,
      }).open();
      expect(tree.agents).toHaveLength(4);
    }
  });
});
