import type { Bodies, LocatedSession, LocatedSource, SourceAdapter } from '../index.ts';
import { continuing } from './continuing.ts';
import { rootsOf } from './data-folder.ts';
import { follow } from './follow.ts';
import { hooks } from './hooks/index.ts';
import { hookSettings } from './hooks/settings.ts';
import { HOST } from './line-context.ts';
import { locate } from './locate.ts';
import { openBodies } from './open-bodies.ts';
import { createEventReader } from './read-events.ts';
import { createWorkspaceReader } from './read-workspace.ts';
import { sniffEvents } from './sniff.ts';
import { stream } from './stream.ts';

const NO_BODIES: Bodies = { places: async () => [], read: async () => [], leftOut: () => ({}) };

export const copilot: SourceAdapter = {
  host: HOST,
  title: 'Copilot CLI',
  process: { names: ['copilot', '@github/copilot'], variable: 'COPILOT_CLI' },
  roots: rootsOf,
  locate,
  sniff: sniffEvents,
  createReader: ({ id }: LocatedSession, source: LocatedSource) =>
    source.role === 'workspace' ? createWorkspaceReader(id, source.id) : createEventReader(id, source.id),
  follow,
  stream,
  openBodies: (session, source, agent) => (source.role === 'events' ? openBodies(session, source, agent) : NO_BODIES),
  hooks,
  hookSettings,
  continuing,
};
