import path from 'node:path';
import { expect, it } from 'vitest';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { bareMessage } from '../redact/walk-strings.ts';
import { createSessionTranscripts, openAhead } from './session-transcripts.ts';
import { createSessions } from './sessions.ts';

const root = path.join(import.meta.dirname, '../hosts/claude-code/fixtures/2.1.325-parallel');

it('says of a session that is still being opened what the opened one says', async () => {
  const places = [{ adapter: claudeCode, root, forced: false }];
  const sessions = createSessions(places, { clock: () => Date.parse('2030-01-01'), named: true });
  const found: Parameters<typeof openAhead>[1][] = [];
  const opened = await createSessionTranscripts(places, sessions).open(undefined, ({ files, share }) => {
    expect(files.length).toBeGreaterThan(2);
    const shared = share();
    // As another thread gets it.
    if (shared) found.push(structuredClone(shared));
  });
  const [shared] = found;
  if (!shared) throw new Error('nothing was shared');
  const { folder, conversations } = openAhead([claudeCode], shared);
  expect(await folder()).toBe(opened.tree.cwd);
  const ahead = new Map<string, unknown>();
  for (const { agent, read } of conversations) ahead.set(agent, await read());
  const known = new Map<string, unknown>();
  let at = 0;
  for await (const { node, transcript, edition } of opened.read()) {
    const { session_id, messages, left_out } = transcript;
    expect(await opened.editionOf(at++)).toBe(edition);
    known.set(node.id, { session_id, messages: messages.map(bareMessage), left_out, edition });
  }
  expect([...ahead.values()].every((one) => (one as { edition?: string }).edition !== undefined)).toBe(true);
  expect(ahead).toEqual(known);
});
