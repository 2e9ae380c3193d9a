import type { Wishes } from '../news.ts';

/** What the person wants of the chats (docs/TELEGRAM.md). */
export interface ChatOptions {
  /** Where sessions are told about, and commands are taken. Nobody else gets a word. */
  readonly chats: readonly number[];
  /** Who may press and command; everyone in those chats where none are named. */
  readonly users: readonly number[];
  /** `topic`: each session has its own, in a chat that has topics. */
  readonly sessions: 'topic' | 'chat';
  readonly wishes: Wishes;
  readonly quietHours?: QuietHours;
}

/** Minutes since midnight, by the clock of this machine. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

export function isQuiet(quiet: QuietHours | undefined, now: number): boolean {
  if (!quiet) return false;
  const date = new Date(now);
  const minute = date.getHours() * 60 + date.getMinutes();
  return quiet.from <= quiet.to ? minute >= quiet.from && minute < quiet.to : minute >= quiet.from || minute < quiet.to;
}
