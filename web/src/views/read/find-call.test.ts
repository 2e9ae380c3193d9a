import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../../../src/core/index.ts';
import type { MessageRange } from '../../backend.ts';
import { findCall } from './reader-head.tsx';

const begun = Date.parse('2026-11-15T06:00:00Z');
const all = Array.from({ length: 5000 }, (_, index): TranscriptMessage => {
  const use = { type: 'tool_use', tool_use_id: `t${index}`, name: 'Task', input: {}, summary: null } as const;
  const timestamp = new Date(begun + index * 1000).toISOString();
  return { id: String(index), role: 'assistant', timestamp, model: null, content: [use] };
});

function serve() {
  const asked: MessageRange[] = [];
  const transcript = async (_agent: string, _session: string, range: MessageRange) => {
    asked.push(range);
    return {
      title: null,
      messages: all.slice(range.from, range.from + range.limit),
      from: range.from,
      total: all.length,
    };
  };
  return { backend: { transcript }, asked };
}

const ref = { session: 's', agent: 's' };

describe('the message that made a sub-agent', () => {
  it('is found by its time in a few short answers', async () => {
    for (const index of [0, 1, 20, 2499, 4321, 4999]) {
      const { backend, asked } = serve();
      // The agent begins a moment after it was asked for.
      const at = new Date(begun + index * 1000 + 300).toISOString();
      expect(await findCall(backend, ref, `t${index}`, at)).toBe(index);
      expect(asked.length).toBeLessThan(16);
      expect(asked.every(({ limit }) => limit <= 20)).toBe(true);
    }
  });

  it('is found without a time, or by a wrong one', async () => {
    const { backend } = serve();
    expect(await findCall(backend, ref, 't3210', null)).toBe(3210);
    expect(await findCall(backend, ref, 't3210', '2020-01-01T00:00:00Z')).toBe(3210);
  });

  it('may not be there', async () => {
    const { backend } = serve();
    expect(await findCall(backend, ref, 'elsewhere', '2026-11-15T06:10:00Z')).toBeUndefined();
    expect(await findCall(backend, ref, null, null)).toBeUndefined();
    expect(await findCall({ transcript: async () => undefined }, ref, 't1', null)).toBeUndefined();
  });
});
