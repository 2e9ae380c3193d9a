import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DocumentHead, Transcript } from '../core/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { checkDocument, formatDocument } from './document-json.ts';

const folder = makeTemporaryFolder('document');

const refTo = (id: string) => ({ agent_id: id, agent_name: null, agent_type: null, team_name: null });

function transcript(id: string, parent: string | null, made: readonly string[] = []): Transcript {
  const [first] = made;
  const call = {
    type: 'tool_use' as const,
    tool_use_id: 'c1',
    name: 'Agent',
    input: { text: '],"messages":[' },
    summary: null,
    ...(first !== undefined && { sub_agent_ref: refTo(first), sub_agent_refs: made.map(refTo) }),
  };
  return {
    session_id: id,
    parent_session_id: parent,
    agent: 'claude-code',
    model: null,
    title: 'the title ends with "messages":[',
    created_at: null,
    updated_at: null,
    author: null,
    usage: null,
    diff_stats: null,
    known_from: 'transcript',
    left_out: {},
    messages: [
      { id: 'm1', role: 'assistant', timestamp: null, model: null, content: [call] },
      { id: 'm2', role: 'user', timestamp: null, model: null, content: [{ type: 'text', text: '"sub_agent_ref":{' }] },
    ],
    sub_agents: [],
  };
}

/** As it would lie in a folder, with only what references need of its head. */
async function problemsOf(
  transcripts: readonly (readonly [depth: number, transcript: Transcript])[],
  { agents = [], skipped = [] }: { readonly agents?: readonly string[]; readonly skipped?: readonly string[] } = {},
): Promise<readonly string[]> {
  const head = {
    format: 'troupe-transcript',
    version: 1,
    session: { session: { id: 's' }, agents: agents.map((id) => ({ id })), diagnostics: {} },
    skipped: skipped.map((agent_id) => ({ agent_id, kind: 'empty', reason: 'It said nothing.' })),
  } as unknown as DocumentHead;
  const flat = transcripts.map(([depth, one]) => ({ depth, transcript: one }));
  const file = path.join(folder, 'index.json');
  writeFileSync(file, await textOf(formatDocument(head, flat)));
  return checkDocument(file);
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('an exported document', () => {
  it('passes the check when every agent is included or listed as skipped', async () => {
    const all = [
      [0, transcript('s', null, ['a', 'b'])],
      [1, transcript('a', 's', ['c'])],
      [2, transcript('c', 'a')],
    ] as const;
    expect(await problemsOf(all, { agents: ['s', 'a', 'c', 'b'], skipped: ['b'] })).toEqual([]);
  });

  it('says which references lead nowhere', async () => {
    const all = [
      [0, transcript('s', null, ['a', 'b', 'gone'])],
      [1, transcript('a', 'nobody')],
    ] as const;
    expect(await problemsOf(all, { agents: ['s', 'a', 'lost'], skipped: ['b'] })).toEqual([
      'lists lost, whose transcript is not there',
      'has a below nobody, which is not there',
      'refers to gone, which is not there',
    ]);
    expect(await problemsOf([])).toEqual(['holds no transcript']);
  });
});
