import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessions } from '../../tracker/sessions.ts';
import { ADAPTERS } from '../registry.ts';
import { MUCH_LATER } from '../testing/feed.ts';
import { sniffEvents } from './sniff.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-copilot-'));
  cpSync(path.join(fixtures, '1.0.102-nested'), root, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const sessionsAt = (at = root) =>
  createSessions(
    ADAPTERS.map((adapter) => ({ adapter, root: at, forced: false })),
    { clock: () => MUCH_LATER },
  );
const open = async (at = root) => (await sessionsAt(at).open()).tree;

const folder = (): string => path.join(root, 'session-state', readdirSync(path.join(root, 'session-state'))[0] ?? '');

function change(edit: (lines: string[]) => readonly string[]): void {
  const file = path.join(folder(), 'events.jsonl');
  writeFileSync(file, edit(readFileSync(file, 'utf8').split('\n')).join('\n'));
}

const problems = async () =>
  (await open()).diagnostics.map(({ code, count, examples }) => `${code} × ${count} ${examples[0]?.detail}`);

const event = (type: string, data: string): string =>
  `{"type":"${type}","data":${data},"id":"e","timestamp":"2026-11-15T08:11:04.000Z","parentId":null}`;

describe('sessions as they should not be', () => {
  it('a newer version: events of kinds that do not exist yet are counted once, and the rest is there', async () => {
    const before = await open();
    const news = [event('dream.started', '{"deep":{"er":[1]}}'), event('session.telepathy', '{}')];
    change((lines) => [...lines.slice(0, 9), ...news, ...lines.slice(9)]);
    expect(await problems()).toEqual(['unknown-record × 2 dream.started']);
    expect((await open()).agents.map(({ status, toolCallCount }) => [status, toolCallCount])).toEqual(
      before.agents.map(({ status, toolCallCount }) => [status, toolCallCount]),
    );
  });

  it('damaged lines cost themselves', async () => {
    change((lines) => [
      lines[0] ?? '',
      'not JSON',
      '"a text"',
      '\0\0\0\0',
      `{"type":"assistant.mess${lines[1] ?? ''}`,
      '{"type":"hook.start","data":{',
      ...lines.slice(2),
    ]);
    expect(await problems()).toEqual([
      'glued-lines × 1 1 saved',
      'invalid-json × 2 8 bytes',
      'not-a-record × 1 8 bytes',
      'nul-bytes × 1 4 bytes',
    ]);
    expect((await open()).agents.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
  });

  it('fields of the wrong kind are no fields', async () => {
    change((lines) =>
      lines.map((line) =>
        line
          .replaceAll('"toolCallId":"', '"toolCallId":7,"x":"')
          .replaceAll('"content":"', '"content":null,"y":"')
          .replaceAll('"usage":{', '"usage":[],"z":{')
          .replaceAll('"agentMetrics":{', '"agentMetrics":"none","q":{')
          .replaceAll('"toolRequests":[', '"toolRequests":{},"w":['),
      ),
    );
    const tree = await open();
    expect(tree.agents).toHaveLength(4);
    expect(tree.diagnostics).toEqual([]);
  });

  it('an agent whose call was lost is still the child of whom its own lines name', async () => {
    change((lines) => lines.filter((line) => !/"type":"(?:assistant.message|tool.execution_start)"/.test(line)));
    const { agents } = await open();
    expect(agents.map(({ depth, link }) => [depth, link.evidence])).toEqual([
      [0, undefined],
      [1, 'own-record'],
      [2, 'own-record'],
      [2, 'own-record'],
    ]);
  });

  it('an empty file and a folder without one are no sessions; neither is a name that says otherwise', async () => {
    const states = path.join(root, 'session-state');
    for (const name of ['empty', 'bare', 'foreign']) mkdirSync(path.join(states, name));
    writeFileSync(path.join(states, 'empty', 'events.jsonl'), '');
    writeFileSync(path.join(states, 'foreign', 'events.jsonl'), '{"type":"user","message":{"role":"user"}}\n');
    const { trees } = await sessionsAt().list({ limit: 9 });
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
      writeFileSync(path.join(folder(), 'workspace.yaml'), text);
      const { title, titleKind, diagnostics } = await open();
      expect(diagnostics).toEqual([]);
      expect([title, titleKind]).toEqual(
        text.includes("it''s") ? ["it's mine", 'custom'] : ['Please do the job. [[play:nested]]', 'prompt'],
      );
    }
  });

  it('somebody points at the sessions, at one of them, or at a copy elsewhere', async () => {
    const whole = await open();
    for (const at of [path.join(root, 'session-state'), folder()])
      expect((await open(at)).agents.map(({ id }) => id)).toEqual(whole.agents.map(({ id }) => id));
    const elsewhere = path.join(root, 'kept', path.basename(folder()));
    mkdirSync(path.dirname(elsewhere));
    renameSync(folder(), elsewhere);
    expect((await open(path.dirname(elsewhere))).agents).toHaveLength(4);
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
