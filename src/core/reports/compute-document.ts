import { assertFound } from '../../lib/user-error.ts';
import { nativeId } from '../ids.ts';
import { type FlatTranscript, nestTranscripts } from '../nest-transcripts.ts';
import type { OpenedTranscripts } from '../ports.ts';
import type { Transcript } from '../transcript.ts';
import { computeTree } from './compute-tree.ts';
import type { TranscriptDocument } from './transcript-document.ts';

/** What stands before the conversations in a document. */
export type DocumentHead = Omit<TranscriptDocument, keyof Transcript>;

export function computeDocumentHead(opened: Omit<OpenedTranscripts, 'read' | 'ledger'>): DocumentHead {
  const taken = new Set(opened.agents.map(({ node }) => nativeId(node.id)));
  const session = computeTree(opened, { internal: true });
  // One that the host started for itself is among them only where its conversation comes along.
  const agents = session.agents.filter(({ id, kind }) => kind !== 'internal' || taken.has(id));
  return { format: 'troupe-transcript', version: 1, session: { ...session, agents }, skipped: opened.skipped };
}

/** All of it in memory, for sessions of a reasonable size; `export/document-json.ts` writes any. */
export async function readDocument(opened: OpenedTranscripts): Promise<TranscriptDocument> {
  const flat: FlatTranscript[] = [];
  for await (const { depth, transcript } of opened.read()) flat.push({ depth, transcript });
  const root = assertFound(nestTranscripts(flat), 'the main agent is always among those that are read');
  return { ...computeDocumentHead(opened), ...root };
}
