import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../adapters/adapter.ts';
import { nativeId, type SessionId, type SourceId, toSessionId, toSourceId } from '../model/ids.ts';

/**
 * What hooks told lies in troupe's own folder, one file a session, and is one more source of it: read, followed and
 * forgotten like the host's. A host without hooks stays as it is.
 */
export function withHooks(adapter: SourceAdapter, folder: string): SourceAdapter {
  const { hooks } = adapter;
  return hooks ? withTold(adapter, { role: 'hooks', folder, createReader: hooks.createHookReader }) : adapter;
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
