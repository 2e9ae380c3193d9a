import path from 'node:path';
import { hasEntry } from '../../lib/folders.ts';
import { type HostDescription, type Machine, PROCESS_MARKS } from '../index.ts';

export const claudeCodeHost: HostDescription = {
  host: 'claude-code',
  title: 'Claude Code',
  process: PROCESS_MARKS['claude-code'],
  agentName: 'claude',
  roots: rootsOf,
  // The root may be `projects`, or one project in it, with only `<session>/subagents/` left. Files of no use there are counted.
  mayHold: (root) => hasEntry(root, ({ name, kind }) => name === 'projects' || kind === 'file', 3),
  // `cleanupPeriodDays`
  deletesAfterDays: 30,
  // A terminal in which nobody asked anything has a few local commands and their output (1.0.60, 2.1.161: less than 2 KB).
  maxEmptyBytes: 16 * 1024,
  programs: ['claude'],
  printing: 'claude -p … --output-format stream-json --verbose',
  isSteered: true,
};

/** `CLAUDE_CONFIG_DIR` takes the place of `~/.claude`; `~/.config/claude` is where some versions and systems keep it. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  const set = env['CLAUDE_CONFIG_DIR'];
  if (set) return set.split(',').flatMap((root) => root.trim() || []);
  const config = env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  return [path.join(home, '.claude'), path.join(config, 'claude')];
}
