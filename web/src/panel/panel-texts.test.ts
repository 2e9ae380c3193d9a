import { describe, expect, it } from 'vitest';
import {
  type AgentStatus,
  costText,
  explainChange,
  missingPrices,
  originTexts,
  type StatusSignal,
  type TimelineAgent,
  type TimelineCall,
  type TranscriptMessage,
  tokensText,
  type UsageReport,
} from '../../../src/core/index.ts';
import { makeAgent, makeSession, NO_USAGE } from '../testing/make.ts';
import { promptIn } from './asked.tsx';
import { diagnosticsOf } from './detail-panel.tsx';
import { descendantsOf, filesChanged, shortPath } from './files-section.tsx';
import { currentCallSince } from './now-section.tsx';

describe('causes', () => {
  const say = (status: AgentStatus, signal: StatusSignal, reason: string | null = null): string => {
    const { what, how, why } = explainChange({ status, signal, reason });
    return [what, how, why].filter((part) => part !== undefined).join(' | ');
  };

  it('are told in the words of a person', () => {
    expect(say('spawning', 'call')).toBe('asked for | the call that made it');
    expect(say('running', 'transcript')).toBe('at work | its first line');
    expect(say('waiting', 'process', 'permission prompt')).toBe('waits | its process says so | permission prompt');
    expect(say('completed', 'result')).toBe('done | the result of its call came back');
    expect(say('failed', 'transcript', 'API\n529')).toBe('failed | its own transcript says so | API 529');
    expect(say('unknown', 'process', 'no end was seen')).toBe(
      'end not known | nothing says how it ended | no end was seen',
    );
    expect(say('stopped', 'stop-call')).toBe('stopped | a call stopped it');
  });

  it('never in those of the format', () => {
    const statuses = ['spawning', 'running', 'waiting', 'completed', 'failed', 'stopped', 'unknown'] as const;
    const signals = [
      'call',
      'process',
      'result',
      'notification',
      'stop-call',
      'transcript',
      'sidecar',
      'journal',
      'inbox',
      'hook',
    ] as const;
    for (const status of statuses)
      for (const signal of signals) expect(say(status, signal)).toMatch(/^[a-z ]+ \| [a-z ’]+$/);
  });
});

describe('tokens', () => {
  const usage = (output: number): UsageReport => ({ ...NO_USAGE, output });

  it('are a lower bound only if there are any', () => {
    expect(tokensText(1500, true)).toBe('≥1.5k');
    expect(tokensText(1500, false)).toBe('1.5k');
    expect(tokensText(0, true)).toBe('0');
  });

  it('say how many were copied, and how many are of no agent', () => {
    const fork = makeSession({
      id: '01a1e070-6f9e',
      forkedFrom: '01a1e070-6a11',
      inheritedUsage: usage(607),
      unattributedUsage: usage(28),
    });
    expect(originTexts(fork)).toEqual([
      '28 of the tokens went to titles, summaries and other requests of the host',
      'forked from 01a1e070-6a',
      '607 of the tokens were copied, and are not in the cost',
    ]);
  });

  it('say nothing of copies if a fork has none', () => {
    const fork = makeSession({ forkedFrom: '465047c4-bd', inheritedUsage: usage(0) });
    expect(originTexts(fork)).toEqual(['forked from 465047c4']);
    expect(originTexts(makeSession({ continuedFrom: '641c2dbd-25' }))).toEqual([
      'continued from 641c2dbd after /clear',
    ]);
    expect(originTexts(makeSession())).toEqual([]);
  });
});

describe('cost', () => {
  const cost = (usd: number, isLowerBound = false, unpricedModels: readonly string[] = []) => ({
    usd,
    isLowerBound,
    unpricedModels,
  });

  it('is a sum, a lower bound, or not known', () => {
    expect(costText(cost(0.391))).toBe('$0.39');
    expect(costText(cost(12.3, true))).toBe('≥$12.30');
    expect(costText(cost(1234.5))).toBe('$1235');
    expect(costText(cost(0.0042, true))).toBe('≥$0.0042');
    expect(costText(cost(0.00001))).toBe('under $0.0001');
    expect(costText(cost(0.00001, true))).toBe('not known');
    expect(costText(cost(0))).toBe('$0');
    expect(costText(null)).toBe('not known');
  });

  it('says for what there is no price', () => {
    expect(costText(cost(0, true, ['gpt-x', 'b']))).toBe('no price for gpt-x, b');
    expect(missingPrices(cost(0, true, ['gpt-x']))).toBeUndefined();
    expect(missingPrices(cost(1, true, ['gpt\u001b[31m-x']))).toBe('no price for gpt-x');
    expect(missingPrices(cost(1, true))).toBeUndefined();
  });
});

