import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeId, selectTotalUsage } from '../../core/index.ts';
import { realAgents } from '../../core/link.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions, readSession } from '../../sessions/index.ts';
import type { LocatedSession } from '../index.ts';
import { claudeCode } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const sessionsIn = (root: string) =>
  createSessions([{ adapter: claudeCode, root, forced: false }], { clock: () => Date.UTC(2030, 0) });

// The same team in all versions: alice is asked twice, bob once.
describe.each([
  '2.1.39-inter-team',
  '2.1.88-inter-team-exit',
  '2.1.161-inter-team',
  '2.1.220-inter-team',
  '2.1.287-inter-team',
])('%s', (name) => {
  it('shows each teammate once, below its lead, with its calls and runs', async () => {
    const { trees } = await sessionsIn(fixtures + name).list({ limit: 10 });
    expect(trees).toHaveLength(1);
    const [main, ...mates] = trees[0]?.agents ?? [];
    expect(main?.status).toBe('completed');
    expect(mates.map((mate) => [mate.name, mate.kind, mate.link.parent, mate.status, mate.toolCallCount])).toEqual([
      ['alice', 'teammate', main?.id, 'completed', 2],
      ['bob', 'teammate', main?.id, 'completed', 2],
    ]);
    expect(mates.map(({ runs }) => runs.map(({ status }) => status))).toEqual([
      ['completed', 'completed'],
      ['completed'],
    ]);
    expect(mates.every(({ link }) => link.call !== undefined)).toBe(true);
  });
});

it('hides the file of a delivered message while its lead has not named the teammate', async () => {
  const root = copyOf('2.1.161-inter-team');
  // As it stands when main's reply is not written yet, and neither is the message: lines may be out of order.
  const [lead = ''] = sessionFilesOf(root);
  keepLines(lead, (line) => line.includes('main#1'));
  const folder = path.join(lead.replace('.jsonl', ''), 'subagents');
  for (const file of transcriptsIn(folder))
    keepLines(file, (line) => !/<teammate-message|"type":"tool_use"|"tool_use_id"/.test(line));
  const { trees } = await sessionsIn(root).list({ limit: 10 });
  expect(trees[0]?.agents.map(({ kind }) => kind)).toEqual(['main', 'internal', 'internal', 'internal']);
});

describe('teammates in the process of a lead', () => {
  const outputOf = ({ usage }: { readonly usage?: { readonly output: number } | undefined }) => usage?.output ?? 0;
  const sumOf = (all: readonly { readonly usage?: { readonly output: number } | undefined }[]) =>
    all.map(outputOf).reduce((a, b) => a + b, 0);

  it.each(['2.1.88-inter-team', '2.1.92-inter-team', '2.1.161-inter-team'])(
    'are shown with all their work when the transcript of their lead is gone (%s)',
    async (name) => {
      const whole = (await sessionsIn(fixtures + name).list({ limit: 10 })).trees[0]?.agents.slice(1) ?? [];
      const root = copyOf(name);
      for (const lead of sessionFilesOf(root)) rmSync(lead);
      const mates = (await sessionsIn(root).list({ limit: 10 })).trees[0]?.agents.slice(1) ?? [];
      expect(new Set(mates.map(({ kind, type, link }) => [kind, type, link.rank].join()))).toEqual(
        new Set(['teammate,alice,none', 'teammate,bob,none']),
      );
      const callsOf = (agents: typeof mates): number => agents.reduce((sum, one) => sum + (one.toolCallCount ?? 0), 0);
      expect(callsOf(mates)).toBe(callsOf(whole));
      expect(sumOf(mates)).toBe(sumOf(whole));
    },
  );

  it('are not hidden when no sidecar says whose their files are', async () => {
    const root = copyOf('2.1.161-inter-team', (name) => !name.endsWith('.meta.json'));
    const agents = (await sessionsIn(root).list({ limit: 10 })).trees[0]?.agents ?? [];
    expect(agents.filter(({ kind }) => kind === 'internal')).toEqual([]);
    expect(agents.reduce((sum, { toolCallCount = 0 }) => sum + toolCallCount, 0)).toBe(9);
  });

  it('are themselves when a copy of the project is beside it', async () => {
    const root = copyOf('2.1.161-inter-team');
    const [project = ''] = readdirSync(path.join(root, 'projects'));
    cpSync(path.join(root, 'projects', project), path.join(root, 'projects', `${project}-copy`), { recursive: true });
    const { trees } = await sessionsIn(root).list({ limit: 10 });
    expect(trees.map(({ agents }) => agents.map(({ kind, toolCallCount }) => [kind, toolCallCount]))).toEqual([
      [
        ['main', 5],
        ['teammate', 2],
        ['teammate', 2],
      ],
    ]);
  });

  it('are in the tree when only the results of their calls are left', async () => {
    const root = copyOf('2.1.220-inter-team', (name) => !/^agent-.*\.jsonl$/.test(name));
    const agents = (await sessionsIn(root).list({ limit: 10 })).trees[0]?.agents.slice(1) ?? [];
    expect(agents.map(({ name, kind, toolCallCount }) => [name, kind, toolCallCount])).toEqual([
      ['alice', 'teammate', undefined],
      ['bob', 'teammate', undefined],
    ]);
  });
});

