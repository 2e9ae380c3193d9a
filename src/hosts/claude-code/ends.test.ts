import { describe, expect, it } from 'vitest';
import { buildTree, createLedger, mainAgentOf, reduce, selectMain, toSessionId, toSourceId } from '../../core/index.ts';
import { createTranscriptReader } from './read-transcript.ts';

// How the last lines of a main transcript are understood, long after its process is gone.

const SESSION = toSessionId('claude-code', 's');
const AT = Date.parse('2026-11-16T10:00:00Z');

interface LineLike {
  readonly type: 'user' | 'assistant' | 'system';
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

function mainAfter(version: string, lines: readonly LineLike[], now = AT + 30 * 86_400_000) {
  const source = toSourceId('s.jsonl');
  const reader = createTranscriptReader({ session: SESSION, source, agent: mainAgentOf(SESSION), file: '/p/s.jsonl' });
  const ledger = createLedger(SESSION);
  lines.forEach(({ content, ...line }, index) => {
    const record = {
      uuid: `u${index}`,
      parentUuid: index === 0 ? null : `u${index - 1}`,
      timestamp: new Date(AT + index * 1000).toISOString(),
      version,
      sessionId: 's',
      isSidechain: false,
      message: line.type === 'system' ? undefined : { id: `m${index}`, role: line.type, model: 'm', content },
      ...line,
    };
    const bytes = Buffer.from(JSON.stringify(record));
    const place = { offset: index * 10_000, length: bytes.length };
    for (const fact of reader.read({ bytes, ...place, torn: false, tooLong: false })) reduce(ledger, fact);
  });
  const main = selectMain(buildTree(ledger, { now }));
  return `${main?.status}: ${main?.runs.at(-1)?.reason ?? 'no reason'}`;
}

const asked = { type: 'user', content: 'Do it.' } as const;
const said = (text: string, stop: string | null): LineLike => ({
  type: 'assistant',
  message: { id: 'r', role: 'assistant', model: 'm', content: [{ type: 'text', text }], stop_reason: stop },
});
const thought: LineLike = {
  type: 'assistant',
  message: {
    id: 'r',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'thinking', thinking: '…', signature: '' }],
    stop_reason: null,
  },
};
const caveat = {
  type: 'user',
  content: '<local-command-caveat>Caveat: …</local-command-caveat>',
  isMeta: true,
} as const;

describe('a session of another day', () => {
  it('is not completed when its last line is a thought', () => {
    expect(mainAfter('2.1.87', [asked, thought])).toBe('unknown: ended, outcome not recorded');
    expect(mainAfter('2.1.20', [asked, thought])).toBe('unknown: ended, outcome not recorded');
    expect(mainAfter('2.1.20', [asked, thought, said('Done.', null)])).toBe('completed: no reason');
  });

  it('is completed when a local command follows the end of the turn, whatever the command left', () => {
    const timestamp = new Date(AT + 60_000).toISOString();
    const left = { type: 'user', content: 'Unknown skill: deploy', timestamp } as const;
    const lines = [asked, said('Done.', 'end_turn'), { ...caveat, timestamp }, left];
    expect(mainAfter('2.1.86', lines)).toBe('completed: no reason');
    expect(mainAfter('2.1.86', [...lines, { ...left, content: 'and more output' }])).toBe('completed: no reason');
  });

  it('is completed when it was compacted at last', () => {
    const typed = { type: 'user', content: '/compact' } as const;
    const summary = { type: 'user', content: 'This session is being continued …', isCompactSummary: true } as const;
    expect(mainAfter('2.1.287', [asked, said('Done.', 'end_turn'), typed, summary, caveat])).toBe(
      'completed: no reason',
    );
  });

  it('is not completed when the person asked for more behind a local command', () => {
    const lines = [asked, said('Done.', 'end_turn'), caveat, { type: 'user', content: 'Once more.' }] as const;
    expect(mainAfter('2.1.86', lines)).toBe('unknown: ended, outcome not recorded');
    expect(mainAfter('2.1.5', lines)).toBe('unknown: ended, outcome not recorded');
  });

  it('failed when its last request was to be repeated later', () => {
    const retry = { type: 'system', subtype: 'api_error', retryInMs: 5000, retryAttempt: 3, maxRetries: 10 } as const;
    expect(mainAfter('2.1.87', [asked, retry])).toBe(
      'failed: its last request failed, and it ended before it was repeated',
    );
    expect(mainAfter('2.1.87', [asked, retry, said('Done.', 'end_turn')])).toBe('completed: no reason');
  });
});

it('is silent, not over, when a version without records of processes stopped writing an hour ago', () => {
  expect(mainAfter('2.1.20', [asked], AT + 3_600_000)).toMatch(/^unknown: silent for over 5 minutes/);
});
