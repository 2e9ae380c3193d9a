// `workspace.yaml`: a few fields of a session, one a line. Of use is the name that the person or the program gave it.

import type { AgentEvent, SessionId, SourceId } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import type { SourceReader } from '../index.ts';

export function createWorkspaceReader(session: SessionId, source: SourceId): SourceReader {
  return {
    read({ bytes, length }) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
      // `summary` up to about 1.0.3x.
      const name = fieldIn(text, 'name') ?? fieldIn(text, 'summary');
      if (name === undefined) return [];
      const titleKind = fieldIn(text, 'user_named') === 'true' ? 'custom' : 'generated';
      const at = Date.parse(fieldIn(text, 'updated_at') ?? '');
      const origin = { source, offset: 0, length };
      const titled = { kind: 'session-titled', session, origin, title: name, titleKind } as const;
      return [{ ...titled, ...known({ at: Number.isNaN(at) ? undefined : at }) } satisfies AgentEvent];
    },
  };
}

/**
 * A field of the topmost level with a value of one line: bare, or in quotes. The program writes nothing else there; a
 * value over several lines is left out rather than half read.
 */
function fieldIn(yaml: string, key: string): string | undefined {
  const raw = new RegExp(`^${key}: *(.*)$`, 'm').exec(yaml)?.[1]?.trim();
  if (raw === undefined || raw === '' || /^[|>&*!]/.test(raw)) return undefined;
  if (raw.startsWith("'")) return /^'((?:[^']|'')*)'$/.exec(raw)?.[1]?.replaceAll("''", "'");
  if (!raw.startsWith('"')) return raw;
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