describe('teammates in terminals of their own', () => {
  it('shows a member that goes on after /clear below the lead that made it, and nowhere else', async () => {
    const { trees } = await sessionsIn(`${fixtures}2.1.161-clear-team`).list({ limit: 10 });
    const mates = trees.map(({ agents }) =>
      agents.slice(1).map(({ name, status, toolCallCount, usage }) => [name, status, toolCallCount, usage?.output]),
    );
    expect(mates.toSorted((a, b) => a.length - b.length)).toEqual([[], [['alice', 'completed', 1, 403]]]);
  });

  it('lists the lead, not the member that was active last', async () => {
    const { trees } = await sessionsIn(`${fixtures}2.1.39-inter-team`).list({ limit: 1 });
    expect(trees.map(({ agents }) => agents.length)).toEqual([3]);
  });

  it('opens the session of a member when it is named', async () => {
    const { tree } = await sessionsIn(`${fixtures}2.1.39-inter-team`).open('3a5ecffc');
    expect(tree.agents.map(({ toolCallCount }) => toolCallCount)).toEqual([2]);
  });

  it('shows a member as a session of its own when its lead is gone', async () => {
    const root = copyOf('2.1.39-inter-team', (name) => !name.startsWith('4af27087'));
    const { trees } = await sessionsIn(root).list({ limit: 10 });
    expect(trees.map(({ id }) => nativeId(id).slice(0, 8)).toSorted()).toEqual(['3a5ecffc', '91918a71']);
  });

  it('gives members to the lead that asked for them last when a later team has the same names', async () => {
    const root = copyOf('2.1.39-inter-team');
    const before = (await sessionsIn(root).list({ limit: 10 })).trees.map(selectTotalUsage);
    addLaterTeam(root);
    const { trees } = await sessionsIn(root).list({ limit: 10 });
    expect(trees.map(({ agents }) => agents.map(({ toolCallCount }) => toolCallCount))).toEqual([
      [5, 2, 2],
      [5, 2, 2],
    ]);
    expect(trees.map(selectTotalUsage)).toEqual([before[0], before[0]]);
  });
});

it('waits for the transcript of a teammate of a team that /clear has left, as long as its session goes on', async () => {
  const root = copyOf('2.1.287-inter-team');
  const [lead = ''] = sessionFilesOf(root);
  rmSync(lead.replace('.jsonl', ''), { recursive: true });
  // Teams are called after the session that the program began with.
  writeFileSync(lead, readFileSync(lead, 'utf8').replaceAll(/session-[0-9a-f]{8}/g, 'session-01234567'));
  const { sessions } = await claudeCode.locate(root);
  const ledger = await readSession(claudeCode, sessions[0] as LocatedSession);
  const shown = (isAlive: boolean) => realAgents(ledger, isAlive).map(({ id }) => nativeId(id));
  expect(shown(true)).toHaveLength(1);
  expect(shown(false).slice(1)).toEqual(['alice@session-01234567', 'bob@session-01234567']);
});

function copyOf(name: string, isWanted: (file: string) => boolean = () => true): string {
  const root = makeTemporaryFolder('teams');
  cpSync(fixtures + name, root, { recursive: true, filter: (file) => isWanted(path.basename(file)) });
  return root;
}

function keepLines(file: string, isKept: (line: string) => boolean): void {
  writeFileSync(file, readFileSync(file, 'utf8').split('\n').filter(isKept).join('\n'));
}

function sessionFilesOf(root: string): readonly string[] {
  const [project = ''] = readdirSync(path.join(root, 'projects'));
  return transcriptsIn(path.join(root, 'projects', project));
}

function transcriptsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => path.join(folder, name));
}

/** The same sessions a day later, under other ids. */
function addLaterTeam(root: string): void {
  for (const file of sessionFilesOf(root)) {
    const id = path.basename(file, '.jsonl');
    const later = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    const text = readFileSync(file, 'utf8')
      .replaceAll(id, later)
      .replaceAll('2026-11-18T', '2026-11-19T')
      .replaceAll(/"(uuid|parentUuid)":"(.)/g, '"$1":"x$2')
      .replaceAll('"id":"', '"id":"x')
      .replaceAll('"tool_use_id":"', '"tool_use_id":"x')
      .replaceAll('"requestId":"', '"requestId":"x');
    writeFileSync(path.join(path.dirname(file), `${later}.jsonl`), text);
  }
}
