import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../../src/core/index.ts';
import { makeAgent, makeSession } from '../../testing/make.ts';
import { chipText, chipWords } from './block.ts';
import { factsOf, NO_FOLDS, positionOf, sayingOf, shortModel } from './facts.ts';
import { createFitter } from './frame.ts';
import { columnsFor } from './geometry.ts';
import { createLayout } from './layout.ts';
import { laneWords } from './mirror-item.tsx';
import { rowsOf } from './rows.ts';
import { openRecording } from './testing/open-recording.mjs';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

describe('models', () => {
  it('are short on a badge', () => {
    const names = [
      'claude-opus-4-8',
      'claude-sonnet-4-5-20250929',
      'claude-3-5-sonnet-20241022',
      'claude-opus-4-20250514',
    ];
    expect(names.map(shortModel)).toEqual(['opus 4.8', 'sonnet 4.5', 'sonnet 3.5', 'opus 4']);
    expect([null, 'gpt-5.1-codex', 'evil\u001b[31m\u202e'].map(shortModel)).toEqual(['', 'gpt-5.1-codex', 'evil']);
  });
});

describe('a position', () => {
  it('is the share of the window, or on an open lane a place for the tokens', () => {
    expect(positionOf(50_000, 200_000)).toEqual({ kind: 'share', share: 0.25 });
    expect(positionOf(300_000, 200_000).share).toBe(1);
    expect(positionOf(null, 200_000)).toEqual({ kind: 'none', share: 0 });
    expect(positionOf(100_000, null)).toEqual({ kind: 'open', share: 0.5 });
    expect([0, 999, 1e9].map((tokens) => positionOf(tokens, null).share)).toEqual([0, 0, 1]);
  });
});

describe('what stands beside a car', () => {
  const say = (over: Partial<AgentReport>): string => sayingOf(makeAgent(over), NOW);
  const run = { toolUseId: null, signal: 'result', startedAt: ago(72_000), endedAt: ago(0) } as const;
  it('is what it does, waits for, or how it ended', () => {
    expect(say({ currentTool: 'Bash', currentToolSummary: 'npm test' })).toBe('Bash npm test');
    expect(say({ status: 'waiting', waitingOn: 'permission', currentTool: 'Bash' })).toBe('waits for your yes: Bash');
    expect(say({ status: 'waiting', waitingOn: 'child' })).toBe('waits for a sub-agent');
    expect(say({ stalled: true, lastActivityAt: ago(240_000), currentTool: 'Bash' })).toBe('4 min silent · Bash');
    expect(say({ status: 'completed', activity: 'done', startedAt: ago(72_000), completedAt: ago(0) })).toBe(
      'completed · 72 s',
    );
    const failed = { ...run, status: 'failed', reason: 'API Error:\n529' } as const;
    expect(say({ status: 'failed', runs: [failed] })).toBe('failed: API Error: 529');
    expect(say({ status: 'spawning', activity: 'starting' })).toBe('starting');
  });

  it('counts a silence anew with the clock', () => {
    const agent = makeAgent({ stalled: true, lastActivityAt: ago(240_000) });
    expect(sayingOf(agent, NOW)).toContain('4 min');
    expect(sayingOf(agent, NOW + 120_000)).toContain('6 min');
  });
});

