import path from 'node:path';
import { hasEntry } from '../../lib/folders.ts';
import type { HostDescription } from '../index.ts';

/** Loaded for every command: import no parser here. */
export const toyHost: HostDescription = {
  host: 'toy',
  title: 'Toy',
  process: { names: ['toy'], variable: 'TOY' },
  // SKELETON: the host's own data folders, environment variables first.
  roots: ({ home }) => [path.join(home, '.toy')],
  // SKELETON: whether a folder may hold its sessions, by names alone.
  mayHold: (root) => hasEntry(root, ({ name }) => name === 'toy'),
  // SKELETON: its command, and the command that prints a stream.
  programs: ['toy'],
  printing: 'toy --json …',
};
