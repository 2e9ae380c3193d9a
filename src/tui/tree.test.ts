import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openWatch } from './testing/open-watch.ts';
import { AT_WORK, broughtUpTo, NOW, pictureOf, withAgents } from './testing/recorded.ts';
import { headsIn, loadScene, namesIn, type Scene } from './testing/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await loadScene();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const open = (size = { columns: 80, rows: 24 }, options = {}) => openWatch(pictureOf(scene.sessions), size, options);

describe('moving', () => {
  const marked = (lines: readonly string[]): number => lines.findIndex((line) => line.startsWith('›'));

  it('goes up, down, to the first, the last and by a screen, with arrows or letters', async () => {
    const { screen, look } = open({ columns: 80, rows: 10 });
    expect(marked(await look())).toBe(2);
    screen.press('down', "'j");
    expect(marked(await look())).toBe(4);
    screen.press('up', "'k", 'up');
    expect(marked(await look())).toBe(2);
    screen.press('end');
    expect(namesIn([(await look())[8]!])).toEqual(['▸ failing']);
    expect(marked(await look())).toBe(8);
    screen.press("'g");
    expect(marked(await look())).toBe(2);
    screen.press('pagedown', "'G", 'pageup', 'home');
    expect(marked(await look())).toBe(2);
  });

  it('keeps the selected row in sight when the screen shrinks, and selected when others appear', async () => {
    const { screen, feed, look } = open({ columns: 80, rows: 24 });
    await look();
    screen.press('end');
    screen.resize({ columns: 60, rows: 6 });
    const small = await look();
    expect(small).toHaveLength(6);
    expect(small[marked(small)]).toContain('failing');
    screen.resize({ columns: 80, rows: 24 });
    feed.emit({
      type: 'snapshot',
      data: pictureOf([broughtUpTo(NOW, scene.project('project'), 1000), ...scene.sessions]),
    });
    const later = await look();
    expect(later[marked(later)]).toContain('failing');
  });

  it('keeps the selected row in place when rows appear above it', async () => {
    const { screen, feed, look } = open({ columns: 80, rows: 8 });
    await look();
    screen.press('end');
    const before = await look();
    feed.emit({
      type: 'snapshot',
      data: pictureOf([broughtUpTo(NOW, scene.project('project'), 1000), ...scene.sessions]),
    });
    expect((await look()).slice(2)).toEqual(before.slice(2));
  });
});

describe('a new session above the selected row', () => {
  const arrive = (opened: ReturnType<typeof open>): void =>
    opened.feed.emit({
      type: 'snapshot',
      data: pictureOf([broughtUpTo(NOW, scene.project('project'), 1000), ...scene.sessions]),
    });
  /** From the selected row on. */
  const read = (lines: readonly string[]): readonly string[] => lines.slice(marked(lines), -1);
  const marked = (lines: readonly string[]): number => lines.findIndex((line) => line.startsWith('›'));

  it.each([24, 10])('does not move it on %i lines; the titles say that there is more', async (rows) => {
    const opened = open({ columns: 80, rows });
    await opened.look();
    opened.screen.press('down', 'down');
    const before = await opened.look();
    expect(before[1]).not.toContain('↑');
    arrive(opened);
    const after = await opened.look();
    expect(marked(after)).toBe(marked(before));
    expect(read(after)).toEqual(read(before));
    expect(after[1]).toMatch(/agent {2}↑ 4 /);
  });

  it('is one key away, and is shown when no key was pressed for a while', async () => {
    const opened = open();
    await opened.look();
    opened.screen.press('down', 'down');
    await opened.look();
    arrive(opened);
    await opened.look();
    opened.screen.press('down');
    expect((await opened.look())[1]).toContain('↑ 4');
    await opened.jump(61_000);
    const later = await opened.look();
    expect([later[1]!.includes('↑'), later[2]!.includes('project'), marked(later)]).toEqual([false, true, 9]);
  });

  it('hides no row when the rows are then filtered or sorted', async () => {
    const opened = open();
    await opened.look();
    opened.screen.press('down', 'down');
    arrive(opened);
    opened.screen.press("'/");
    opened.screen.type('step-1');
    expect(headsIn(await opened.rows())).toEqual(['▾ nested']);
    opened.screen.press('escape');
    expect((await opened.look())[1]).not.toContain('↑');
  });
});