describe('the mirror', () => {
  async function wordsOf(name: string) {
    const { detail } = await openRecording(name);
    const layout = createLayout()([detail], {
      now: Date.parse(detail.lastActivityAt ?? ''),
      folds: NO_FOLDS,
      kept: new Set(),
      heights: columnsFor(1000).heights,
      isReplay: true,
      opensEarlier: undefined,
    });
    return rowsOf(layout).map((row) =>
      row.kind === 'lane' ? laneWords(row.lane, NOW) : row.kind === 'chip' ? chipWords(row.chip) : '',
    );
  }

  it('says everything about a lane', async () => {
    expect((await wordsOf('2.1.325-nested')).join('\n')).toMatchInlineSnapshot(`
      "Please do the job. [[play:nested]] · session · nested · sonnet 4.5 · completed · 2.0 s · 5 % of the context, 10.3k tokens of 200k · 0 of 3 sub-agents at work
      Audit the repo · sub-agent, level 1 · general-purpose · sonnet 4.5 · completed · 1.7 s · 2 % of the context, 4.4k tokens of 200k · 0 of 2 sub-agents at work
      Check app.js · sub-agent, level 2 · general-purpose · sonnet 4.5 · completed · 1.0 s · 2 % of the context, 3.8k tokens of 200k
      Check util.js · sub-agent, level 2 · general-purpose · sonnet 4.5 · completed · 1.0 s · 2 % of the context, 3.8k tokens of 200k"
    `);
  });

  it('of a hostile session is plain text in one line each', async () => {
    for (const words of await wordsOf('2.1.325-xss'))
      expect(words).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
  });

  it('does not say what is not known', () => {
    const session = makeSession({ lastActivityAt: ago(0) }, [{ status: 'running', contextTokens: 9000 }]);
    const layout = createLayout()([session], {
      now: NOW,
      folds: NO_FOLDS,
      kept: new Set(),
      heights: columnsFor(1000).heights,
      isReplay: false,
      opensEarlier: undefined,
    });
    const [main, sub] = layout.blocks[0]?.block.lanes ?? [];
    expect(main && laneWords(main, NOW)).toContain('context not known');
    expect(sub && laneWords(sub, NOW)).toContain('9k tokens, window not known');
  });
});

describe('chips', () => {
  const standings = new Map([
    ['completed', 8],
    ['failed', 2],
    ['stopped', 1],
    ['unknown', 1],
  ] as const);
  const tally = { agents: 12, busy: 0, standings };
  it('count each standing once, with its own mark', () => {
    const chip = { kind: 'finished', tally, isOpen: false } as const;
    expect(chipText(chip)).toBe('▸ ✓ 8 ✗ 2 ■ 1 ? 1');
    expect(chipWords(chip)).toBe('12 sub-agents, 8 completed, 2 failed, 1 stopped, 1 unknown, folded');
  });

  it('do not count one whose end is unknown as completed', () => {
    const one = { agents: 1, busy: 0, standings: new Map([['unknown', 1]] as const) };
    expect(chipText({ kind: 'finished', tally: one, isOpen: false })).toBe('▸ ? 1');
  });

  it('never hide that somebody needs the person', () => {
    const waiting = new Map([...standings, ['needs you', 1]] as const);
    const chip = { kind: 'folded', tally: { agents: 12, busy: 4, standings: waiting }, isOpen: false } as const;
    expect(chipText(chip)).toBe('+12 ◐ 1');
    expect(chipWords(chip)).toContain('1 needs you');
  });
});

describe('the initial on a car', () => {
  it('is a letter, whatever the type is called', () => {
    const initial = (type: string | null) => factsOf(makeAgent({ type })).initial;
    expect([initial('Explore'), initial(null), initial('<b>'), initial('\u202e'), initial('été')]).toEqual([
      'E',
      'T',
      'B',
      '?',
      'É',
    ]);
  });
});

describe('a text that does not fit', () => {
  const cut = createFitter((text) => [...text].length * 10);
  it('is cut with …, never through a character', () => {
    expect(cut('abcdef', 'font', 60)).toEqual({ text: 'abcdef', width: 60 });
    expect(cut('abcdef', 'font', 59).text).toBe('abcd…');
    expect(cut('👩‍👩‍👧 family', 'font', 40).text).toBe('…');
    expect(cut('abcdef', 'font', 5)).toEqual({ text: '', width: 0 });
    expect(cut('x'.repeat(9000), 'font', 100).text).toBe(`${'x'.repeat(9)}…`);
  });
});
