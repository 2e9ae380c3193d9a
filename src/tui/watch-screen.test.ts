import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OpenedTranscript, widthOf } from '../core/index.ts';
import { openWatch } from './testing/open-watch.ts';
import { broughtUpTo, NOW, pictureOf, recordedTranscripts, withAgents } from './testing/recorded.ts';
import { loadScene, namesIn, type Scene } from './testing/scene.ts';

let scene: Scene;
let transcript: OpenedTranscript;
beforeAll(async () => {
  scene = await loadScene();
  transcript = await recordedTranscripts('2.1.325-nested')(
    'fa129e54-d574-4fea-bbfe-0dd74bbd38cd',
    'fa129e54-d574-4fea-bbfe-0dd74bbd38cd',
  );
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const open = (size = { columns: 80, rows: 24 }, options = {}) => openWatch(pictureOf(scene.sessions), size, options);

describe('the tree', () => {
  it('shows at 80×24 status, agent, activity, type, tokens, time and silence of all agents, running ones first', async () => {
    expect(await open().look()).toMatchInlineSnapshot(`
      [
        "troupe  ● 3 at work  ✗ 1 failed  ✓ 9 done                        test · 12:00:00",
        " status       agent                 doing           type         out  time  last",
        "›● running    ▾ nested  Please do the job.…   3 of 4 at work     378    7s    5s",
        " ◐ waiting      main                waits for a sub-agent         95    7s    5s",
        " ● running      └─ Audit the repo   Bash npm run…   general…     177    6s    5s",
        " ● running         ├─ Check app.js  Bash npm run…   general…      53    6s    5s",
        " ✓ completed       └─ Check util.js                 general…      53  1.0s",
        " ✓ completed  ▾ nested-deep  Please do the job. […  4 agents     263  1.8s   60s",
        " ✓ completed    main                                              66  1.8s",
        " ✓ completed    └─ Level one                        general…      65  1.5s",
        " ✓ completed       └─ Level two                     general…      66  1.0s",
        " ✓ completed          └─ Level three                general…      66  0.4s",
        " ✓ completed  ▾ single  Please do the job. [[play…  2 agents     201  1.1s    2m",
        " ✓ completed    main                                             102  1.1s",
        " ✓ completed    └─ Count TODO comments              general…      99  0.8s",
        " ✓ completed  ▸ failing  Please do the job. [[pla…  3 agents     342  1.8s   60m",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        " ↑↓ move  ←→ fold  enter read  / filter  s sort: tree  ? help  q quit",
      ]
    `);
  });

  it('shows every column at 200×50', async () => {
    const lines = await open({ columns: 200, rows: 50 }).look();
    expect(lines.slice(0, 8)).toMatchInlineSnapshot(`
      [
        "troupe  ● 3 at work  ✗ 1 failed  ✓ 9 done                                                                                                                                                test · 12:00:00",
        " status       agent                                     doing                          type               model                 calls    context     out    time    last  id        link",
        "›● running    ▾ nested  Please do the job. [[play:nested]]                  3 of 4 at work · claude-code  claude-code 2.1.325                        378     7 s     5 s  fa129e54",
        " ◐ waiting      main                                    waits for a sub-agent                             claude-sonnet-4-5         1   10.3k 5%      95     7 s     5 s  fa129e54",
        " ● running      └─ Audit the repo                       Bash npm run step-1            general-purpose    claude-sonnet-4-5         3    4.4k 2%     177     6 s     5 s  a2ca437a",
        " ● running         ├─ Check app.js                      Bash npm run step-2            general-purpose    claude-sonnet-4-5         1    3.8k 2%      53     6 s     5 s  ab4c7b9a",
        " ✓ completed       └─ Check util.js                                                    general-purpose    claude-sonnet-4-5         1    3.8k 2%      53   1.0 s          ad90f91f",
        " ✓ completed  ▾ nested-deep  Please do the job. [[play:nested-deep]]              4 agents · claude-code  claude-code 2.1.325                        263   1.8 s    60 s  22585c89",
      ]
    `);
  });

  it('says that it waits for the first state, and what is being read', async () => {
    const { look, feed } = openWatch(undefined);
    expect((await look()).join('\n')).toContain('Waiting for the first picture');
    feed.emit({ type: 'snapshot', data: pictureOf([], { isComplete: false }) });
    expect((await look()).join('\n')).toMatch(/still reading[\s\S]*Still reading\.[\s\S]*\/home\/dev\/\.claude/);
    feed.emit({ type: 'snapshot', data: pictureOf([]) });
    expect((await look()).join('\n')).toMatch(/No session here yet\.[\s\S]*troupe watch --demo/);
  });

  it('shows one session alone, or says that no session has that id', async () => {
    const [, nested] = scene.sessions;
    const one = open(undefined, { session: nested!.id.slice(0, 6) });
    expect(namesIn(await one.rows())[0]).toContain('▾ nested');
    expect((await one.rows()).join('\n')).not.toContain('single');
    expect((await open(undefined, { session: 'zzz' }).rows()).join('\n')).toContain('No session begins with «zzz».');
  });

  it('opens the requested agent as soon as it exists, and goes back to the tree', async () => {
    const options = { agent: 'a2ca437af9f568b24', transcript: async () => transcript };
    const { look, feed, screen } = openWatch(pictureOf([]), undefined, options);
    expect((await look()).join('\n')).toContain('No session here yet.');
    feed.emit({ type: 'snapshot', data: pictureOf(scene.sessions) });
    expect((await look()).join('\n')).toContain('Audit the repo');
    expect((await look()).join('\n')).not.toContain('Count TODO comments');
    screen.type('q');
    expect((await look()).join('\n')).toContain('Count TODO comments');
    // Once: whoever went back is left alone.
    feed.emit({ type: 'snapshot', data: pictureOf(scene.sessions) });
    expect((await look()).join('\n')).toContain('Count TODO comments');
  });

  it('follows changes, and writes only what is different', async () => {
    const { look, screen, feed } = open();
    await look();
    const before = screen.writes.length;
    feed.change(
      (session) =>
        withAgents(session, (_, index) => (index === 1 ? { currentTool: 'Grep', currentToolSummary: 'TODO' } : {})),
      scene.project('nested').id,
    );
    expect((await look()).join('\n')).toContain('Grep TODO');
    expect(screen.writes).toHaveLength(before + 1);
    expect(screen.writes.at(-1)!.match(/\u001b\[\d+;1H/g)).toHaveLength(1);
  });

  it('writes nothing while nothing changes, and the times once a second', async () => {
    const { look, screen, wait } = open();
    await look();
    const before = screen.writes.length;
    await wait(800);
    expect(screen.writes).toHaveLength(before);
    await wait(1000);
    expect(screen.writes).toHaveLength(before + 1);
  });

  it('draws at most 20 frames a second, however fast the feed is', async () => {
    const { feed, screen, wait, look } = open();
    await look();
    const before = screen.writes.length;
    for (let step = 0; step < 100; step++) {
      feed.change(
        (session) => withAgents(session, (_, index) => (index === 1 ? { currentToolSummary: `step ${step}` } : {})),
        scene.project('nested').id,
      );
      await wait(5);
    }
    expect(screen.writes.length - before).toBeLessThanOrEqual(11);
    expect((await look()).join('\n')).toContain('step 99');
  });
});

describe('a server that stops', () => {
  const LOST = { text: 'server gone, looking again…', isLost: true };

  it.each([80, 40, 200])('is reported in the first line, on %i columns', async (columns) => {
    const { feed, look } = open({ columns, rows: 24 });
    await look();
    feed.moveTo(LOST);
    expect((await look())[0]).toContain('⚠ server gone, looking again…');
    feed.moveTo({ text: 'server on port 4712', isLost: false });
    const back = await look();
    expect(back[0]).not.toContain('server gone');
    expect(back.at(-1)).toContain('The picture comes from: server on port 4712'.slice(0, columns - 2));
  });

  it('keeps selection and folds when the picture comes from elsewhere', async () => {
    const { feed, screen, look, rows } = open();
    await look();
    screen.press("' ", 'down', 'down', 'down');
    const before = await rows();
    feed.moveTo(LOST);
    await look();
    feed.moveTo({ text: 'this process', isLost: false });
    feed.emit({ type: 'snapshot', data: JSON.parse(JSON.stringify(feed.picture())) });
    expect(await rows()).toEqual(before);
  });

  it('is reported in the reader too', async () => {
    const { feed, screen, look } = open(undefined, { transcript: async () => transcript });
    await look();
    screen.press('enter');
    await look();
    feed.moveTo(LOST);
    expect((await look()).at(-1)).toMatch(/^ ⚠ server gone, looking again….*← back$/);
  });
});

describe('quitting and help', () => {
  it.each(["'q", 'ctrl-c'] as const)('restores the screen and stops listening on %s', async (key) => {
    const { screen, feed, done, look } = open();
    await look();
    expect(feed.listeners()).toBe(1);
    screen.press(key);
    await done;
    expect([screen.isClosed(), feed.listeners()]).toEqual([true, 0]);
    const before = screen.writes.length;
    await vi.advanceTimersByTimeAsync(5000);
    expect(screen.writes).toHaveLength(before);
  });

  it('quits from anywhere on ctrl-c', async () => {
    const { screen, done, look } = open(undefined, { transcript: async () => transcript });
    await look();
    screen.press('enter', 'ctrl-c');
    await done;
    expect(screen.isClosed()).toBe(true);
  });

  it('restores the screen when drawing fails, and reports it', async () => {
    const broken = openWatch(pictureOf([{ ...scene.sessions[0]!, subagents: undefined as never }]));
    const told = expect(broken.done).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(100);
    await told;
    expect(broken.screen.isClosed()).toBe(true);
  });

  it('explains keys and marks on ? in 80×24, and any key goes back', async () => {
    const { screen, look } = open();
    const tree = await look();
    screen.press("'?");
    const help = (await look()).join('\n');
    expect(help).toContain('troupe 1.2.3, from: test');
    expect(help).not.toContain('…');
    screen.press("'q");
    expect(await look()).toEqual(tree);
  });

  it('suspends on ctrl-z and redraws on ctrl-l', async () => {
    const { screen, look } = open();
    await look();
    screen.press('ctrl-z');
    expect(screen.suspensions()).toBe(1);
    const before = screen.writes.length;
    screen.press('ctrl-l');
    await look();
    expect(screen.writes[before]!.match(/\u001b\[\d+;1H/g)).toHaveLength(24);
  });
});

describe('hostile recordings', () => {
  it('are shown as text, in their columns', async () => {
    for (const columns of [80, 200]) {
      const { look, screen } = openWatch(pictureOf([broughtUpTo(NOW, scene.project('project'))]), {
        columns,
        rows: 24,
      });
      const lines = await look();
      expect(lines.join('\n')).toContain('<img src=x');
      expect(screen.terminal.overflows()).toBe(0);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });
});
