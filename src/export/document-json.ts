import type { DocumentHead, FlatTranscript, Transcript } from '../core/index.ts';

/**
 * An exported session as JSON, piece by piece: one message a line, and never more than one message in a piece. The same
 * input gives the same bytes.
 */
export async function* formatDocument(
  head: DocumentHead,
  transcripts: AsyncIterable<FlatTranscript> | Iterable<FlatTranscript>,
): AsyncGenerator<string> {
  /** How many transcripts are open, and wait for their sub-agents. */
  let open = 0;
  for await (const { depth, transcript } of transcripts) {
    const level = Math.min(depth, open);
    if (open > level) yield `${'\n]}'.repeat(open - level)},\n`;
    else if (open > 0) yield '\n';
    yield `{${level === 0 ? `${fieldsOf(head, HEAD)},\n` : ''}${fieldsOf(transcript, FIELDS)},"messages":[`;
    let separator = '\n';
    for (const message of transcript.messages) {
      yield separator + JSON.stringify(message);
      separator = ',\n';
    }
    yield '\n],"sub_agents":[';
    open = level + 1;
  }
  if (open > 0) yield `${'\n]}'.repeat(open)}\n`;
}

const HEAD = ['format', 'version', 'session', 'skipped'] as const satisfies readonly (keyof DocumentHead)[];

/** In the order in which they are written, whatever order an object has them in. */
const FIELDS = [
  'session_id',
  'parent_session_id',
  'agent',
  'model',
  'title',
  'created_at',
  'updated_at',
  'author',
  'usage',
  'diff_stats',
  'known_from',
  'left_out',
] as const satisfies readonly (keyof Transcript)[];

function fieldsOf<T extends object>(value: T, keys: readonly (keyof T & string)[]): string {
  return keys.map((key) => `"${key}":${JSON.stringify(value[key])}`).join(',');
}
