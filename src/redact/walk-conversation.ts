import type { TranscriptMessage } from '../core/index.ts';
import { mapped, type StringHandler, walkStrings } from './walk-strings.ts';

/** A transcript, or the messages of one that is not known yet. */
export interface Conversation {
  readonly session_id?: string;
  readonly messages: readonly TranscriptMessage[];
}

/** What is done with a message; `walkOn` handles its texts. Answers what stands in its place. */
type OnMessage = (message: TranscriptMessage, index: number, walkOn: () => TranscriptMessage) => TranscriptMessage;

const NO_MESSAGES: readonly never[] = [];

/** As `walkStrings`, message by message; all else comes first. */
export function walkConversation<Talk extends Conversation>(
  conversation: Talk,
  handler: StringHandler,
  onMessage: OnMessage,
): Talk {
  const place = { agent: conversation.session_id ?? null, message: null, field: undefined };
  const head = walkStrings({ ...conversation, messages: NO_MESSAGES }, place, handler) as Talk;
  const messages = mapped(conversation.messages, (message, index) =>
    onMessage(message, index, () => walkStrings(message, place, handler) as TranscriptMessage),
  );
  return { ...head, messages };
}
