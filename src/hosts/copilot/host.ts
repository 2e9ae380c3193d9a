import path from 'node:path';
import { hasEntry } from '../../lib/folders.ts';
import { type HostDescription, type Machine, PROCESS_MARKS } from '../index.ts';

export const copilotHost: HostDescription = {
  host: 'copilot',
  title: 'Copilot CLI',
  process: PROCESS_MARKS.copilot,
  roots: (machine) => [rootOf(machine)],
  // The root may be `session-state`, or one session in it.
  mayHold: (root) => hasEntry(root, ({ name }) => name === 'session-state' || name === 'events.jsonl', 1),
  programs: ['copilot'],
  printing: 'copilot -p … --output-format json',
};

export function rootOf({ env, home }: Machine): string {
  return env['COPILOT_HOME'] || path.join(home, '.copilot');
}
