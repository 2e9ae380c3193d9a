import { mainAgentOf } from '../../core/index.ts';
import type { LocatedSession, LocatedSource, OpenTranscript, SourceAdapter, SourceReader } from '../index.ts';
import { sniffRollout } from './data-folder.ts';
import { hookSettings, hooks } from './hooks.ts';
import { codexHost } from './host.ts';
import { follow, locate, type Role } from './locate.ts';
import { createRolloutReader, type RolloutOf } from './read-rollout.ts';
import { resume } from './resume.ts';
import { createStreamReader, stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

const READERS: Readonly<Record<Role, (of: RolloutOf) => SourceReader>> = {
  rollout: createRolloutReader,
  stream: createStreamReader,
};

/** A print of the items is no conversation: what was said to the model is not in it. */
const NO_BODIES: OpenTranscript = { places: async () => [], read: async () => [], leftOut: () => ({}) };

export const codex: SourceAdapter = {
  ...codexHost,
  locate,
  sniff: sniffRollout,
  createReader(session: LocatedSession, source: LocatedSource) {
    const of = { session: session.id, source: source.id, agent: source.agent ?? mainAgentOf(session.id) };
    return READERS[source.role as Role](of);
  },
  follow,
  stream,
  openTranscript: (session, source, agent) =>
    source.role === 'rollout' ? openTranscript(session, source, agent) : NO_BODIES,
  hooks,
  hookSettings,
  resume,
};
