import { mainAgentOf } from '../../core/index.ts';
import type { SourceAdapter } from '../index.ts';
import { createResumePlans, NO_TRANSCRIPT } from '../shared/index.ts';
import { createSidecarReader, readSpawnExchange } from './agents.ts';
import { hookSettings, hooks } from './hooks/index.ts';
import { qwenHost } from './host.ts';
import { follow, locate, locateAgents } from './locate.ts';
import { createConversationReader, sniffConversation } from './parse-lines.ts';
import { stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

export const qwen: SourceAdapter = {
  ...qwenHost,
  locate,
  locateAgents,
  sniff: sniffConversation,
  createReader: (session, source) =>
    source.role === 'sidecar' ? createSidecarReader(session, source) : createConversationReader(session, source),
  follow,
  stream,
  // A conversation belongs to one agent.
  openTranscript: (session, source, agent) =>
    source.role !== 'sidecar' && agent === (source.agent ?? mainAgentOf(session.id))
      ? openTranscript(source)
      : NO_TRANSCRIPT,
  readSpawnExchange,
  hooks,
  hookSettings,
  resume: createResumePlans({
    program: 'qwen',
    title: 'Qwen Code',
    namesSessionsSince: '0.12.0',
    forksSince: '0.23.4',
  }),
};
