import { vi } from 'vitest';
import type { LiveSnapshot } from '../../core/index.ts';
import type { Size } from '../../lib/screen.ts';
import { type WatchOptions, WatchScreen } from '../watch-screen.ts';
import { createGridScreen, type GridScreen } from './grid-screen.ts';
import { createFeed, NOW, type TestFeed } from './recorded.ts';

export interface OpenedWatch {
  readonly screen: GridScreen;
  readonly feed: TestFeed;
  /** Settles when the person has quit. */
  readonly done: Promise<void>;
  /** The next frame, and what a person then sees. */
  look(): Promise<readonly string[]>;
  /** Rows of the tree alone: without header, titles and footer. */
  rows(): Promise<readonly string[]>;
  /** Time passes. */
  wait(ms: number): Promise<void>;
  /** Much time passes at once, as after a sleep of the machine. */
  jump(ms: number): Promise<void>;
}

/** `troupe watch` on a small terminal of ours. The caller has put fake timers in place. */
export function openWatch(
  picture: LiveSnapshot | undefined,
  size: Size = { columns: 80, rows: 24 },
  options: Partial<WatchOptions> = {},
): OpenedWatch {
  const screen = createGridScreen(size);
  const feed = createFeed(picture);
  let now = NOW;
  const done = new WatchScreen({
    feed,
    screen,
    transcript: async () => {
      throw new Error('no transcripts in this test');
    },
    answer: async () => ({ outcome: 'unknown' }),
    clock: () => now,
    colours: 'none',
    version: '1.2.3',
    ...options,
  }).run();
  const wait = async (ms: number): Promise<void> => {
    now += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  const look = async (): Promise<readonly string[]> => {
    await wait(60);
    return screen.terminal.lines();
  };
  return {
    screen,
    feed,
    done,
    look,
    wait,
    jump(ms) {
      now += ms - 1000;
      return wait(1000);
    },
    rows: async () => (await look()).slice(2, -1).filter((line) => line !== ''),
  };
}
