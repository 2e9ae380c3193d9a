import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeId, selectTotalUsage } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
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
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl')))
    keepLines(path.join(folder, file), (line) => !line.includes('<teammate-message'));
  const { trees } = await sessionsIn(root).list({ limit: 10 });
  expect(trees[0]?.agents.map(({ kind }) => kind)).toEqual(['main', 'internal', 'internal', 'internal']);
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
  const folder = path.join(root, 'projects', project);
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
