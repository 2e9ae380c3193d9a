import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDamagedFolder } from '../testing/damaged-folder.ts';
import { describeDamagedLines } from '../testing/damaged-lines.ts';
import { copilot } from './index.ts';
import { sniffEvents } from './record.ts';

const event = (type: string, data: string): string =>
  `{"type":"${type}","data":${data},"id":"e","timestamp":"2026-11-15T08:11:04.000Z","parentId":null}`;

describeDamagedLines({
  adapter: copilot,
  recording: '1.0.102-nested',
  agents: 4,
  newer: {
    in: 'events',
    edit: (lines) => [
      ...lines.slice(0, 9),
      event('dream.started', '{"deep":{"er":[1]}}'),
      event('session.telepathy', '{}'),
      ...lines.slice(9),
    ],
    told: ['unknown-record × 2 dream.started'],
  },
  damaged: {
    in: 'events',
    edit: (lines) => [
      lines[0] ?? '',
      'not JSON',
      '"a text"',
      '\0\0\0\0',
      `{"type":"assistant.mess${lines[1] ?? ''}`,
      '{"type":"hook.start","data":{',
      ...lines.slice(2),
    ],
    told: ['glued-lines × 1 1 saved', 'invalid-json × 2 8 bytes', 'not-a-record × 1 8 bytes', 'nul-bytes × 1 4 bytes'],
  },
  wrongKinds: {
    in: ['events'],
    fields: {
      '"toolCallId":"': '7',
      '"content":"': 'null',
      '"usage":{': '[]',
      '"agentMetrics":{': '"none"',
      '"toolRequests":[': '{}',
    },
  },
  pointedAt: { parts: ['session-state', 'session-state/391c72ed-a40a-4e6e-bee0-242dc3bfb936'], sources: 2 },
});

describe('sessions as they should not be', () => {
  const folder = createDamagedFolder('copilot/fixtures/1.0.102-nested');
  const session = (): string => {
    const states = path.join(folder.root, 'session-state');
    return path.join(states, readdirSync(states)[0] ?? '');
  };

  it('an agent whose call was lost is still the child of whom its own lines name', async () => {
    folder.change('events', (lines) =>
      lines.filter((line) => !/"type":"(?:assistant.message|tool.execution_start)"/.test(line)),
    );
    const { agents } = await folder.tree();
    expect(agents.map(({ depth, link }) => [depth, link.evidence])).toEqual([
      [0, undefined],
      [1, 'own-record'],
      [2, 'own-record'],
      [2, 'own-record'],
    ]);
  });

  it('an empty file and a folder without one are no sessions; neither is a name that says otherwise', async () => {
    const states = path.join(folder.root, 'session-state');
    for (const name of ['empty', 'bare', 'foreign']) mkdirSync(path.join(states, name));
    writeFileSync(path.join(states, 'empty', 'events.jsonl'), '');
    writeFileSync(path.join(states, 'foreign', 'events.jsonl'), '{"type":"user","message":{"role":"user"}}\n');
    const { trees } = await folder.sessions().list({ limit: 9 });
    expect(trees).toHaveLength(1);
  });

  it('fields beside the session that are no fields', async () => {
    for (const text of [
      '',
      '\0\0',
      'name: |\n  two\n  lines\n',
      'name: "torn',
      "name: 'it''s mine'\nuser_named: true\n",
    ]) {
      writeFileSync(path.join(session(), 'workspace.yaml'), text);
      const { title, titleKind, diagnostics } = await folder.tree();
      expect(diagnostics).toEqual([]);
      expect([title, titleKind]).toEqual(
        text.includes("it''s") ? ["it's mine", 'custom'] : ['Please do the job. [[play:nested]]', 'prompt'],
      );
    }
  });

  it('somebody points at the sessions, at one of them, or at a copy elsewhere', async () => {
    const whole = await folder.tree();
    for (const at of [path.join(folder.root, 'session-state'), session()])
      expect((await folder.tree(at)).agents.map(({ id }) => id)).toEqual(whole.agents.map(({ id }) => id));
    const elsewhere = path.join(folder.root, 'kept', path.basename(session()));
    mkdirSync(path.dirname(elsewhere));
    renameSync(session(), elsewhere);
    expect((await folder.tree(path.dirname(elsewhere))).agents).toHaveLength(4);
  });

  it('is known by its content, however long its first line', () => {
    const line = event('session.start', `{"sessionId":"x","note":"${'x'.repeat(100_000)}"}`);
    expect(sniffEvents(Buffer.from(line).subarray(0, 8192))).toBe(true);
    expect(sniffEvents(Buffer.from(`${event('user.message', '{}')}\n`))).toBe(true);
    for (const other of [
      '{"type":"user","message":{}}\n',
      '{"type":"session_meta","payload":{}}\n',
      '{"type":"a.b"}\n',
    ])
      expect(sniffEvents(Buffer.from(other)), other).toBe(false);
  });
});
