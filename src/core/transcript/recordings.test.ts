import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { codex } from '../../hosts/codex/index.ts';
import { copilot } from '../../hosts/copilot/index.ts';
import { gemini } from '../../hosts/gemini/index.ts';
import { qwen } from '../../hosts/qwen/index.ts';
import { createSessions, createTranscripts } from '../../sessions/index.ts';
import { nativeId, type TranscriptMessage } from '../index.ts';
import { parseMarkdown, RICH_TAGS, type RichNode } from './markdown.ts';
import { cleanMessage, partsOf } from './messages.ts';
import { countHits, createSearchPattern, hitsIn, slotsOf } from './search.ts';

const fixtures = fileURLToPath(new URL('../../hosts/', import.meta.url));
const clock = () => Date.parse('2030-01-01');

async function messagesOf(name: string, adapter = claudeCode): Promise<readonly TranscriptMessage[]> {
  const places = [{ adapter, root: path.join(fixtures, adapter.host, 'fixtures', name), forced: false }];
  const { tree } = await createSessions(places, { clock }).open();
  const transcripts = createTranscripts(places, clock);
  const read = tree.agents.map(({ id }) => transcripts.read(nativeId(id), nativeId(tree.id)));
  return (await Promise.all(read)).flatMap(({ transcript }) => transcript.messages.map(cleanMessage));
}

function* nodesIn(nodes: readonly RichNode[]): Generator<RichNode> {
  for (const node of nodes) {
    yield node;
    if (typeof node !== 'string') yield* nodesIn(node.children);
  }
}

describe('recorded transcripts', () => {
  for (const [name, adapter] of [
    ['2.1.325-xss', claudeCode],
    ['2.1.325-inter-compact', claudeCode],
    ['1.0.60-parallel', claudeCode],
    ['2.1.325-inter-team', claudeCode],
    ['2.1.325-failing', claudeCode],
    ['0.166.0-xss', codex],
    ['0.166.0-tools', codex],
    ['0.118.0-terminal', codex],
    ['0.61.0-xss', gemini],
    ['0.35.3-failing', gemini],
    ['0.24.4-xss', qwen],
    ['0.24.4-resume', qwen],
    ['1.0.102-xss', copilot],
    ['1.0.102-tools', copilot],
    ['1.0.102-terminal', copilot],
  ] as const) {
    it(`${name}: every text can be shown and found at its position`, async () => {
      const messages = await messagesOf(name, adapter);
      expect(messages.length).toBeGreaterThan(2);
      for (const message of messages) {
        for (const part of partsOf(message)) {
          for (const { text } of slotsOf(part)) {
            expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
            for (const node of nodesIn(parseMarkdown(text))) {
              if (typeof node === 'string') continue;
              expect(RICH_TAGS).toContain(node.tag);
              if (node.tag === 'link') expect(node.target).toMatch(/^https?:\/\//);
            }
          }
        }
      }
    });
  }

  it('are searched for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (query) => {
        const pattern = createSearchPattern(query);
        if (pattern) expect(`before ${query} behind`.match(pattern)?.length).toBeGreaterThan(0);
      }),
    );
  });

  it('are searched as they are shown', async () => {
    const messages = await messagesOf('2.1.325-xss');
    const pattern = createSearchPattern('ONERROR="') ?? /never/g;
    const hits = messages.flatMap((message) => hitsIn(message, pattern).map((hit) => ({ hit, message })));
    expect(hits.length).toBeGreaterThan(1);
    expect(messages.reduce((sum, message) => sum + countHits(message, pattern), 0)).toBe(hits.length);
    for (const { hit, message } of hits) {
      const slot = slotsOf(partsOf(message)[hit.part] ?? { kind: 'text', text: '' }).find(
        ({ name }) => name === hit.slot,
      );
      expect(slot?.text.slice(hit.offset, hit.offset + 9)).toBe('onerror="');
    }
    expect(createSearchPattern('  ')).toBeUndefined();
    expect('a.b'.match(createSearchPattern('a.b') ?? /never/)).not.toBeNull();
    expect('axb'.match(createSearchPattern('a.b') ?? /never/)).toBeNull();
  });
});
