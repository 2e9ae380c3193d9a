import path from 'node:path';
import { hasEntry } from '../../lib/folders.ts';
import { type HostDescription, type Machine, PROCESS_MARKS } from '../index.ts';

export const geminiHost: HostDescription = {
  host: 'gemini',
  title: 'Gemini CLI',
  process: PROCESS_MARKS.gemini,
  roots: (machine) => [rootOf(machine)],
  // The root may be `tmp`, one project in it, or its `chats`.
  mayHold: async (root) =>
    path.basename(root) === 'chats' || hasEntry(root, ({ name }) => name === 'tmp' || name === 'chats', 1),
  programs: ['gemini'],
  printing: 'gemini -p … -o stream-json',
};

/** `GEMINI_CLI_HOME` replaces the home directory. */
export function rootOf({ env, home }: Machine): string {
  return path.join(env['GEMINI_CLI_HOME'] || home, '.gemini');
}
