import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  nativeId,
  parseStartedBy,
  type SessionBegun,
  type SessionId,
  type SessionStarted,
  type SourceId,
  toSessionId,
  toSourceId,
} from '../core/index.ts';
import type { HooksCapability, LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../hosts/index.ts';
import { asObject, asText, parseJsonBytes } from '../lib/json.ts';
import type { Line } from '../lib/lines.ts';

/**
 * What hooks told lies in troupe's own folder, one file a session, and is one more source of it: read, followed and
 * forgotten like the host's. A host without hooks stays as it is.
 */
export function withHooks(adapter: SourceAdapter, folder: string): SourceAdapter {
  const { hooks } = adapter;
  if (!hooks) return adapter;
  const reader = (session: SessionId, source: SourceId) => createReader(hooks, session, source);
  return withTold(adapter, { role: 'hooks', folder, createReader: reader });
}

/** Files of ours that tell about sessions of a host: one a session, by its name. */
export interface ToldFolder {
  /** What they are: part of the source's id. */
  readonly role: string;
  readonly folder: string;
  createReader(session: SessionId, source: SourceId): SourceReader;
}

export function withTold(adapter: SourceAdapter, told: ToldFolder): SourceAdapter {
  const { follow } = adapter;
  return {
    ...adapter,
    async locate(root) {
      const [located, names] = await Promise.all([adapter.locate(root), namesIn(told.folder)]);
      return { ...located, sessions: located.sessions.map((session) => addTold(session, told, names)) };
    },
    createReader: (session, source) =>
      source.role === told.role ? told.createReader(session.id, source.id) : adapter.createReader(session, source),
    ...(follow && {
      follow: {
        ...follow,
        async locateParts(root: string, part: string, ids: readonly SessionId[]) {
          const [located, names] = await Promise.all([follow.locateParts(root, part, ids), namesIn(told.folder)]);
          return located.map((session) => addTold(session, told, names));
        },
      },
    }),
  };
}

/** The session that a file in such a folder tells about. */
export function sessionToldIn(host: string, file: string): SessionId {
  return toSessionId(host, path.basename(file, SUFFIX));
}

const SUFFIX = '.jsonl';

function createReader(hooks: HooksCapability, session: SessionId, source: SourceId): SourceReader {
  const reader = hooks.createHookReader(session, source);
  return {
    read(line) {
      const { facts, isAlone } = startIn(line, session, source);
      return isAlone ? facts : [...reader.read(line), ...facts];
    },
  };
}

const STARTED_BY = Buffer.from('"startedBy":');

interface Start {
  readonly facts: readonly (SessionBegun | SessionStarted)[];
  /** The line has nothing that the host told. */
  readonly isAlone: boolean;
}

/** What a hook's environment says is the same for all hosts, and stands beside what the host told. */
function startIn(line: Line, session: SessionId, source: SourceId): Start {
  const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength);
  const record = bytes.includes(STARTED_BY) ? asObject(parseJsonBytes(line.bytes)) : undefined;
  const text = asText(record?.['startedBy']);
  const starter = text === undefined ? undefined : parseStartedBy(text);
  const by = starter && record?.['isContinued'] === true ? { ...starter, isContinued: true as const } : starter;
  if (!record || !by) return { facts: [], isAlone: false };
  const origin = { source, offset: line.offset, length: line.length };
  const started = asText(record['started']) as SessionId | undefined;
  const place = { session, origin };
  return {
    facts: [
      started === undefined ? { kind: 'session-begun', ...place, by } : { kind: 'session-started', ...place, started },
    ],
    isAlone: record['payload'] === undefined,
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(folder).catch(() => []));
}

/** Nothing that is told makes a session: without files of its own there is none. */
function addTold(session: LocatedSession, { role, folder }: ToldFolder, names: ReadonlySet<string>): LocatedSession {
  const name = nativeId(session.id) + SUFFIX;
  if (!names.has(name) || session.sources.length === 0) return session;
  const source: LocatedSource = {
    id: toSourceId(`${role}/${name}`),
    path: path.join(folder, name),
    shape: 'lines',
    role,
    companion: true,
  };
  return { ...session, sources: [...session.sources, source] };
}
