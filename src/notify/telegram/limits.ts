import type { Clock } from '../../lib/clock.ts';

/** A message that is sent, or one that is changed: the limit of a group counts the first kind only. */
export type Request = 'send' | 'edit';

export interface Limits {
  /** Milliseconds until this may be asked for; 0 is now. */
  waitFor(chat: number, request: Request): number;
  take(chat: number, request: Request): void;
  /** Telegram said for how long it will not listen. */
  hold(chat: number, ms: number): void;
}

/** As core.telegram.org/bots/faq has them, with a little room: clocks differ, and messages may be counted as they arrive. */
const CHAT_GAP_MS = 1_100;
const GROUP_WINDOW_MS = 61_000;
const GROUP_SENDS = 19;
const ALL_WINDOW_MS = 1_050;
const ALL_REQUESTS = 27;

/** Obeys the documented limits before Telegram has to remind us: one request a second in a chat, twenty messages a minute in a group, thirty requests a second in all. */
export function createLimits(clock: Clock): Limits {
  const lastIn = new Map<number, number>();
  const sentIn = new Map<number, number[]>();
  const heldUntil = new Map<number, number>();
  let all: number[] = [];
  const sendsOf = (chat: number, now: number): number[] => {
    const recent = (sentIn.get(chat) ?? []).filter((at) => now - at < GROUP_WINDOW_MS);
    sentIn.set(chat, recent);
    return recent;
  };
  return {
    waitFor(chat, request) {
      const now = clock();
      all = all.filter((at) => now - at < ALL_WINDOW_MS);
      const sends = isGroup(chat) && request === 'send' ? sendsOf(chat, now) : [];
      const until = Math.max(
        heldUntil.get(chat) ?? 0,
        (lastIn.get(chat) ?? Number.NEGATIVE_INFINITY) + CHAT_GAP_MS,
        sends.length >= GROUP_SENDS ? (sends[0] ?? now) + GROUP_WINDOW_MS : 0,
        all.length >= ALL_REQUESTS ? (all[0] ?? now) + ALL_WINDOW_MS : 0,
      );
      return Math.max(0, until - now);
    },
    take(chat, request) {
      const now = clock();
      lastIn.set(chat, now);
      all.push(now);
      if (request === 'send' && isGroup(chat)) sendsOf(chat, now).push(now);
    },
    hold(chat, ms) {
      heldUntil.set(chat, Math.max(heldUntil.get(chat) ?? 0, clock() + ms));
    },
  };
}

/** Groups and channels have negative numbers. */
function isGroup(chat: number): boolean {
  return chat < 0;
}
