import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
import { claudeCode } from './index.ts';

// Up to 2.1.29 the program writes what it calls a conversation into whatever session's file it has just begun.

const [ONE, OTHER] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

let root = '';
beforeEach(() => {
  root = makeTemporaryFolder('summaries');
});

function write(session: string, lines: readonly object[]): void {
  const project = path.join(root, 'projects/-home-dev');
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, `${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const said = (sessionId: string, type: 'user' | 'assistant', uuid: string, content: string, more: object = {}) => ({
  parentUuid: null,
  isSidechain: false,
  userType: 'external',
  sessionId,
  version: '1.0.60',
  type,
  message: { role: type, content: type === 'user' ? content : [{ type: 'text', text: content }], id: `msg-${uuid}` },
  uuid,
  timestamp: '2026-11-18T14:20:00.000Z',
  ...more,
});
const summary = (title: string, leafUuid: string) => ({ type: 'summary', summary: title, leafUuid });

async function titles() {
  const sessions = createSessions([{ adapter: claudeCode, root, forced: false }], {
    clock: () => Date.parse('2030-01-01'),
  });
  const { trees, emptySessions } = await sessions.list({ limit: 10 });
  return { titles: Object.fromEntries(trees.map(({ id, title }) => [Number(id.slice(-1)), title])), emptySessions };
}

describe('summary lines', () => {
  it('give the title to the session that has the line, not to the one whose file they are in', async () => {
    write(ONE, [said(ONE, 'user', 'u1', 'Fix it'), said(ONE, 'assistant', 'a1', 'Done.')]);
    write(OTHER, [summary('Checkout repaired', 'a1'), summary('Gone', 'x'), said(OTHER, 'user', 'u2', 'Count orders')]);
    expect(await titles()).toEqual({ titles: { 1: 'Checkout repaired', 2: 'Count orders' }, emptySessions: 0 });
  });

  it('give the title from a file that holds nothing else', async () => {
    write(ONE, [said(ONE, 'user', 'u1', 'Fix it'), said(ONE, 'assistant', 'a1', 'Done.')]);
    write(OTHER, [summary('Checkout repaired', 'a1')]);
    expect(await titles()).toEqual({ titles: { 1: 'Checkout repaired' }, emptySessions: 1 });
  });

  it('give the title to their own session, before and behind its lines; the one of the latest line counts', async () => {
    const later = { timestamp: '2026-11-18T15:00:00.000Z' };
    write(ONE, [
      summary('Later', 'a2'),
      said(ONE, 'user', 'u1', 'Fix it'),
      said(ONE, 'assistant', 'a1', 'Done.'),
      said(ONE, 'assistant', 'a2', 'Done again.', later),
      summary('Earlier', 'a1'),
    ]);
    expect((await titles()).titles).toEqual({ 1: 'Later' });
  });

  it('of a side branch say nothing about the session', async () => {
    const side = { isSidechain: true };
    write(ONE, [
      said(ONE, 'user', 'u1', 'Fix it'),
      said(ONE, 'user', 's1', 'Look for it', side),
      said(ONE, 'assistant', 's2', 'Found.', { ...side, parentUuid: 's1' }),
      summary('Search', 's2'),
    ]);
    expect((await titles()).titles).toEqual({ 1: 'Fix it' });
  });

  it('do not replace a title that the person gave', async () => {
    write(ONE, [
      said(ONE, 'user', 'u1', 'Fix it'),
      { type: 'custom-title', customTitle: 'My checkout', sessionId: ONE },
      summary('Checkout repaired', 'u1'),
    ]);
    expect((await titles()).titles).toEqual({ 1: 'My checkout' });
  });
});
