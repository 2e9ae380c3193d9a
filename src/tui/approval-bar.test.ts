import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnswerOutcome, type ApprovalEnd, type ApprovalRequest, widthOf } from '../core/index.ts';
import { makeAsk as makeAskOf } from './testing/make-ask.ts';
import { openWatch } from './testing/open-watch.ts';
import { pictureOf } from './testing/recorded.ts';
import { loadScene, type Scene } from './testing/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await loadScene();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const makeAsk = (id: string, over: Partial<ApprovalRequest> = {}): ApprovalRequest =>
  makeAskOf(id, scene.project('nested'), over);
const ended = (ask: ApprovalRequest, end: Partial<ApprovalEnd>): ApprovalRequest => ({
  ...ask,
  end: { at: ask.at, decision: 'allow', by: 'page', ...end },
});

function open(asks: readonly ApprovalRequest[], size = { columns: 80, rows: 24 }, options = {}) {
  const said: string[] = [];
  const answer = async ({ id }: ApprovalRequest, word: 'allow' | 'deny'): Promise<AnswerOutcome> => {
    said.push(`${id.slice(0, 1)} ${word}`);
    const ask = asks.find((one) => one.id === id) as ApprovalRequest;
    return { outcome: 'taken', ask: ended(ask, { decision: word, by: 'terminal' }) };
  };
  const watched = openWatch(pictureOf(scene.sessions, { asks }), size, { answer, ...options });
  return { ...watched, said };
}

describe('an approval request', () => {
  it('is shown at the bottom with agent, call, reason and time left, and marks its agent', async () => {
    const lines = await open([makeAsk('a')]).look();
    expect(lines[0]).toMatch(/◐ 1 needs you/);
    expect(lines.slice(0, -4).filter((line) => /◐ needs you .*Check app\.js/.test(line))).toHaveLength(1);
    expect(lines.slice(-4)).toMatchInlineSnapshot(`
      [
        " ↑↓ move  ←→ fold  enter read  / filter  s sort: tree  ? help  q quit",
        " ◐ needs you  main › Audit the repo › Check app.js             5:00, then denied",
        "   Bash git push origin main",
        "   y allow once  n deny  It leaves this machine. (user:1)",
      ]
    `);
  });

  it('is approved by the same key pressed twice; another key cancels', async () => {
    const { screen, said, look } = open([makeAsk('a')]);
    await look();
    screen.press("'y");
    expect((await look()).at(-1)).toContain('Allow it? y again: yes · any other key: no');
    screen.press("'n");
    expect((await look()).at(-1)).toContain('Deny it? n again: yes');
    screen.press("'q");
    expect((await look()).at(-1)).toContain('y allow once  n deny');
    expect([said, screen.isClosed()]).toEqual([[], false]);
    screen.press("'y", "'y", "'y", "'y");
    const lines = await look();
    expect(said).toEqual(['a allow']);
    expect(lines.at(-1)).toContain('Allowed in the terminal. Bash git push origin main');
  });

  it('is shown one at a time, oldest first, and an answer applies to the one shown', async () => {
    const [first, second] = [makeAsk('a'), makeAsk('b', { input: { command: 'rm -rf /' } })];
    const { screen, said, look, feed } = open([first, second]);
    expect((await look()).join('\n')).toMatch(/needs you \(1 of 2\)[\s\S]*Bash git push/);
    screen.press("'y");
    // Somebody else is faster: the second press must not be taken for the next one.
    feed.emit({ type: 'ask', data: ended(first, { decision: 'deny' }) });
    screen.press("'y");
    const lines = await look();
    expect(said).toEqual([]);
    expect(lines.join('\n')).toMatch(/Denied on the page\. Bash git push[\s\S]*Bash rm -rf \//);
    screen.press("'n", "'n");
    await look();
    expect(said).toEqual(['b deny']);
  });

  it('disappears when it has ended, and says how', async () => {
    const ask = makeAsk('a');
    const { look, feed } = open([]);
    const before = await look();
    feed.emit({ type: 'ask', data: ask });
    expect((await look()).join('\n')).toContain('Bash git push origin main');
    feed.emit({ type: 'ask', data: ended(ask, { decision: 'deny', by: 'expiry' }) });
    const after = await look();
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(after.at(-1)).toContain('Denied: no answer came in time. Bash git push');
  });

  it('reports what a late answer changed, and accepts another when one did not arrive', async () => {
    const ask = makeAsk('a');
    const late = open([ask], undefined, {
      answer: async () => ({ outcome: 'late', ask: ended(ask, { decision: 'deny' }) }),
    });
    await late.look();
    late.screen.press("'y", "'y");
    expect((await late.look()).at(-1)).toContain('Too late. Denied on the page.');
    const lost = open([ask], undefined, {
      answer: async () => {
        throw new Error('the server does not answer');
      },
    });
    await lost.look();
    lost.screen.press("'y", "'y");
    const lines = (await lost.look()).join('\n');
    expect(lines).toContain('The answer did not arrive: the server does not answer');
    expect(lines).toContain('y allow once');
  });

  it('does not take letters from a filter or the help', async () => {
    const { screen, said, look } = open([makeAsk('a')]);
    await look();
    screen.press("'/", "'y", "'y");
    expect((await look()).join('\n')).toMatch(/filter: yy[\s\S]*back in the tree/);
    screen.press('escape', "'?", "'y", "'y");
    expect((await look()).at(-1)).toContain('Allow it?');
    expect(said).toEqual([]);
  });

  it('shows every line of the call, and the end of a long one', async () => {
    const command = `ls\n${'echo x; '.repeat(20)}rm -rf ~`;
    const { look } = open([makeAsk('a', { summary: 'ls … (+1 line)', input: { command, description: 'List' } })]);
    const text = (await look()).join('\n');
    expect(text).toMatch(/\n {3}Bash ls\n {3}echo x;[\s\S]*rm -rf ~\n {5}description: List\n {3}y allow once/);
    const many = open([
      makeAsk('a', { input: { command: Array.from({ length: 50 }, (_, n) => `step ${n}`).join('\n') } }),
    ]);
    expect((await many.look()).join('\n')).toMatch(/step 9\n {3}… 40 more lines: see troupe guard asks\n/);
  });

  it('is hidden when it belongs to another session than the selected one', async () => {
    const { look } = open([makeAsk('a')], undefined, { session: scene.project('single').id });
    expect((await look()).join('\n')).not.toContain('git push');
  });

  it.each([
    [40, 24],
    [30, 8],
    [80, 5],
    [20, 3],
    [200, 50],
  ])('fits on %i×%i with hostile texts', async (columns, rows) => {
    const text = '\u001b[2J\u202e<img>\n\t漢字'.repeat(20);
    const hostile = makeAsk('a', { summary: text, input: { command: text, [text]: 1 }, reason: 'x\u0007'.repeat(200) });
    const { look, screen } = open([hostile, makeAsk('b')], { columns, rows });
    for (const line of await look()) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(screen.terminal.overflows()).toBe(0);
  });
});
