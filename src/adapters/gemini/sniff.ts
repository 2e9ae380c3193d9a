// Whether a file is Gemini CLI's, by its first bytes.
import { sessionInHead } from './chat-head.ts';

/** The head of a chat comes first in a document as in lines, and no other host writes its first two fields together. */
export function sniffChat(head: Uint8Array): boolean {
  return sessionInHead(head) !== undefined;
}
