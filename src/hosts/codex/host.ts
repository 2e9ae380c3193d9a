import path from 'node:path';
import { hasEntry } from '../../lib/folders.ts';
import type { HostDescription, Machine } from '../index.ts';

export const codexHost: HostDescription = {
  host: 'codex',
  title: 'Codex',
  process: { names: ['codex', '@openai/codex'], variable: 'CODEX_THREAD_ID' },
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
