import path from 'node:path';
import { mainAgentOf } from '../../core/index.ts';
import { isFolder } from '../../lib/folders.ts';
import type { Machine, SourceAdapter, UnsupportedAgent } from '../index.ts';
import { createResumePlans, NO_TRANSCRIPT } from '../shared/index.ts';
import { readSpawnExchange } from './calls.ts';
import { hookSettings, hooks } from './hooks/index.ts';
import { geminiHost } from './host.ts';
import { follow, locate } from './locate.ts';
import { createChatReader, sniffChat } from './parse-chat.ts';
import { stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

/** The successor of Gemini CLI keeps its data in another form, beside that of Gemini CLI. */
async function findAntigravity({ home }: Machine): Promise<readonly UnsupportedAgent[]> {
  const folder = path.join(home, '.gemini', 'antigravity-cli');
  return (await isFolder(folder)) ? [{ title: 'Antigravity CLI', folder }] : [];
}

export const gemini: SourceAdapter = {
  unsupported: findAntigravity,
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
