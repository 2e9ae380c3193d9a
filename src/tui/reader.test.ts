import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OpenedTranscript } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import { openWatch } from './testing/open-watch.ts';
import { pictureOf, recordedTranscripts, withAgents } from './testing/recorded.ts';
import { loadScene, type Scene } from './testing/scene.ts';

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

describe('the transcript reader', () => {
  const openAtMain = (options = {}) => open(undefined, { transcript: async () => transcript, ...options });

  it('opens on enter and closes on escape', async () => {
    const { screen, look } = openAtMain();
    const tree = await look();
    screen.press('enter');
    const page = (await look()).join('\n');
    expect(page).toMatch(/^‹ nested {2}main agent {2}◐ waiting/);
    expect(page).toContain('[[play:nested]]');
    screen.press('escape');
    expect((await look()).slice(1)).toEqual(tree.slice(1));
  });

  it('opens at the end when the agent runs, and at the beginning when it is done', async () => {
    const { screen, look } = open({ columns: 80, rows: 8 }, { transcript: async () => transcript });
    await look();
    screen.press('enter');
    expect((await look())[0]).toMatch(/end, line (\d+) of \1$/);
    screen.press('left', 'end', 'enter');
    expect((await look())[0]).toMatch(/line 6 of \d+$/);
  });

  it('finds words forwards and backwards, and says when there are none', async () => {
    const { screen, look } = open({ columns: 80, rows: 8 }, { transcript: async () => transcript });
    await look();
    screen.press('enter', "'g", "'/");
    await look();
    screen.type('the');
    const found = (await look()).find((line) => line.startsWith('›'));
    expect(found?.toLowerCase()).toContain('the');
    screen.press('enter', "'n");
    expect((await look()).find((line) => line.startsWith('›'))).not.toBe(found);
    screen.press("'N");
    expect((await look()).find((line) => line.startsWith('›'))).toBe(found);
    screen.press("'/");
    screen.type('qqq');
    screen.press('enter', "'n");
    expect((await look()).at(-1)).toContain('No line has «qqq»');
    screen.press('escape', 'escape');
    expect((await look())[0]).toContain('troupe');
  });

  it('reads again when its agent has more, not too often, and stays at the end', async () => {
    let reads = 0;
    const longer = (): OpenedTranscript => {
      const { messages } = transcript.transcript;
      const more = Array.from({ length: reads }, (_, index) => ({
        ...messages[0]!,
        id: `more-${index}`,
        content: [{ type: 'text' as const, text: `more ${index}` }],
      }));
      return { ...transcript, transcript: { ...transcript.transcript, messages: [...messages, ...more] } };
    };
    const { screen, feed, look, wait } = openAtMain({
      transcript: async () => {
        reads++;
        return longer();
      },
    });
    await look();
    screen.press('enter');
    expect((await look()).join('\n')).toContain('more 0');
    for (let step = 0; step < 20; step++) {
      feed.change(
        (session) => withAgents(session, (_, index) => (index === 0 ? { messageCount: step } : {})),
        scene.project('nested').id,
      );
      await wait(20);
    }
    expect(reads).toBe(1);
    await wait(1000);
    expect(reads).toBe(2);
    expect((await look()).join('\n')).toContain('more 1');
    feed.change(
      (session) => withAgents(session, (_, index) => (index === 2 ? { messageCount: 77 } : {})),
      scene.project('nested').id,
    );
    await wait(3000);
    expect(reads).toBe(2);
  });

  it('explains the keys on ? in 80×24, and any key goes back', async () => {
    const { screen, look } = openAtMain();
    await look();
    screen.press('enter');
    const page = await look();
    expect(page.at(-1)).toContain('? help');
    screen.press("'?");
    const help = await look();
    expect(help[0]).toBe(page[0]);
    expect(help.join('\n')).toMatch(
      /find a word[\s\S]*unfold long things[\s\S]*back to the tree[\s\S]*any key goes back/,
    );
    screen.press("'q");
    expect(await look()).toEqual(page);
  });

  it('unfolds long texts on f, and keeps the position when the screen changes', async () => {
    const { screen, look } = open({ columns: 80, rows: 8 }, { transcript: async () => transcript });
    await look();
    screen.press('enter', "'g", 'down', 'down', 'down', 'down');
    const before = await look();
    screen.press("'f");
    expect((await look())[1]).toBe(before[1]);
    screen.resize({ columns: 120, rows: 8 });
    expect((await look())[1]).toBe(before[1]);
  });

  it('shows a message when a transcript cannot be read', async () => {
    const failing = async (): Promise<OpenedTranscript> => {
      throw new UserError('agent-not-found', 'No agent like that.', 'Look again.');
    };
    const { screen, look } = openAtMain({ transcript: failing });
    await look();
    screen.press('enter');
    expect((await look()).at(-1)).toContain('cannot be read: No agent like that. Look again.');
    screen.press('down');
    expect((await look()).at(-1)).toContain('q quit');
  });
});
