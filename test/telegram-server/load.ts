// Many busy sessions, told to chats, in virtual time: how far behind what a person sees is, and whether Telegram had to say stop.

import type { SessionDetail } from '../../src/core/index.ts';
import { busySessions } from './busy-sessions.ts';
import { startBot } from './run-bot.ts';
import { memoryTelegram, virtualTime } from './virtual.ts';

export interface LoadOptions {
  /** A recording with a sub-agent, to be multiplied. */
  readonly from: SessionDetail;
  readonly sessions: number;
  readonly agents: number;
  readonly minutes: number;
  /** A chat each, or one group with topics. */
  readonly place: 'chats' | 'forum';
}

export interface LoadReport {
  readonly sends: number;
  readonly edits: number;
  /** Times that Telegram had to refuse something. */
  readonly refusals: readonly string[];
  /** The longest that a session's message, or the board of its chat, told of what was over, in seconds. */
  readonly behind: number;
  /** At a fifth of the time, and at its end: of the heap, in MB. */
  readonly heap: readonly [number, number];
  /** Lines that are in the chats at the end. */
  readonly ended: number;
  readonly doubled: number;
}

const STEP_MS = 3_000;
const LAST_CALLS_MS = 20_000;

export async function runLoad({ from, sessions, agents, minutes, place }: LoadOptions): Promise<LoadReport> {
  const startedAt = Date.parse('2030-01-01T00:00:00Z');
  const time = virtualTime(startedAt);
  const group = -1_000_000_000_500;
  const ids = place === 'forum' ? [group] : Array.from({ length: sessions }, (_, index) => -1_000_000_001_000 - index);
  const telegram = memoryTelegram(
    ids.map((id) => ({ id, isForum: place === 'forum' })),
    time,
  );
  const calls = Math.floor((minutes * 60_000 - LAST_CALLS_MS) / STEP_MS);
  const feed = busySessions({ from, sessions, agents, startedAt, calls });
  const options = { sessions: place === 'forum' ? ('topic' as const) : ('chat' as const) };
  const bot = startBot({
    server: { url: 'http://memory.invalid', token: '1:x' },
    feed,
    time,
    chats: ids,
    options,
    since: startedAt,
    fetch: telegram.fetch,
  });
  const steps: number[] = [];
  let behind = 0;
  let early = 0;
  const end = startedAt + minutes * 60_000;
  for (let at = startedAt + STEP_MS; at <= end; at += STEP_MS) {
    for (let part = at - STEP_MS + 500; part <= at; part += 500) {
      await time.runUntil(part);
      // The first seconds are for what has to be sent before it can be changed.
      if (part > startedAt + 10_000)
        behind = Math.max(behind, staleness(telegram, ids, steps, part, { sessions, calls }));
    }
    steps.push(at);
    feed.step(at);
    if (steps.length === Math.floor(calls / 5)) early = heapMb();
  }
  await time.runUntil(end + 90_000);
  const late = heapMb();
  const stopping = bot.stop();
  await time.runUntil(end + 200_000);
  await stopping;
  const texts = ids.flatMap((id) => telegram.messages(id).map(({ text }) => text)).join('\n');
  const ends = texts.match(/✅ Subagent \[job [\d.]+\] completed/g) ?? [];
  return {
    ...telegram.counts,
    refusals: telegram.refused.map(({ description }) => description),
    behind: behind / 1000,
    heap: [early, late],
    ended: new Set(ends).size,
    doubled: ends.length - new Set(ends).size,
  };
}

const BOARD = /^(⚙️ \d+ sessions? at work|✅ nobody at work)/;

/** Of the messages that say what is done now: by the step that they name. */
function staleness(
  telegram: ReturnType<typeof memoryTelegram>,
  ids: readonly number[],
  steps: readonly number[],
  now: number,
  { sessions, calls }: { readonly sessions: number; readonly calls: number },
): number {
  const boards = ids.flatMap((id) => telegram.messages(id).filter(({ text }) => BOARD.test(text)));
  if (boards.length > 0) {
    // Each session stands on it, with how many of its agents are at work; at the end, nobody.
    const lines = boards.flatMap(({ text }) => text.split('\n').filter((line) => line.includes('subagents running')));
    const isOver = steps.length >= calls;
    return lines.length === (isOver ? 0 : sessions) ? 0 : now - ((isOver ? steps[calls - 1] : steps[0]) ?? now);
  }
  let worst = 0;
  for (const { text } of ids.flatMap((id) => telegram.messages(id)).filter(({ text: one }) => one.startsWith('⚙️'))) {
    const shown = Math.max(...[...text.matchAll(/step (\d+) of/g)].map(([, step]) => Number(step)), -1);
    // It was true until the next step was made.
    const wasTrueUntil = shown < 0 ? undefined : steps[shown];
    if (wasTrueUntil !== undefined) worst = Math.max(worst, now - wasTrueUntil);
  }
  return worst;
}

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}
