import { mainAgentOf } from '../../core/index.ts';
import type { Bodies, SourceAdapter } from '../index.ts';
import { continuingWith } from '../shared/index.ts';
import { errandIn } from './calls.ts';
import { hookSettings, hooks } from './hooks/index.ts';
import { geminiHost } from './host.ts';
import { follow, locate } from './locate.ts';
import { createChatReader, sniffChat } from './parse-chat.ts';
import { stream } from './stream.ts';
import { openBodies } from './transcript.ts';

const NO_TRANSCRIPT: Bodies = { places: async () => [], read: async () => [], leftOut: () => ({}) };

export const gemini: SourceAdapter = {
  ...geminiHost,
  locate,
  sniff: sniffChat,
  createReader: createChatReader,
  follow,
  stream,
  openBodies: (session, source, agent) =>
    agent === (source.agent ?? mainAgentOf(session.id)) ? openBodies(source) : NO_TRANSCRIPT,
  errandIn,
  hooks,
  hookSettings,
  continuing: continuingWith({ program: 'gemini', title: 'Gemini CLI', namesSessionsSince: '0.47.0' }),
};
