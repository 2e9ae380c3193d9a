import path from 'node:path';
import { hasEntry } from '../../lib/folders.ts';
import { type HostDescription, type Machine, PROCESS_MARKS } from '../index.ts';

export const codexHost: HostDescription = {
  host: 'codex',
  title: 'Codex',
  process: PROCESS_MARKS.codex,
  roots: rootsOf,
  // The root may be a year, a month or a day of `sessions`, or hold what the program printed.
  mayHold: (root) => hasEntry(root, ({ name }) => /^(?:sessions|archived_sessions|\d{2,4})$|\.jsonl$/.test(name)),
  programs: ['codex'],
  printing: 'codex exec --json …',
};

/** `CODEX_HOME` takes the place of `~/.codex`. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  const set = env['CODEX_HOME'];
  return [set || path.join(home, '.codex')];
}
