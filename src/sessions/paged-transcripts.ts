import type { MessageRange, Transcript, TranscriptMessage } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import type { TranscriptPage } from './live-feed.ts';

export type ReadPage = (agent: string, range: MessageRange, session: string) => Promise<TranscriptPage | undefined>;

const PAGE = 500;
/** Results are added to messages that were read before: so many of the last ones are read again. */
const OVERLAP = 50;

/** Whole transcripts out of pages. Of the one that was read last, only what is new is read again. */
export function pagedTranscripts(readPage: ReadPage) {
  let kept: { readonly key: string; readonly messages: readonly TranscriptMessage[] } | undefined;
  return async (agent: string, session: string): Promise<{ readonly transcript: Transcript }> => {
    const key = `${session} ${agent}`;
    let messages = kept?.key === key ? kept.messages.slice(0, -OVERLAP) : [];
    for (;;) {
      const page = await readPage(agent, { from: messages.length, limit: PAGE }, session);
      if (!page) throw new UserError('agent-not-found', 'This agent is not there any more.', 'Go back with escape.');
      // It was written anew, and is shorter now.
      if (page.total < messages.length) {
        messages = [];
        continue;
      }
      messages = [...messages, ...page.messages];
      if (messages.length < page.total && page.messages.length > 0) continue;
      kept = { key, messages };
      return { transcript: { ...page, messages } };
    }
  };
}
