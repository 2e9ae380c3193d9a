import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDamagedFolder } from '../testing/damaged-folder.ts';
import { describeDamagedLines } from '../testing/damaged-lines.ts';
import { qwen } from './index.ts';
import { sniffConversation } from './parse-lines.ts';

describeDamagedLines({
  adapter: qwen,
  recording: '0.24.4-nested',
  agents: 4,
  newer: {
    in: '97127efa',
    edit: (lines) => [
      ...lines.slice(0, 2),
      '{"uuid":"x","sessionId":"y","type":"dream","message":{"parts":[]}}',
      '{"uuid":"x","sessionId":"y","type":"system","subtype":"telepathy"}',
      ...lines.slice(2),
    ],
    told: ['unknown-record × 2 dream'],
  },
  damaged: {
    in: '97127efa',
    edit: (lines) => ['not JSON', '\0\0', `{"uuid":"93ce430c","par${lines[0]}`, ...lines.slice(1)],
    told: ['glued-lines × 1 1 saved', 'invalid-json × 1 8 bytes', 'nul-bytes × 1 2 bytes'],
  },
  wrongKinds: {
    in: ['.jsonl'],
    fields: { '"functionCall":{': '"?"', '"toolCallResult":{': '[]', '"usageMetadata":{': '[]' },
  },
  pointedAt: { parts: ['projects', 'projects/-home-dev-nested-project'], sources: 7 },
});

describe('conversations as they should not be', () => {
  const folder = createDamagedFolder('qwen/fixtures/0.24.4-nested');

  it('without the records beside them, agents of the main agent are known by the results of its calls', async () => {
    for (const file of folder.files('.meta.json')) rmSync(file);
    const { agents } = await folder.tree();
    expect(agents.map(({ depth, link }) => [depth, link.evidence])).toEqual([
      [0, undefined],
      [1, 'result'],
      [2, 'same-prompt'],
      [2, 'same-prompt'],
    ]);
  });

  it('half a record beside an agent is one problem', async () => {
    const [file = ''] = folder.files('.meta.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    expect(await folder.problems()).toEqual(['invalid-json × 1 40 bytes']);
    expect((await folder.tree()).agents).toHaveLength(4);
  });

  it('a person who types the words of a notice ends nobody', async () => {
    rmSync(path.join(folder.root, 'projects'), { recursive: true });
    folder.add('qwen/fixtures/0.24.4-hang-sigint');
    const notice = JSON.stringify(
      '<task-notification>\n<task-id>general-purpose-call_01mwi85g8z00002xxxxxxxxx</task-id>\n<status>completed</status>\n</task-notification>',
    );
    folder.change('c43aea48', (lines) =>
      lines.map((line) => line.replace('"Please do the job. [[play:hang]]"', notice)),
    );
    expect((await folder.tree()).agents.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  });

  it('agents whose main conversation is gone stay in their session', async () => {
    for (const file of folder.files('97127efa')) if (file.includes('chats')) rmSync(file);
    const { agents } = await folder.tree();
    expect(agents.map(({ depth, status }) => [depth, status])).toEqual([
      [0, 'unknown'],
      [1, 'completed'],
      [2, 'completed'],
      [2, 'completed'],
    ]);
  });
});

describe('whose a file is', () => {
  const sniff = (value: unknown): boolean => sniffConversation(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
  const line = { uuid: 'x', parentUuid: null, sessionId: 'y', type: 'user' };

  it('the parts inside tell it from others with the same envelope', () => {
    expect(sniff({ ...line, message: { role: 'user', parts: [{ text: 'hi' }] } })).toBe(true);
    expect(sniff({ ...line, message: { role: 'user', content: 'hi' } })).toBe(false);
    expect(sniff({ ...line, type: 'system', subtype: 'x', content: 'y' })).toBe(false);
    expect(sniff({ ...line, type: 'system', subtype: 'ui_telemetry', systemPayload: {} })).toBe(true);
  });
});
