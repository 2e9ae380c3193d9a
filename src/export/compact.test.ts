import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  flattenTranscripts,
  nestTranscripts,
  type Transcript,
  type TranscriptBlock,
  type TranscriptMessage,
} from '../core/index.ts';
import { COMPACT_LIMITS, compact, shorten } from './compact.ts';

const empty: Transcript = {
  session_id: 's',
  parent_session_id: null,
  agent: 'claude',
  model: null,
  title: null,
  created_at: null,
  updated_at: null,
  author: null,
  usage: null,
  diff_stats: { added: 3, removed: 1, files: [{ path: 'a', added: 3, removed: 1 }] },
  known_from: 'transcript',
  left_out: {},
  messages: [],
  sub_agents: [],
};
const say = (...content: readonly TranscriptBlock[]): TranscriptMessage => ({
  id: 'm',
  role: 'assistant',
  timestamp: null,
  model: null,
  content,
});
const transcript = (...content: readonly TranscriptBlock[]): Transcript => ({ ...empty, messages: [say(...content)] });
const first = (t: Transcript): TranscriptBlock | undefined => t.messages[0]?.content[0];
const result = (id: string, text: string): TranscriptBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  text,
  is_error: false,
});

describe('shortening', () => {
  it('thinking, results, summaries and what the host says, with the size that they had', () => {
    const long = 'x'.repeat(50_000);
    const blocks: readonly TranscriptBlock[] = [
      { type: 'thinking', text: long },
      result('t', long),
      { type: 'summary', text: long },
      { type: 'notice', kind: 'reminder', title: null, text: long, agent_id: null },
      { type: 'notice', kind: 'command-output', title: null, text: long, agent_id: null },
    ];
    for (const block of blocks) {
      const { text = '' } = first(compact(transcript(block))) as { text?: string };
      expect(text).toContain('shortened from 50000 characters');
      expect(text.length).toBeLessThanOrEqual(COMPACT_LIMITS.result);
    }
  });

  it('a file that is written, but not what a sub-agent is asked', () => {
    const input = { file_path: '/a', content: 'y'.repeat(9000), more: ['z'.repeat(9000)] };
    const call = { type: 'tool_use', tool_use_id: 't', name: 'Write', input, summary: null } as const;
    const short = JSON.stringify(first(compact(transcript(call))));
    expect(short.length).toBeLessThan(5000);
    expect(short.match(/shortened from 9000/g)).toHaveLength(2);
    const ref = { agent_id: 'a', agent_name: null, agent_type: null, team_name: null };
    expect(first(compact(transcript({ ...call, sub_agent_ref: ref })))).toEqual({ ...call, sub_agent_ref: ref });
  });

  it('a file that was read before and has not changed', () => {
    const read = 'line\n'.repeat(100);
    const [one, two, other] = compact(transcript(result('a', read), result('b', read), result('c', `${read}!`)))
      .messages.flatMap(({ content }) => content)
      .map((block) => (block.type === 'tool_result' ? block.text : ''));
    expect(one).toBe(read);
    expect(two).toBe('[The same 500 characters as the result of a.]');
    expect(other).toBe(`${read}!`);
  });

  it('images to their sizes', () => {
    const image = { type: 'image', media_type: 'image/png', data: 'AAAA', bytes: 3 } as const;
    expect(first(compact(transcript(image)))).toEqual({ ...image, data: null });
    const shot: TranscriptBlock = { type: 'tool_result', tool_use_id: 't', text: '', is_error: false, media: [image] };
    expect(first(compact(transcript(shot)))).toMatchObject({ media: [{ data: null, bytes: 3 }] });
  });

  it('keeps messages whole and never cuts inside a character', () => {
    const words = '😀'.repeat(5000);
    expect(first(compact(transcript({ type: 'text', text: words })))).toEqual({ type: 'text', text: words });
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 400 }), fc.string({ unit: 'binary', minLength: 500 }), (limit, text) => {
        expect(shorten(`${'a'.repeat(limit % 7)}${text}`, limit)).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'same '.repeat(60), 'same '.repeat(700)),
  fc.tuple(fc.string({ maxLength: 4 }), fc.integer({ min: 0, max: 6000 })).map(([text, times]) => text.repeat(times)),
);
const anyRef = fc.record({
  agent_id: fc.string(),
  agent_name: fc.option(fc.string()),
  agent_type: fc.option(fc.string()),
  team_name: fc.option(fc.string()),
});
const anyBlock: fc.Arbitrary<TranscriptBlock> = fc.oneof(
  fc.record({ type: fc.constantFrom('text' as const, 'thinking' as const, 'summary' as const), text: anyText }),
  fc.record(
    {
      type: fc.constant('tool_use' as const),
      tool_use_id: fc.string(),
      name: fc.string(),
      input: fc.oneof(anyText, fc.jsonValue(), fc.record({ content: anyText })),
      summary: fc.option(fc.string()),
      sub_agent_ref: anyRef,
    },
    { requiredKeys: ['type', 'tool_use_id', 'name', 'input', 'summary'] },
  ),
  fc.record({
    type: fc.constant('tool_result' as const),
    tool_use_id: fc.oneof(fc.string(), anyText),
    text: anyText,
    is_error: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('notice' as const),
    kind: fc.constantFrom('background' as const, 'reminder' as const, 'note' as const),
    title: fc.option(fc.string()),
    text: anyText,
    agent_id: fc.option(fc.string()),
  }),
);
const anyTranscript = fc
  .array(
    fc.record({
      depth: fc.nat({ max: 4 }),
      session_id: fc.string(),
      messages: fc.array(
        fc.array(anyBlock, { maxLength: 5 }).map((content) => say(...content)),
        { maxLength: 4 },
      ),
    }),
    { maxLength: 8 },
  )
  .map((agents) => agents.map(({ depth, ...one }) => ({ depth: depth + 1, transcript: { ...empty, ...one } })))
  .map((agents) => nestTranscripts([{ depth: 0, transcript: empty }, ...agents]) ?? empty);

/** Of all texts in it. */
const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, one) => sum + lengthOf(one), 0)
    : 0;
};

describe('any transcript', () => {
  const compactTree = (t: Transcript): Transcript => ({ ...compact(t), sub_agents: t.sub_agents.map(compactTree) });
  const refsIn = (t: Transcript): unknown =>
    flattenTranscripts(t).map(({ depth, transcript: { session_id, messages } }) => [
      depth,
      session_id,
      messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_use' ? [block.tool_use_id, block.sub_agent_ref] : [])),
      ),
    ]);

  it('is compacted once and for all, never grows, and keeps its tree and every link', () => {
    fc.assert(
      fc.property(anyTranscript, (before) => {
        const frozen = JSON.stringify(before);
        const after = compactTree(before);
        expect(JSON.stringify(before)).toBe(frozen);
        expect(lengthOf(after)).toBeLessThanOrEqual(lengthOf(before));
        expect(compactTree(after)).toEqual(after);
        expect(refsIn(after)).toEqual(refsIn(before));
        expect(after.diff_stats).toEqual(before.diff_stats);
      }),
      { numRuns: 200 },
    );
  });
});
