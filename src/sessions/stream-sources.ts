import type { AgentEvent, SessionId, SourceId } from '../core/index.ts';
import type { SourceAdapter, SourceReader } from '../hosts/index.ts';
import { isObject, parseJsonBytes, recordInLine } from '../lib/json.ts';
import { withTold } from './hook-sources.ts';

export const TOLD_ROLE = 'streams';

/**
 * What the streams of `troupe run` told, and no file says as early: one more source of a session, like what hooks told. Lines
 * `{"facts":[…]}`, facts without their session and place.
 */
export function withStreams(adapter: SourceAdapter, folder: string): SourceAdapter {
  return adapter.stream ? withTold(adapter, { role: TOLD_ROLE, folder, createReader: createFactReader }) : adapter;
}

/** Who works, at what, for whom and until when: conversations are in the host's own files. */
export const TOLD_BY_STREAMS: ReadonlySet<string> = new Set<AgentEvent['kind']>([
  'spawn-requested',
  'agent-linked',
  'agent-seen',
  'run-resumed',
  'run-ended',
  'tool-started',
  'tool-ended',
]);

function createFactReader(session: SessionId, source: SourceId): SourceReader {
  return {
    read(line) {
      const origin = { source, offset: line.offset, length: line.length };
      const { record, problem } = recordInLine(line, parseJsonBytes);
      if (problem) return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }];
      const facts = record?.['facts'];
      return (Array.isArray(facts) ? facts : [])
        .filter((fact) => isObject(fact) && TOLD_BY_STREAMS.has(String(fact['kind'])))
        .map((fact) => ({ ...(fact as unknown as AgentEvent), session, origin }));
    },
  };
}
