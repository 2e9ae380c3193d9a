import type { NoticeBlock, NoticeKind } from '../index.ts';

const TITLES: Readonly<Record<NoticeKind, string>> = {
  background: 'News from the background',
  message: 'Message',
  reminder: 'Reminder to the agent',
  command: 'Command',
  'command-output': 'Output of the command',
  interruption: 'Interrupted',
  compaction: 'Context compacted',
  note: 'Note to the agent',
};

/** What a notice is, in a line: by its own words where it has some. */
export function titleOf({ kind, title }: NoticeBlock): string {
  return title ?? TITLES[kind];
}

/** What it hands over is written by an agent, and worth reading; the rest is between the host and the agent. */
export function isProse({ kind }: NoticeBlock): boolean {
  return kind === 'background' || kind === 'message';
}