const call = (over: Partial<TimelineCall>): TimelineCall => ({
  id: 'c',
  tool: 'Edit',
  summary: null,
  writes: null,
  startedAt: '2026-11-15T12:00:00Z',
  endedAt: '2026-11-15T12:00:05Z',
  outcome: 'ok',
  asksForAgent: false,
  spawned: null,
  ...over,
});
const over = (...calls: readonly TimelineCall[]): TimelineAgent => ({ id: 'a1', calls, replies: [], compactions: [] });
const LATER = Date.parse('2026-11-15T13:00:00Z');

describe('files changed', () => {
  it('are counted by file; what failed, was refused or is still to come is not', () => {
    const agent = over(
      call({ writes: '/p/b.ts' }),
      call({ writes: '/p/a.ts' }),
      call({ writes: '/p/b.ts' }),
      call({ writes: '/p/c.ts', outcome: 'error' }),
      call({ writes: '/p/d.ts', outcome: null, endedAt: null }),
      call({}),
    );
    expect(filesChanged([agent], LATER)).toEqual([
      { path: '/p/b.ts', times: 2 },
      { path: '/p/a.ts', times: 1 },
    ]);
    expect(filesChanged([agent], Date.parse('2026-11-15T12:00:01Z'))).toEqual([]);
  });

  it('stand without the folder of the session', () => {
    expect(shortPath('/p/src/a.ts', '/p')).toBe('src/a.ts');
    expect(shortPath('/p/src/a.ts', '/p/')).toBe('src/a.ts');
    expect(shortPath('/pq/a.ts', '/p')).toBe('/pq/a.ts');
    expect(shortPath('C:\\p\\a.ts', 'C:\\p')).toBe('a.ts');
    expect(shortPath('/p/a.ts', null)).toBe('/p/a.ts');
  });
});

describe('the call it is in the middle of', () => {
  const timeline = (...calls: readonly TimelineCall[]) => ({
    sessionId: 's1',
    host: 'h',
    startedAt: null,
    endedAt: null,
    agents: [over(...calls)],
  });

  it('began when the timeline says so', () => {
    const agent = makeAgent({ currentTool: 'Bash', currentToolSummary: 'npm test' });
    const open = call({ tool: 'Bash', summary: 'npm test', endedAt: null, outcome: null });
    expect(currentCallSince(agent, timeline(call({}), open), LATER)).toBe(Date.parse('2026-11-15T12:00:00Z'));
    expect(currentCallSince(agent, timeline(call({ tool: 'Bash', summary: 'npm test' })), LATER)).toBeUndefined();
    expect(currentCallSince(makeAgent(), timeline(open), LATER)).toBeUndefined();
    expect(currentCallSince(agent, undefined, LATER)).toBeUndefined();
  });
});

describe('what it was asked', () => {
  const message = (role: TranscriptMessage['role'], text: string): TranscriptMessage => ({
    id: 'm',
    role,
    timestamp: null,
    model: null,
    content: [{ type: 'text', text }],
  });

  it('is the first thing that a person or an agent wrote, line by line and clean', () => {
    const text = 'Do this:\r\n\n  1. \u001b[31mfirst\u202e\n  2. second\n';
    expect(promptIn([message('system', 'notice'), message('user', ' '), message('user', text)])).toEqual({
      text: 'Do this:\n\n  1. first\n  2. second',
      isCut: false,
    });
    expect(promptIn([message('assistant', 'hello')])).toBeUndefined();
    expect(promptIn([message('user', 'x'.repeat(9_000))])).toMatchObject({ isCut: true });
  });
});

describe('what belongs to an agent', () => {
  it('all agents below it', () => {
    const session = makeSession({}, [
      { id: 'a' },
      { id: 'b', parentId: 'a' },
      { id: 'c', parentId: 'b' },
      { id: 'd' },
      { id: 'e', parentId: null },
    ]);
    expect([...descendantsOf(session, 'a')]).toEqual(['b', 'c']);
    expect([...descendantsOf(session, 's1')]).toEqual(['a', 'b', 'c', 'd']);
  });

  it('the diagnostics of its files, and those that name it', () => {
    const example = (source: string | null, detail: string) => ({ source, detail, offset: 0, length: 1 });
    const items = [
      {
        code: 'invalid-json',
        severity: 'data-loss',
        text: 't',
        count: 9,
        examples: [example('/a.jsonl', 'x'), example('/b.jsonl', 'y')],
      },
      { code: 'missing-transcript', severity: 'data-loss', text: 't', count: 1, examples: [example(null, 'a1: gone')] },
    ] as const;
    const session = makeSession({ diagnostics: { total: 10, ignoredFiles: 0, items } });
    expect(diagnosticsOf(session, session.main)).toBe(items);
    const own = diagnosticsOf(session, makeAgent({ id: 'a1', transcripts: ['/b.jsonl'] }));
    expect(own.map(({ code, count, examples }) => [code, count, examples[0]?.detail])).toEqual([
      ['invalid-json', 1, 'y'],
      ['missing-transcript', 1, 'a1: gone'],
    ]);
  });
});
