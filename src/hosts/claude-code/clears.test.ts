import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeId } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
import { readClears } from './clears.ts';
import { claudeCode } from './index.ts';

// `/clear`, typed into the real program: it goes on in a new session, and so do agents at work.

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

async function readAll(root: string) {
  const sessions = createSessions([{ adapter: claudeCode, root, forced: false }], { clock: () => Date.UTC(2030, 0) });
  const { trees } = await sessions.list({ limit: 10 });
  const opened = await Promise.all(trees.map(async ({ id }) => (await sessions.open(nativeId(id))).tree));
  return opened.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
}

describe.each([
  '2.0.76-inter-clear',
  '2.1.39-inter-clear-busy',
  '2.1.45-inter-clear-busy',
  '2.1.92-inter-clear-busy',
  '2.1.161-inter-clear-busy',
  '2.1.220-inter-clear',
])('%s', (name) => {
  it('names the session in which /clear was typed', async () => {
    const [before, after, ...others] = await readAll(fixtures + name);
    expect(others).toEqual([]);
    expect(before?.continuedFrom).toBeUndefined();
    expect(after?.continuedFrom).toBe(before?.id);
    expect(after?.forkedFrom).toBeUndefined();
  });
});

it.each(['2.1.39-inter-clear-busy', '2.1.45-inter-clear-busy', '2.1.92-inter-clear-busy', '2.1.161-inter-clear-busy'])(
  'shows an agent that went on after /clear once, in the session that asked for it: %s',
  async (name) => {
    const [before, after] = await readAll(fixtures + name);
    expect(before?.agents.map(({ status, toolCallCount }) => [status, toolCallCount])).toEqual([
      ['completed', 1],
      ['completed', 2],
    ]);
    expect(after?.agents).toHaveLength(1);
  },
);

it('counts what an agent did after /clear when its session was resumed since, and only transcripts are left', async () => {
  const root = makeTemporaryFolder('clears');
  cpSync(`${fixtures}2.1.325-clear-then-resume/projects`, path.join(root, 'projects'), { recursive: true });
  const [before] = await readAll(root);
  expect(before?.agents.map(({ usage }) => usage?.output)).toEqual([604, 606]);
});

it('names the session right before when /clear was typed more than once', async () => {
  const trees = await readAll(`${fixtures}2.1.325-inter-clear-twice`);
  expect(trees.map(({ continuedFrom }) => continuedFrom)).toEqual([undefined, trees[0]?.id, trees[1]?.id]);
});

it.each([
  ['2.1.325-clear-then-resume', 606],
  ['2.1.325-fork-then-clear', 1206],
])(
  'shows all of an agent that went on after /clear when its session was resumed since, or is a fork: %s',
  async (name, output) => {
    const agents = (await readAll(fixtures + name)).flatMap((tree) => tree.agents);
    const audits = agents.filter(({ description }) => description?.startsWith('Run the long audit'));
    expect(audits).toHaveLength(1);
    expect(audits[0]).toMatchObject({ status: 'completed', toolCallCount: 2, usage: { output } });
    expect(audits[0]?.inheritedUsage?.output ?? 0).toBe(0);
  },
);

it('links a fork of a session that /clear began to that session alone', async () => {
  const trees = await readAll(`${fixtures}2.1.325-clear-then-fork`);
  const cleared = trees.find(({ continuedFrom }) => continuedFrom !== undefined);
  const fork = trees.find(({ forkedFrom }) => forkedFrom !== undefined);
  expect(fork).not.toBe(cleared);
  expect(fork?.forkedFrom).toBe(cleared?.id);
  expect(fork?.inheritedUsage?.output).toBe(604 + 803);
});

it('keeps an agent out of a /branch of the session that /clear began', async () => {
  const trees = await readAll(`${fixtures}2.1.325-clear-then-branch`);
  const audits = trees.map(({ agents }) => agents.filter(({ description }) => description?.startsWith('Run the long')));
  const [home, ...others] = audits.filter((found) => found.length > 0);
  expect(others).toEqual([]);
  expect(home).toMatchObject([{ status: 'completed', toolCallCount: 2, usage: { output: 606 } }]);
});

it('names no session when /clear was typed twice at once in one folder', async () => {
  const root = makeTemporaryFolder('clears');
  cpSync(`${fixtures}2.1.92-inter-clear-busy`, root, { recursive: true });
  const typed = { display: '/clear', timestamp: 1795011879300, project: '/home/dev/2.1.92-inter-clear-busy/project' };
  appendFileSync(path.join(root, 'history.jsonl'), `${JSON.stringify({ ...typed, sessionId: 'another' })}\n`);
  const [, after] = await readAll(root);
  expect(after?.continuedFrom).toBeUndefined();
});

it('reads on in a history that grows, and all of one that was replaced', async () => {
  const root = makeTemporaryFolder('clears');
  mkdirSync(path.join(root, 'projects'));
  const history = path.join(root, 'history.jsonl');
  const typed = (sessionId: string): string =>
    `${JSON.stringify({ display: '/clear', timestamp: 1795011879300, project: '/home/dev', sessionId })}\n`;
  const sessions = async (): Promise<readonly string[]> =>
    (await readClears(root)).map(({ session }) => nativeId(session));
  const [first, second] = [typed('first'), typed('second')];
  writeFileSync(history, first + second.slice(0, 20));
  expect(await sessions()).toEqual(['first']);
  appendFileSync(history, second.slice(20));
  expect(await sessions()).toEqual(['first', 'second']);
  writeFileSync(history, typed('new'));
  expect(await sessions()).toEqual(['new']);
});
