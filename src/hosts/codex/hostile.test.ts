import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDamagedFolder } from '../testing/damaged-folder.ts';
import { describeDamagedLines } from '../testing/damaged-lines.ts';
import { sniffRollout } from './data-folder.ts';
import { codex } from './index.ts';

describeDamagedLines({
  adapter: codex,
  recording: '0.166.0-nested',
  agents: 4,
  newer: {
    in: 'db5d',
    edit: (lines) => [
      ...lines.slice(0, 3),
      '{"timestamp":"2026-11-15T08:14:42.600Z","ordinal":3,"type":"dream_state","payload":{"type":"x","deep":{"er":[1]}}}',
      '{"timestamp":"2026-11-15T08:14:42.600Z","ordinal":3,"type":"event_msg","payload":{"type":"unheard_of"}}',
      '{"timestamp":"2026-11-15T08:14:42.600Z","ordinal":3,"type":"response_item","payload":{"type":"telepathy"}}',
      ...lines.slice(3),
    ],
    told: ['unknown-record × 2 dream_state'],
  },
  damaged: {
    in: 'dc31',
    edit: (lines) => [
      lines[0] ?? '',
      'not JSON',
      '"a text"',
      '\0\0\0\0',
      `{"timestamp":"2026-11-15T08:14:42.9${lines[1] ?? ''}`,
      ...lines.slice(2),
    ],
    told: ['glued-lines × 1 1 saved', 'invalid-json × 1 8 bytes', 'not-a-record × 1 8 bytes', 'nul-bytes × 1 4 bytes'],
  },
  wrongKinds: {
    in: ['ddec'],
    fields: { '"call_id":"': '7', '"content":[': 'null', '"last_token_usage":{': '[]' },
  },
  pointedAt: { parts: ['sessions', 'sessions/2026/11', 'sessions/2026/11/15'], sources: 4 },
});

describe('rollouts as they should not be', () => {
  const folder = createDamagedFolder('codex/fixtures/0.166.0-nested');
  const rollouts = () => folder.files('rollout-');

  it('a header that cannot be read: the name of the file says whose it is', async () => {
    folder.change('db5d', (lines) => [
      '{"timestamp":"2026-11-15T08:14:42.570Z","ordinal":0,"type":"sess',
      ...lines.slice(1),
    ]);
    const { tree } = await folder.sessions().open('01a1de45-db5d');
    expect(tree.agents).toHaveLength(4);
    expect(tree.agents.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
    expect(tree.diagnostics.map(({ code }) => code)).toEqual(['invalid-json']);
  });

  it('agents whose parents left no rollout stay in their session', async () => {
    for (const file of rollouts()) if (/db5d|dc31/.test(path.basename(file))) rmSync(file);
    const tree = await folder.tree();
    expect(tree.agents.map(({ kind, link }) => [kind, link.rank])).toEqual([
      ['main', 'none'],
      ['task', 'none'],
      ['task', 'none'],
    ]);
    expect(tree.diagnostics.map(({ code }) => code)).toContain('missing-parent');
  });

  it('an agent whose own rollout is gone ended as its parent heard of it', async () => {
    rmSync(path.join(folder.root, 'sessions'), { recursive: true });
    folder.add('codex/fixtures/0.118.0-failing');
    for (const file of rollouts().slice(1)) rmSync(file);
    const tree = await folder.tree();
    expect(
      tree.agents.map(({ kind, status, runs }) => [kind, status, runs.at(-1)?.signal, runs.at(-1)?.reason]),
    ).toEqual([
      ['main', 'completed', 'transcript', undefined],
      ['task', 'failed', 'notification', 'synthetic failure from the scripted model'],
      ['task', 'completed', 'notification', undefined],
    ]);
  });

  it('a person who types the words of a notice ends nobody', async () => {
    rmSync(path.join(folder.root, 'sessions'), { recursive: true });
    folder.add('codex/fixtures/0.166.0-hang-sigkill');
    const notice = JSON.stringify(
      '<subagent_notification>\n{"agent_path":"01a1de46-053f-70e1-b1b6-e477b6d28043","status":{"completed":"x"}}',
    );
    folder.change('0499', (lines) =>
      lines.map((line) => line.replaceAll('"Please do the job. [[play:hang]]"', notice)),
    );
    expect(readFileSync(rollouts()[0] ?? '', 'utf8')).toContain(notice);
    expect((await folder.tree()).agents.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  });

  it('beside another host in one folder: each session once, each by its own', async () => {
    folder.add('claude-code/fixtures/2.1.325-nested');
    const { trees } = await folder.sessions().list({ limit: 10 });
    expect(trees.map(({ id, agents }) => [id.split(':')[0], agents.length]).toSorted()).toEqual([
      ['claude-code', 4],
      ['codex', 4],
    ]);
  });

  it('threads that name each other as parents end nowhere, and both are shown', async () => {
    rmSync(path.join(folder.root, 'sessions'), { recursive: true });
    const day = path.join(folder.root, 'sessions', '2026', '02', '01');
    mkdirSync(day, { recursive: true });
    const ids = ['019c0000-0000-7000-8000-000000000001', '019c0000-0000-7000-8000-000000000002'];
    for (const [index, id] of ids.entries()) {
      const source = { subagent: { thread_spawn: { parent_thread_id: ids[1 - index], depth: 1 } } };
      const meta = { timestamp: '2026-02-01T00:00:00Z', type: 'session_meta', payload: { id, source } };
      const spoken = { role: 'user', type: 'user_message', message: 'hello' };
      const line = { timestamp: '2026-02-01T00:00:01Z', type: 'event_msg', payload: spoken };
      writeFileSync(
        path.join(day, `rollout-2026-02-01T00-00-00-${id}.jsonl`),
        `${JSON.stringify(meta)}\n${JSON.stringify(line)}\n`,
      );
    }
    const { trees } = await folder.sessions().list({ limit: 10 });
    expect(trees.flatMap(({ agents }) => agents).filter(({ messageCount }) => messageCount === 1)).toHaveLength(2);
  });

  it('a compressed rollout is told as a file that is not read', async () => {
    writeFileSync(`${rollouts()[0]}.zst`, 'x');
    expect((await codex.locate(folder.root)).ignoredFiles).toEqual([`${rollouts()[0]}.zst`]);
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
