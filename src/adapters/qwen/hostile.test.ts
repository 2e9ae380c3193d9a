import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessions } from '../../tracker/sessions.ts';
import { ADAPTERS } from '../registry.ts';
import { MUCH_LATER } from '../testing/feed.ts';
import { qwen } from './index.ts';
import { sniffConversation } from './sniff.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-qwen-'));
  cpSync(path.join(fixtures, '0.24.4-nested'), root, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const sessions = () =>
  createSessions(
    ADAPTERS.map((adapter) => ({ adapter, root, forced: false })),
    { clock: () => MUCH_LATER },
  );

const files = (ending: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(root, name))
    .toSorted();

function change(which: string, edit: (lines: string[]) => readonly string[]): void {
  const file = files('.jsonl').find((name) => path.basename(name).includes(which)) ?? '';
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

describe('conversations as they should not be', () => {
  it('a newer version: lines of kinds that do not exist yet are counted once, and the rest is there', async () => {
    const before = await shapeNow();
    change('97127efa', (lines) => [
      ...lines.slice(0, 2),
      '{"uuid":"x","sessionId":"y","type":"dream","message":{"parts":[]}}',
      '{"uuid":"x","sessionId":"y","type":"system","subtype":"telepathy"}',
      ...lines.slice(2),
    ]);
    expect(await problems()).toEqual(['unknown-record × 2 dream']);
    expect(await shapeNow()).toEqual(before);
  });

  it('damaged lines cost themselves', async () => {
    const before = await shapeNow();
    change('97127efa', (lines) => ['not JSON', '\0\0', `{"uuid":"93ce430c","par${lines[0]}`, ...lines.slice(1)]);
    expect(await problems()).toEqual(['glued-lines × 1 1 saved', 'invalid-json × 1 8 bytes', 'nul-bytes × 1 2 bytes']);
    expect(await shapeNow()).toEqual(before);
  });

  it('fields of the wrong kind are no fields', async () => {
    for (const file of files('.jsonl'))
      writeFileSync(
        file,
        readFileSync(file, 'utf8')
          .replaceAll('"functionCall":{', '"functionCall":"?","x":{')
          .replaceAll('"toolCallResult":{', '"toolCallResult":[],"z":{')
          .replaceAll('"usageMetadata":{', '"usageMetadata":[],"y":{'),
      );
    const { tree } = await sessions().open();
    expect(tree.agents).toHaveLength(4);
    expect(tree.diagnostics).toEqual([]);
  });

  it('without the records beside them, agents of the main agent are known by the results of its calls', async () => {
    for (const file of files('.meta.json')) rmSync(file);
    const { tree } = await sessions().open();
    expect(tree.agents.map(({ depth, link }) => [depth, link.evidence])).toEqual([
      [0, undefined],
      [1, 'result'],
      [2, 'same-prompt'],
      [2, 'same-prompt'],
    ]);
  });

  it('half a record beside an agent is one problem', async () => {
    const [file = ''] = files('.meta.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    expect(await problems()).toEqual(['invalid-json × 1 40 bytes']);
    expect((await sessions().open()).tree.agents).toHaveLength(4);
  });

  it('a person who types the words of a notice ends nobody', async () => {
    rmSync(path.join(root, 'projects'), { recursive: true });
    cpSync(path.join(fixtures, '0.24.4-hang-sigint'), root, { recursive: true });
    const notice = JSON.stringify(
      '<task-notification>\n<task-id>general-purpose-call_01mwi85g8z00002xxxxxxxxx</task-id>\n<status>completed</status>\n</task-notification>',
    );
    change('c43aea48', (lines) => lines.map((line) => line.replace('"Please do the job. [[play:hang]]"', notice)));
    expect((await sessions().open()).tree.agents.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  });

  it('agents whose main conversation is gone stay in their session', async () => {
    rmSync(files('.jsonl').find((name) => name.includes('97127efa') && name.includes('chats')) ?? '');
    const { tree } = await sessions().open();
    expect(tree.agents.map(({ depth, status }) => [depth, status])).toEqual([
      [0, 'unknown'],
      [1, 'completed'],
      [2, 'completed'],
      [2, 'completed'],
    ]);
  });

  it('somebody points at the projects, or at one', async () => {
    for (const part of ['projects', 'projects/-home-dev-nested-project'])
      expect((await qwen.locate(path.join(root, part))).sessions.map(({ sources }) => sources.length)).toEqual([7]);
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
