import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessions } from '../../tracker/sessions.ts';
import { ADAPTERS } from '../registry.ts';
import { MUCH_LATER } from '../testing/feed.ts';
import { gemini } from './index.ts';
import { sniffChat } from './sniff.ts';

const adapters = fileURLToPath(new URL('../', import.meta.url));
const fixtures = path.join(adapters, 'gemini/fixtures');

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-gemini-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const sessions = () =>
  createSessions(
    ADAPTERS.map((adapter) => ({ adapter, root, forced: false })),
    { clock: () => MUCH_LATER },
  );

const chats = (): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /chats.*\.jsonl?$/.test(name))
    .map((name) => path.join(root, name));

function change(which: string, edit: (lines: string[]) => readonly string[]): void {
  const file = chats().find((name) => path.basename(name).includes(which)) ?? '';
  writeFileSync(file, edit(readFileSync(file, 'utf8').split('\n')).join('\n'));
}

const problems = async () =>
  (await sessions().open()).tree.diagnostics.map(
    ({ code, count, examples }) => `${code} × ${count} ${examples[0]?.detail}`,
  );

const shapeNow = async () =>
  (await sessions().open()).tree.agents.map(({ status, toolCallCount, messageCount, usage }) => [
    status,
    toolCallCount,
    messageCount,
    usage?.output,
  ]);

describe('chats as they should not be', () => {
  beforeEach(() => cpSync(path.join(fixtures, '0.61.0-parallel'), root, { recursive: true }));

  it('a newer version: records of kinds that do not exist yet are counted once, and the rest is there', async () => {
    const before = await shapeNow();
    change('6555c55c', (lines) => [
      ...lines.slice(0, 2),
      '{"id":"x","timestamp":"2026-11-15T08:10:35.400Z","type":"dream","content":"?"}',
      '{"$undo":{"steps":3}}',
      '{"$set":{"mood":"fine"}}',
      ...lines.slice(2),
    ]);
    expect(await problems()).toEqual(['unknown-record × 2 dream']);
    expect(await shapeNow()).toEqual(before);
  });

  it('damaged lines cost themselves', async () => {
    const before = await shapeNow();
    change('6555c55c', (lines) => [
      ...lines.slice(0, 2),
      'not JSON',
      '[1]',
      '\0\0\0',
      `{"id":"7b53660f","times${lines[2]}`,
      ...lines.slice(3),
    ]);
    expect(await problems()).toEqual([
      'glued-lines × 1 1 saved',
      'invalid-json × 1 8 bytes',
      'not-a-record × 1 3 bytes',
      'nul-bytes × 1 3 bytes',
    ]);
    expect(await shapeNow()).toEqual(before);
  });

  it('fields of the wrong kind are no fields', async () => {
    for (const which of ['6555c55c', '3d2e08c1'])
      change(which, (lines) =>
        lines.map((line) =>
          line
            .replaceAll('"tokens":{', '"tokens":7,"x":{')
            .replaceAll('"toolCalls":[', '"toolCalls":"?","y":[')
            .replaceAll('"content":"', '"content":17,"z":"'),
        ),
      );
    const { tree } = await sessions().open();
    expect(tree.agents).toHaveLength(3);
    expect(tree.diagnostics).toEqual([]);
  });

  it('a chat whose head is damaged is known by its name and by what is left of it', async () => {
    const before = await shapeNow();
    change('session-', (lines) => ['{"sessi', ...lines.slice(1)]);
    expect(await problems()).toEqual(['invalid-json × 1 7 bytes']);
    expect(await shapeNow()).toEqual(before);
  });

  it('agents whose parent left no chat stay in its session', async () => {
    rmSync(chats().find((name) => path.basename(name).startsWith('session-')) ?? '');
    const { tree } = await sessions().open();
    expect(tree.agents.map(({ kind, status, link }) => [kind, status, link.evidence])).toEqual([
      ['main', 'unknown', undefined],
      ['task', 'completed', 'folder'],
      ['task', 'completed', 'folder'],
    ]);
  });

  it('agents of agents, should a version have them: the folder has the name of whoever asked', async () => {
    const [agent = ''] = chats().filter((name) => name.includes('3d2e08c1'));
    const other = chats().find((name) => name.includes('6bcb5441')) ?? '';
    const folder = path.join(path.dirname(path.dirname(agent)), '3d2e08c1-4ae5-4b27-86e7-cbefd3a1a78f');
    mkdirSync(folder);
    cpSync(other, path.join(folder, '6bcb5441-10e7-4613-bcc9-1e1b7aa1700e.jsonl'));
    rmSync(other);
    const { tree } = await sessions().open();
    expect(tree.agents.map(({ depth, link }) => [depth, link.evidence])).toEqual([
      [0, undefined],
      [1, 'folder'],
      [2, 'folder'],
    ]);
  });

  it('somebody points at a project, or at its chats', async () => {
    for (const part of ['tmp', 'tmp/project', 'tmp/project/chats'])
      expect((await gemini.locate(path.join(root, part))).sessions.map(({ sources }) => sources.length)).toEqual([3]);
  });

  it('beside other hosts in one folder: each session once, each by its own', async () => {
    cpSync(path.join(adapters, 'claude-code/fixtures/2.1.325-nested'), root, { recursive: true });
    cpSync(path.join(adapters, 'codex/fixtures/0.166.0-nested'), root, { recursive: true });
    cpSync(path.join(adapters, 'qwen/fixtures/0.24.4-nested'), root, { recursive: true });
    const { trees } = await sessions().list({ limit: 10 });
    expect(trees.map(({ id, agents }) => [id.split(':')[0], agents.length]).toSorted()).toEqual([
      ['claude-code', 4],
      ['codex', 4],
      ['gemini', 3],
      ['qwen', 4],
    ]);
  });
});

describe('a document as it should not be', () => {
  it('half of it is one problem, and the other sessions are there', async () => {
    cpSync(path.join(fixtures, '0.35.3-failing'), root, { recursive: true });
    cpSync(path.join(fixtures, '0.61.0-single'), root, { recursive: true });
    const file = chats().find((name) => name.endsWith('.json')) ?? '';
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, text.length / 2));
    const { trees } = await sessions().list({ limit: 9 });
    expect(trees.map(({ agents, diagnostics }) => [agents.length, diagnostics.map(({ code }) => code)])).toEqual(
      expect.arrayContaining([
        [2, []],
        [1, ['invalid-json']],
      ]),
    );
  });
});

describe('whose a file is', () => {
  const sniff = (text: string): boolean => sniffChat(new TextEncoder().encode(text));

  it('by its first two fields, in a line as in a document', () => {
    expect(sniff('{"sessionId":"x","projectHash":"y","startTime":"z"}\n')).toBe(true);
    expect(sniff('{\n  "sessionId": "x",\n  "projectHash": "y",\n  "messages": [')).toBe(true);
  });

  it('lines that look alike are not enough', () => {
    expect(sniff('{"sessionId":"x","type":"user","message":{}}\n')).toBe(false);
    expect(sniff('{"id":"x","type":"user","content":"hi"}\n')).toBe(false);
    expect(sniff('')).toBe(false);
  });
});
