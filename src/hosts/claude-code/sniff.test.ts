import { describe, expect, it } from 'vitest';
import { sniffTranscript } from './record.ts';

const sniff = (...records: readonly unknown[]): boolean =>
  sniffTranscript(new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join('')));

const entry = {
  parentUuid: null,
  isSidechain: false,
  userType: 'external',
  sessionId: 's',
  version: '2.1.325',
  type: 'user',
};

describe('sniffTranscript', () => {
  it('knows a conversation line, whatever comes before it', () => {
    expect(sniff({ ...entry, message: { role: 'user', content: 'hi' } })).toBe(true);
    expect(
      sniff({ type: 'mode', mode: 'normal', sessionId: 's' }, { ...entry, message: { role: 'user', content: 'hi' } }),
    ).toBe(true);
    expect(sniff({ type: 'queue-operation', operation: 'enqueue', sessionId: 's' })).toBe(true);
  });

  it('knows a first line that is longer than what was read', () => {
    const line = JSON.stringify({ parentUuid: null, isSidechain: true, message: { content: 'x'.repeat(100_000) } });
    expect(sniffTranscript(new TextEncoder().encode(line.slice(0, 65_536)))).toBe(true);
  });

  it("leaves other hosts' files alone", () => {
    // Qwen Code 0.24.4: nearly the same envelope.
    const qwen = {
      uuid: 'u',
      parentUuid: null,
      sessionId: 's',
      type: 'user',
      version: '0.24.4',
      isSidechain: true,
      message: { role: 'user', parts: [] },
    };
    expect(sniff(qwen)).toBe(false);
    // Codex 0.166.0, Copilot 1.0.102, Gemini 0.61.0.
    expect(sniff({ timestamp: 't', type: 'session_meta', payload: { id: 'x' } })).toBe(false);
    expect(sniff({ type: 'session.start', data: {}, id: 'x', timestamp: 't' })).toBe(false);
    expect(sniff({ sessionId: 's', projectHash: 'x', startTime: 't', kind: 'main' })).toBe(false);
    // A workflow's journal, and nothing at all.
    expect(sniff({ type: 'started', key: 'v2:x', agentId: 'a' })).toBe(false);
    expect(sniffTranscript(new TextEncoder().encode('not json\nat all\n'))).toBe(false);
  });
});
