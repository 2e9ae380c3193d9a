import type { SourceAdapter } from '../index.ts';
import { NO_TRANSCRIPT } from '../shared/index.ts';
import { hookSettings, hooks } from './hooks/index.ts';
import { copilotHost } from './host.ts';
import { follow, locate } from './locate.ts';
import { createEventReader, createWorkspaceReader } from './parse-events.ts';
import { sniffEvents } from './record.ts';
import { resume } from './resume.ts';
import { stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

export const copilot: SourceAdapter = {
  ...copilotHost,
  locate,
  sniff: sniffEvents,
  createReader: ({ id }, source) =>
    source.role === 'workspace' ? createWorkspaceReader(id, source.id) : createEventReader(id, source.id),
  follow,
  stream,
  openTranscript: (session, source, agent) =>
    source.role === 'events' ? openTranscript(session, source, agent) : NO_TRANSCRIPT,
  hooks,
  hookSettings,
  resume,
};
