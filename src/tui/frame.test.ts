import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentReport,
  FIRST_VIEW,
  type LiveSnapshot,
  type SessionDetail,
  type WatchView,
  widthOf,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { runsOf } from '../lib/testing/seed.ts';
import { placeColumns } from './columns.ts';
import { formatReader } from './draw-reader.ts';
import { formatFrame } from './frame.ts';
import { notesOf } from './help.ts';
import { createScreenPainter, createWatchPaint, fitTo, withoutColours } from './paint.ts';
import { createEmulator } from './testing/emulator.ts';
import { AT_WORK, broughtUpTo, NOW, pictureOf, recordedSessions, withAgents } from './testing/recorded.ts';
import { settleView } from './tree.ts';

let sessions: readonly SessionDetail[] = [];
beforeAll(async () => {
  sessions = await recordedSessions('2.1.325-nested', '2.1.325-xss', '2.1.38-twins-hang', '2.1.325-inter-team');
});

const nested = (): SessionDetail => sessions.find(({ project }) => project === 'nested')!;
const SOURCE = { text: 'test', isLost: false };
const PAINTS = { none: createWatchPaint('none'), '16': createWatchPaint('16'), '24bit': createWatchPaint('24bit') };

function draw(picture: LiveSnapshot | undefined, view: WatchView, size: Size, colours: keyof typeof PAINTS = 'none') {
  const settled = picture ? settleView(picture, view, { size, now: NOW, keepsOpen: false }) : { rows: [], view };
  const options = { size, now: NOW, paint: PAINTS[colours], source: SOURCE, version: '1' };
  return formatFrame(picture, settled.rows, settled.view, options);
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '\u001b[31mred\u001b[0m',
    '日本語'.repeat(20),
    '👨‍👩‍👧‍👦'.repeat(9),
    '\u202eexe.txt',
    'a\tb\r\nc',
    '',
    ' ',
    'ｗｉｄｅ',
    '\u001b]0;title\u0007',
    'e\u0301'.repeat(40),
  ),
);
const size = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) });
const change: fc.Arbitrary<Partial<AgentReport>> = fc.record(
  {
    label: hostileText,
    type: hostileText,
    model: hostileText,
    currentTool: hostileText,
    currentToolSummary: hostileText,
    status: fc.constantFrom('spawning', 'running', 'waiting', 'completed', 'failed', 'stopped', 'unknown'),
    waitingOn: fc.constantFrom(null, 'permission', 'input', 'child', 'rate-limit'),
    stalled: fc.boolean(),
    contextTokens: fc.constantFrom(null, 0, 199_999, 12_345_678),
    contextWindow: fc.constantFrom(null, 200_000),
    startedAt: fc.constantFrom(
      null,
      '1970-01-01T00:00:00.000Z',
      '2026-11-15T11:59:59.900Z',
      '2040-01-01T00:00:00.000Z',
    ),
    lastActivityAt: fc.constantFrom(null, '2026-11-15T11:00:00.000Z'),
  },
  { requiredKeys: [] },
);
/** Real sessions with fields gone bad, and a crowd of agents in one of them. */
const picture = fc
  .record({
    changes: fc.array(change, { minLength: 1, maxLength: 5 }),
    title: fc.oneof(hostileText, fc.constant(null)),
    project: fc.oneof(hostileText, fc.constant(null)),
    crowd: fc.constantFrom(0, 3, 300),
    isComplete: fc.boolean(),
  })
  .map(({ changes, title, project, crowd, isComplete }) => {
    const changed = sessions.map((session) => ({
      ...withAgents(session, (_agent, index) => changes[index % changes.length] ?? {}),
      title,
      project,
    }));
    const [first, ...rest] = changed;
    const many = Array.from({ length: crowd }, (_, index) => ({ ...first!.subagents[0]!, id: `crowd-${index}` }));
    return pictureOf([{ ...first!, subagents: [...first!.subagents, ...many] }, ...rest], {
      isComplete,
      places: [title ?? ''],
    });
  });
const view = fc
  .record({
    filter: fc.oneof(fc.constant(''), hostileText),
    isTyping: fc.boolean(),
    hidesFinished: fc.boolean(),
    showsHelp: fc.boolean(),
    selectedAt: fc.nat(400),
    top: fc.nat(400),
    touchedAt: fc.constant(NOW),
    message: fc.oneof(fc.constant(''), hostileText),
  })
  .map((fields): WatchView => ({ ...FIRST_VIEW, ...fields }));
const colours = fc.constantFrom('none', '16', '24bit' as const);