describe('order', () => {
  it('keeps rows in place while they exist; new sessions appear at the top', async () => {
    const { feed, rows } = open();
    const before = headsIn(await rows());
    feed.change((session) => ({ ...session, lastActivityAt: new Date(NOW).toISOString() }), scene.project('single').id);
    feed.change((session) => withAgents(session, () => AT_WORK), scene.project('single').id);
    expect(headsIn(await rows())).toEqual(before);
    feed.emit({
      type: 'snapshot',
      data: pictureOf([...feed.picture()!.sessions, broughtUpTo(NOW, scene.project('project'), 7_200_000)]),
    });
    expect(headsIn(await rows())).toEqual(['▸ project', ...before]);
  });

  it('adds new agents at the end of their group', async () => {
    const { feed, rows } = open();
    await rows();
    const extra = {
      ...scene.project('nested').subagents[0]!,
      id: 'anew',
      label: 'The new one',
      parentId: scene.project('nested').main.id,
      ...AT_WORK,
    };
    feed.change((session) => ({ ...session, subagents: [...session.subagents, extra] }), scene.project('nested').id);
    const shown = namesIn(await rows());
    expect(shown.slice(0, 6)).toEqual([
      '▾ nested',
      '  main',
      '  ├─ Audit the repo',
      '  │  ├─ Check app.js',
      '  │  └─ Check util.js',
      '  └─ The new one',
    ]);
  });

  it('sorts by the next column on s and names it, and keeps rows in place after that', async () => {
    const { screen, feed, look, rows } = open();
    await look();
    screen.press("'s", "'s");
    expect((await look()).at(-1)).toContain('sort: tokens');
    const sorted = headsIn(await rows());
    expect(sorted).toEqual(['▾ nested', '▸ failing', '▾ nested-deep', '▾ single']);
    feed.change(
      (session) => ({ ...session, usage: { ...session.usage, output: 999_999 } }),
      scene.project('single').id,
    );
    expect(headsIn(await rows())).toEqual(sorted);
    screen.press("'S");
    expect(namesIn(await rows())[0]).toBe('▾ single');
    screen.press("'s", "'s");
    expect(namesIn(await rows())[0]).toBe('▾ nested');
  });

  it('may change until the first picture is complete, then no more', async () => {
    const [deep, nested, single] = scene.sessions;
    const { feed, rows } = openWatch(pictureOf([single!], { isComplete: false }));
    await rows();
    feed.emit({ type: 'snapshot', data: pictureOf([single!, nested!], { isComplete: false }) });
    feed.emit({ type: 'snapshot', data: pictureOf([single!, nested!, deep!]) });
    expect(headsIn(await rows())).toEqual(['▾ nested', '▾ nested-deep', '▾ single']);
  });
});

describe('folding', () => {
  it('closes on left and then goes to the parent, opens on right and then goes inside', async () => {
    const { screen, rows } = open();
    const before = await rows();
    screen.press('down', 'down', 'left');
    expect(namesIn(await rows())[2]).toBe('  └─ ▸ +2 Audit the…');
    screen.press('right');
    expect((await rows()).length).toBe(before.length);
    screen.press('right', 'left');
    expect((await rows()).findIndex((row) => row.startsWith('›'))).toBe(2);
    screen.press('left', 'left', 'left', 'left');
    expect((await rows()).findIndex((row) => row.startsWith('›'))).toBe(0);
  });

  it('folds a session on space to one row that still shows its status', async () => {
    const { screen, rows } = open();
    await rows();
    screen.press("' ");
    const [first, second] = await rows();
    expect(first).toMatch(/^›● running {4}▸ nested {2}.*3 of 4 at work/);
    expect(namesIn([second!])).toEqual(['▾ nested-deep']);
  });

  it('folds all on z, and unfolds all', async () => {
    const { screen, rows } = open();
    const before = await rows();
    screen.press("'z");
    expect(namesIn(await rows())).toEqual(['▸ nested', '▸ nested-deep', '▸ single', '▸ failing']);
    screen.press("'z");
    expect((await rows()).length).toBeGreaterThan(before.length);
  });

  it('applies to idle sessions when no key was pressed for a while, until they continue', async () => {
    const { feed, screen, rows, jump } = open();
    await rows();
    screen.press('down');
    await jump(12 * 60_000 + 50_000);
    await rows();
    screen.press('up');
    await jump(50_000);
    expect(headsIn(await rows())).toContain('▾ single');
    await jump(50_000);
    expect(namesIn(await rows())).toContain('▸ single');
    feed.change((session) => withAgents(session, () => AT_WORK), scene.project('single').id);
    expect(namesIn(await rows())).toContain('▾ single');
  });
});

describe('filter', () => {
  it('applies while it is typed, with the ancestors of matches; escape clears it', async () => {
    const { screen, look, rows } = open();
    const before = await rows();
    screen.press("'/");
    screen.type('step-2');
    expect((await look()).at(-1)).toContain('filter: step-2▏');
    expect(namesIn(await rows())).toEqual(['▾ nested', '  main', '  └─ Audit the repo', '     └─ Check app.js']);
    screen.press('enter');
    expect((await look()).at(-1)).toContain('filter «step-2»');
    screen.press('escape');
    expect((await rows()).length).toBe(before.length);
  });

  it('matches project, status, several words and pasted text; keys are text while it is typed', async () => {
    const { screen, rows } = open();
    screen.press("'/");
    screen.type('failing');
    expect(namesIn(await rows())[0]).toBe('▾ failing');
    screen.press('escape', "'/");
    screen.type('nested running');
    expect(namesIn(await rows())).toContain('▾ nested');
    expect(namesIn(await rows())).not.toContain('▾ nested-deep');
    screen.press('escape', "'/");
    screen.paste('sing\u001b[31mle\n');
    expect(namesIn(await rows())[0]).toBe('▾ single');
    screen.press('backspace', 'escape', "'/");
    screen.type('qaz');
    expect((await rows()).join('\n')).toContain('Nothing matches «qaz».');
  });

  it('hides finished agents on a, and says so', async () => {
    const { screen, look, rows } = open();
    await rows();
    screen.press("'a");
    expect(namesIn(await rows())).toEqual(['▾ nested', '  main', '  └─ Audit the repo', '     └─ Check app.js']);
    expect((await look()).at(-1)).toContain('finished hidden');
  });
});
