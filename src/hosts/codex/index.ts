import { mainAgentOf } from '../../core/index.ts';
import type { LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../index.ts';
import { NO_TRANSCRIPT } from '../shared/index.ts';
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
  // A print of the items is no conversation: what was said to the model is not in it.
  openTranscript: (session, source, agent) =>
    source.role === 'rollout' ? openTranscript(session, source, agent) : NO_TRANSCRIPT,
  hooks,
  hookSettings,
  resume,
};
