// What these hosts print with `-o stream-json`, one JSON object a line.

import type { SessionId, SourceId } from '../../../core/index.ts';
import { type JsonObject, known, parseJsonBytes, recordInLine } from '../../../lib/json.ts';
import type { CallPrompt, StreamReader, StreamResult } from '../../index.ts';
import { type FactPlace, factsInLine } from '../line-facts.ts';

export interface StreamPlace extends FactPlace {
  /** Prompts of the line's calls, whole. */
  readonly prompts: CallPrompt[];
}

export function createRecordStream(
  session: SessionId,
  source: SourceId,
  parse: (record: JsonObject, place: StreamPlace) => void,
  toResult: (record: JsonObject) => StreamResult,
): StreamReader {
  return {
    read(line) {
      const prompts: CallPrompt[] = [];
      const found = recordInLine(line, parseJsonBytes);
      const facts = factsInLine(session, source, line, found, (record, place) => parse(record, { ...place, prompts }));
      const result = found.record?.['type'] === 'result' ? toResult(found.record) : undefined;
      return { facts, ...(prompts.length > 0 && { prompts }), ...known({ result }) };
    },
  };
}
