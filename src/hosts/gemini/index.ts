import { mainAgentOf } from '../../core/index.ts';
import type { SourceAdapter } from '../index.ts';
import { createResumePlans, NO_TRANSCRIPT } from '../shared/index.ts';
import { readSpawnExchange } from './calls.ts';
import { hookSettings, hooks } from './hooks/index.ts';
import { geminiHost } from './host.ts';
import { follow, locate } from './locate.ts';
import { createChatReader, sniffChat } from './parse-chat.ts';
import { stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

export const gemini: SourceAdapter = {
  ...geminiHost,
  locate,
  sniff: sniffChat,
  createReader: createChatReader,
  follow,
  stream,
  openTranscript: (session, source, agent) =>
    agent === (source.agent ?? mainAgentOf(session.id)) ? openTranscript(source) : NO_TRANSCRIPT,
  readSpawnExchange,
  hooks,
  hookSettings,
  resume: createResumePlans({ program: 'gemini', title: 'Gemini CLI', namesSessionsSince: '0.47.0' }),
};
