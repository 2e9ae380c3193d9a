import { mainAgentOf } from '../../core/index.ts';
import type { Bodies, LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../index.ts';
import { continuing } from './continuing.ts';
import { rootsOf } from './data-folder.ts';
import { follow } from './follow.ts';
import { hooks } from './hooks/index.ts';
import { hookSettings } from './hooks/settings.ts';
import { HOST } from './line-context.ts';
import { locate, type Role } from './locate.ts';
import { openBodies } from './open-bodies.ts';
import { createRolloutReader, type RolloutOf } from './read-rollout.ts';
import { createStreamReader } from './read-stream.ts';
import { sniffRollout } from './sniff.ts';
import { stream } from './stream.ts';

const READERS: Readonly<Record<Role, (of: RolloutOf) => SourceReader>> = {
  rollout: createRolloutReader,
  stream: createStreamReader,
};

/** A print of the items is no conversation: what was said to the model is not in it. */
const NO_BODIES: Bodies = { places: async () => [], read: async () => [], leftOut: () => ({}) };

export const codex: SourceAdapter = {
  host: HOST,
  title: 'Codex',
  process: { names: ['codex', '@openai/codex'], variable: 'CODEX_THREAD_ID' },
  roots: rootsOf,
  locate,
  sniff: sniffRollout,
  createReader(session: LocatedSession, source: LocatedSource) {
    const of = { session: session.id, source: source.id, agent: source.agent ?? mainAgentOf(session.id) };
    return READERS[source.role as Role](of);
  },
  follow,
  stream,
  openBodies: (session, source, agent) => (source.role === 'rollout' ? openBodies(session, source, agent) : NO_BODIES),
  hooks,
  hookSettings,
  continuing,
};
