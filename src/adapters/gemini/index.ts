import type { SourceAdapter } from '../adapter.ts';
import { errandIn } from './agent-calls.ts';
import { rootsOf } from './data-folder.ts';
import { follow } from './follow.ts';
import { HOST } from './line-context.ts';
import { locate } from './locate.ts';
import { openBodies } from './open-bodies.ts';
import { createChatReader } from './read-chat.ts';
import { sniffChat } from './sniff.ts';

export const gemini: SourceAdapter = {
  host: HOST,
  title: 'Gemini CLI',
  roots: rootsOf,
  locate,
  sniff: sniffChat,
  createReader: createChatReader,
  follow,
  openBodies: (_session, source) => openBodies(source),
  errandIn,
};
