import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessions } from '../../tracker/sessions.ts';
import { claudeCode } from '../claude-code/index.ts';
import { MUCH_LATER } from '../testing/feed.ts';
import { codex } from './index.ts';
import { sniffRollout } from './sniff.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-codex-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const sessions = () =>
  createSessions(
    [claudeCode, codex].map((adapter) => ({ adapter, root, forced: false })),
    { clock: () => MUCH_LATER },
  );

const rollouts = (): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name).startsWith('rollout-'))
    .map((name) => path.join(root, name))
    .toSorted();

function change(which: string, edit: (lines: string[]) => readonly string[]): void {
  const file = rollouts().find((name) => name.includes(which)) ?? '';
  writeFileSync(file, edit(readFileSync(file, 'utf8').split('\n')).join('\n'));
}

const problems = async () =>
  (await sessions().open()).tree.diagnostics.map(
    ({ code, count, examples }) => `${code} × ${count} ${examples[0]?.detail}`,
  );

describe('rollouts as they should not be', () => {
  beforeEach(() => cpSync(path.join(fixtures, '0.166.0-nested'), root, { recursive: true }));

  it('a newer version: lines of kinds that do not exist yet are counted once, and the rest is there', async () => {
    const before = (await sessions().open()).tree;
    change('db5d', (lines) => [
      ...lines.slice(0, 3),
      '{"timestamp":"2026-11-15T08:14:42.600Z","ordinal":3,"type":"dream_state","payload":{"type":"x","deep":{"er":[1]}}}',
      '{"timestamp":"2026-11-15T08:14:42.600Z","ordinal":3,"type":"event_msg","payload":{"type":"unheard_of"}}',
      '{"timestamp":"2026-11-15T08:14:42.600Z","ordinal":3,"type":"response_item","payload":{"type":"telepathy"}}',
      ...lines.slice(3),
    ]);
    expect(await problems()).toEqual(['unknown-record × 2 dream_state']);
    const after = (await sessions().open()).tree;
    expect(
      after.agents.map(({ status, toolCallCount, messageCount }) => [status, toolCallCount, messageCount]),
    ).toEqual(before.agents.map(({ status, toolCallCount, messageCount }) => [status, toolCallCount, messageCount]));
  });

  it('damaged lines cost themselves', async () => {
    change('dc31', (lines) => [
      lines[0] ?? '',
      'not JSON',
      '"a text"',
      '\0\0\0\0',
      `{"timestamp":"2026-11-15T08:14:42.9${lines[1] ?? ''}`,
      ...lines.slice(2),
    ]);
    expect(await problems()).toEqual([
      'glued-lines × 1 1 saved',
      'invalid-json × 1 8 bytes',
      'not-a-record × 1 8 bytes',
      'nul-bytes × 1 4 bytes',
    ]);
    expect((await sessions().open()).tree.agents.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
  });

  it('a header that cannot be read: the name of the file says whose it is', async () => {
    change('db5d', (lines) => ['{"timestamp":"2026-11-15T08:14:42.570Z","ordinal":0,"type":"sess', ...lines.slice(1)]);
    const { tree } = await sessions().open('01a1de45-db5d');
    expect(tree.agents).toHaveLength(4);
    expect(tree.agents.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
    expect(tree.diagnostics.map(({ code }) => code)).toEqual(['invalid-json']);
  });

  it('fields of the wrong kind are no fields', async () => {
    change('ddec', (lines) =>
      lines.map((line) =>
        line
          .replaceAll('"call_id":"', '"call_id":7,"x":"')
          .replaceAll(/"content":\[/g, '"content":null,"y":[')
          .replaceAll('"last_token_usage":{', '"last_token_usage":[],"z":{'),
      ),
    );
    const { tree } = await sessions().open();
    expect(tree.agents).toHaveLength(4);
    expect(tree.diagnostics).toEqual([]);
  });

  it('agents whose parents left no rollout stay in their session', async () => {
    for (const file of rollouts()) if (/db5d|dc31/.test(file)) rmSync(file);
    const { tree } = await sessions().open();
    expect(tree.agents.map(({ kind, link }) => [kind, link.rank])).toEqual([
      ['main', 'none'],
      ['task', 'none'],
      ['task', 'none'],
    ]);
    expect(tree.diagnostics.map(({ code }) => code)).toContain('missing-parent');
  });

  it('an agent whose own rollout is gone ended as its parent heard of it', async () => {
    rmSync(path.join(root, 'sessions'), { recursive: true });
    cpSync(path.join(fixtures, '0.118.0-failing'), root, { recursive: true });
    for (const file of rollouts().slice(1)) rmSync(file);
    const { tree } = await sessions().open();
    expect(
      tree.agents.map(({ kind, status, runs }) => [kind, status, runs.at(-1)?.signal, runs.at(-1)?.reason]),
    ).toEqual([
      ['main', 'completed', 'transcript', undefined],
      ['task', 'failed', 'notification', 'synthetic failure from the scripted model'],
      ['task', 'completed', 'notification', undefined],
    ]);
  });

  it('a person who types the words of a notice ends nobody', async () => {
    rmSync(path.join(root, 'sessions'), { recursive: true });
    cpSync(path.join(fixtures, '0.166.0-hang-sigkill'), root, { recursive: true });
    const notice = JSON.stringify(
      '<subagent_notification>\n{"agent_path":"01a1de46-053f-70e1-b1b6-e477b6d28043","status":{"completed":"x"}}',
    );
    change('0499', (lines) => lines.map((line) => line.replaceAll('"Please do the job. [[play:hang]]"', notice)));
    expect(readFileSync(rollouts()[0] ?? '', 'utf8')).toContain(notice);
    expect((await sessions().open()).tree.agents.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  });

  it('beside another host in one folder: each session once, each by its own', async () => {
    cpSync(fileURLToPath(new URL('../claude-code/fixtures/2.1.325-nested', import.meta.url)), root, {
      recursive: true,
    });
    const { trees } = await sessions().list({ limit: 10 });
    expect(trees.map(({ id, agents }) => [id.split(':')[0], agents.length]).toSorted()).toEqual([
      ['claude-code', 4],
      ['codex', 4],
    ]);
  });

  it('threads that name each other as parents end nowhere, and both are shown', async () => {
    rmSync(path.join(root, 'sessions'), { recursive: true });
    const folder = path.join(root, 'sessions', '2026', '02', '01');
    mkdirSync(folder, { recursive: true });
    const ids = ['019c0000-0000-7000-8000-000000000001', '019c0000-0000-7000-8000-000000000002'];
    for (const [index, id] of ids.entries()) {
      const source = { subagent: { thread_spawn: { parent_thread_id: ids[1 - index], depth: 1 } } };
      const meta = { timestamp: '2026-02-01T00:00:00Z', type: 'session_meta', payload: { id, source } };
      const spoken = { role: 'user', type: 'user_message', message: 'hello' };
      const line = { timestamp: '2026-02-01T00:00:01Z', type: 'event_msg', payload: spoken };
      writeFileSync(
        path.join(folder, `rollout-2026-02-01T00-00-00-${id}.jsonl`),
        `${JSON.stringify(meta)}\n${JSON.stringify(line)}\n`,
      );
    }
    const { trees } = await sessions().list({ limit: 10 });
    expect(trees.flatMap(({ agents }) => agents).filter(({ messageCount }) => messageCount === 1)).toHaveLength(2);
  });

  it('somebody points at the sessions, at a month or at a day of them', async () => {
    for (const part of ['sessions', 'sessions/2026/11', 'sessions/2026/11/15'])
      expect((await codex.locate(path.join(root, part))).sessions.map(({ sources }) => sources.length)).toEqual([4]);
  });

  it('a compressed rollout is told as a file that is not read', async () => {
    writeFileSync(`${rollouts()[0]}.zst`, 'x');
    expect((await codex.locate(root)).ignoredFiles).toEqual([`${rollouts()[0]}.zst`]);
  });
});

describe('whose a file is', () => {
  const sniff = (text: string): boolean => sniffRollout(new TextEncoder().encode(text));

  it('the header shows by its beginning, however long it is', () => {
    const header = `{"timestamp":"2026-11-15T08:14:42.570Z","type":"session_meta","payload":{"id":"x","instructions":"`;
    expect(sniff(header + 'x'.repeat(100_000))).toBe(true);
  });

  it('lines that look alike are not enough', () => {
    expect(sniff('{"type":"message","id":"1","message":{"role":"user","content":"hi"}}\n')).toBe(false);
    expect(sniff('{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}\n')).toBe(false);
    expect(sniff('{"text":"what somebody typed","ts":1}\n')).toBe(false);
    expect(sniff('')).toBe(false);
  });
});