describe('a frame', () => {
  it('has as many lines as the screen has rows, none wider than it, whatever the text', () => {
    fc.assert(
      fc.property(picture, view, size, colours, (shown, how, on, depth) => {
        const lines = draw(shown, how, on, depth as keyof typeof PAINTS);
        expect(lines).toHaveLength(on.rows);
        for (const line of lines) expect(widthOf(withoutColours(line))).toBeLessThanOrEqual(on.columns);
        const terminal = createEmulator(on);
        createScreenPainter(terminal.write).paint(lines, on);
        expect(terminal.overflows()).toBe(0);
      }),
      { numRuns: runsOf(150) },
    );
  });

  it('leaves the same screen drawn over another one as drawn on an empty one', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(picture, view), { minLength: 2, maxLength: 4 }), size, (frames, on) => {
        const step = createEmulator(on);
        const painter = createScreenPainter(step.write);
        const drawn = frames.map(([shown, how]) => draw(shown, how, on, '24bit'));
        for (const lines of drawn) painter.paint(lines, on);
        const whole = createEmulator(on);
        createScreenPainter(whole.write).paint(drawn.at(-1)!, on);
        expect(step.lines()).toEqual(whole.lines());
      }),
      { numRuns: 40 },
    );
  });

  it('is complete without colours, by marks and words', () => {
    const busy = withAgents(broughtUpTo(NOW, nested(), 300_000), (_agent, index) =>
      index === 1
        ? { ...AT_WORK, stalled: true }
        : index === 2
          ? { ...AT_WORK, status: 'waiting', waitingOn: 'permission' }
          : {},
    );
    const text = draw(pictureOf([busy]), FIRST_VIEW, { columns: 80, rows: 24 }).join('\n');
    expect(text).toMatch(/◐ 1 needs you {2}⚠ 1 silent/);
    expect(text).toMatch(/ last$/m);
    expect(text).toMatch(/⚠ silent .* 5m$/m);
    expect(text).toMatch(/◐ needs you .* waits for your yes/);
  });

  it('shows the evidence of a link: dashed with ~, dotted with ?', () => {
    const evidence = (rank: 'strong' | 'guess') => ({ rank, source: 'same-prompt' as const, text: '', candidates: [] });
    const unsure = withAgents(nested(), (_agent, index) =>
      index === 2 ? { evidence: evidence('strong') } : index === 3 ? { evidence: evidence('guess') } : {},
    );
    const lines = draw(pictureOf([broughtUpTo(NOW, unsure)]), FIRST_VIEW, { columns: 200, rows: 24 });
    expect(lines.find((line) => line.includes('├╌ Check app.js'))).toContain('~ same-prompt');
    expect(lines.find((line) => line.includes('└┈ ? Check util.js'))).toContain('? guess: same-prompt');
  });

  it('shows a session without sub-agents as one row', () => {
    const alone = { ...broughtUpTo(NOW, nested()), subagents: [], agents: 1 };
    const lines = draw(
      pictureOf([{ ...alone, main: { ...alone.main, ...AT_WORK, currentTool: 'Read' } }]),
      FIRST_VIEW,
      { columns: 80, rows: 24 },
    );
    expect(lines[2]).toMatch(/^›● running {4}· nested {2}.* Read /);
    expect(lines[3]!.trim()).toBe('');
  });
});

describe('columns', () => {
  it('never exceed the screen, and never move because of a text', () => {
    for (let columns = 1; columns <= 220; columns++) {
      const placed = placeColumns(columns);
      const total = placed.reduce((sum, { width }) => sum + width + 2, -2) + 1;
      expect(total, String(columns)).toBeLessThanOrEqual(Math.max(columns, 4));
    }
    expect(placeColumns(80).map(({ name }) => name)).toEqual([
      'status',
      'agent',
      'doing',
      'type',
      'output',
      'time',
      'last',
    ]);
    expect(placeColumns(200)).toHaveLength(12);
  });
});

describe('fitTo', () => {
  it('cuts the text and keeps the colours', () => {
    expect(fitTo('\u001b[1mbold\u001b[22m and plain', 6)).toBe('\u001b[1mbold\u001b[22m…');
    expect(fitTo('\u001b[1mbold\u001b[22m', 4)).toBe('\u001b[1mbold\u001b[22m');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, columns) => {
        const painted = PAINTS['24bit'].bold(text) + PAINTS['24bit'].agent(3, text);
        expect(widthOf(withoutColours(fitTo(painted, columns)))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('the reader', () => {
  it('has as many lines as the screen has rows, none wider than it', () => {
    fc.assert(
      fc.property(
        fc.array(hostileText),
        fc.nat(50),
        change,
        size,
        fc.boolean(),
        fc.boolean(),
        (texts, top, fields, on, isTyping, showsHelp) => {
          const lines = texts.map((text) =>
            PAINTS['24bit'].dim(text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')),
          );
          const agent = { ...sessions[0]!.main, ...fields };
          const reader = { lines, top, isFull: false, find: 'x', isTyping, showsHelp, hit: top + 1 };
          const frame = formatReader(reader, {
            size: on,
            now: NOW,
            paint: PAINTS['24bit'],
            agent,
            project: 'p',
            source: SOURCE,
          });
          expect(frame).toHaveLength(on.rows);
          for (const line of frame) expect(widthOf(withoutColours(line))).toBeLessThanOrEqual(on.columns);
        },
      ),
    );
  });
});

it('counts empty sessions among what is not shown', () => {
  expect(notesOf({ ...pictureOf([]), emptySessions: 12 })).toContain('12 empty sessions not listed: troupe ls --empty');
});
