import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDamagedFolder } from '../testing/damaged-folder.ts';
import { describeDamagedLines } from '../testing/damaged-lines.ts';
import { gemini } from './index.ts';
import { sniffChat } from './parse-chat.ts';

describeDamagedLines({
  adapter: gemini,
  recording: '0.61.0-parallel',
  agents: 3,
  newer: {
    in: '6555c55c',
    edit: (lines) => [
      ...lines.slice(0, 2),
      '{"id":"x","timestamp":"2026-11-15T08:10:35.400Z","type":"dream","content":"?"}',
      '{"$undo":{"steps":3}}',
      '{"$set":{"mood":"fine"}}',
      ...lines.slice(2),
    ],
    told: ['unknown-record × 2 dream'],
  },
  damaged: {
    in: '6555c55c',
    edit: (lines) => [
      ...lines.slice(0, 2),
      'not JSON',
      '[1]',
      '\0\0\0',
      `{"id":"7b53660f","times${lines[2]}`,
      ...lines.slice(3),
    ],
    told: ['glued-lines × 1 1 saved', 'invalid-json × 1 8 bytes', 'not-a-record × 1 3 bytes', 'nul-bytes × 1 3 bytes'],
  },
  wrongKinds: {
    in: ['6555c55c', '3d2e08c1'],
    fields: { '"tokens":{': '7', '"toolCalls":[': '"?"', '"content":"': '17' },
  },
  pointedAt: { parts: ['tmp', 'tmp/project', 'tmp/project/chats'], sources: 3 },
});

describe('chats as they should not be', () => {
  const folder = createDamagedFolder('gemini/fixtures/0.61.0-parallel');

  it('a chat whose head is damaged is known by its name and by what is left of it', async () => {
    const before = await folder.shape();
    folder.change('session-', (lines) => ['{"sessi', ...lines.slice(1)]);
    expect(await folder.problems()).toEqual(['invalid-json × 1 7 bytes']);
    expect(await folder.shape()).toEqual(before);
  });

  it('agents whose parent left no chat stay in its session', async () => {
    for (const file of folder.files('session-')) rmSync(file);
    const { agents } = await folder.tree();
    expect(agents.map(({ kind, status, link }) => [kind, status, link.evidence])).toEqual([
      ['main', 'unknown', undefined],
      ['task', 'completed', 'folder'],
      ['task', 'completed', 'folder'],
    ]);
  });

  it('agents of agents, should a version have them: the folder has the name of whoever asked', async () => {
    const [agent = ''] = folder.files('3d2e08c1');
    const [other = ''] = folder.files('6bcb5441');
    const below = path.join(path.dirname(path.dirname(agent)), '3d2e08c1-4ae5-4b27-86e7-cbefd3a1a78f');
    mkdirSync(below);
    cpSync(other, path.join(below, '6bcb5441-10e7-4613-bcc9-1e1b7aa1700e.jsonl'));
    rmSync(other);
    const { agents } = await folder.tree();
    expect(agents.map(({ depth, link }) => [depth, link.evidence])).toEqual([
      [0, undefined],
      [1, 'folder'],
      [2, 'folder'],
    ]);
  });

  it('beside other hosts in one folder: each session once, each by its own', async () => {
    folder.add('claude-code/fixtures/2.1.325-nested');
    folder.add('codex/fixtures/0.166.0-nested');
    folder.add('qwen/fixtures/0.24.4-nested');
    const { trees } = await folder.sessions().list({ limit: 10 });
    expect(trees.map(({ id, agents }) => [id.split(':')[0], agents.length]).toSorted()).toEqual([
      ['claude-code', 4],
      ['codex', 4],
      ['gemini', 3],
      ['qwen', 4],
    ]);
  });
});

describe('a document as it should not be', () => {
  const folder = createDamagedFolder('gemini/fixtures/0.35.3-failing');

  it('half of it is one problem, and the other sessions are there', async () => {
    const [file = ''] = folder.files('session-');
    expect(path.extname(file)).toBe('.json');
    folder.add('gemini/fixtures/0.61.0-single');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, text.length / 2));
    const { trees } = await folder.sessions().list({ limit: 9 });
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
