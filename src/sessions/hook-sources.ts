import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgentEvent,
  hostOf,
  isUnnamed,
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
import { asObject, asText, isObject, parseJsonBytes, recordInLine } from '../lib/json.ts';
import type { Line } from '../lib/lines.ts';
import { append } from '../lib/regular-file.ts';

/**
 * What hooks told lies in troupe's own folder, one file a session, and is one more source of it: read, followed and
 * forgotten like the host's. A host without hooks stays as it is.
 */
export function withHooks(adapter: SourceAdapter, folder: string): SourceAdapter {
  const { hooks } = adapter;
  if (!hooks) return adapter;
  const reader = (session: SessionId, source: SourceId) => createHookReader(hooks, session, source);
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

function createHookReader(hooks: HooksCapability, session: SessionId, source: SourceId): SourceReader {
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

/** Keeps what only a stream knows where `sessions/stream-sources.ts` finds it: `<folder>/<host>/<session>.jsonl`. */
export interface ToldWriter {
  add(session: SessionId, facts: readonly AgentEvent[]): void;
  end(): Promise<void>;
}

/** A name that is a path would lead elsewhere. */
const FILE_NAME = /^[\w.-]{1,200}$/;

export function createToldWriter(folder: string, onError: (error: unknown) => void): ToldWriter {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = '';
  const made = new Set<string>();
  const write = async (at: string, file: string): Promise<void> => {
    const text = waiting;
    waiting = '';
    if (text === '') return;
    if (!made.has(at)) await mkdir(at, { recursive: true, mode: 0o700 });
    made.add(at);
    await append(file, text);
  };
  return {
    add(session, facts) {
      const name = nativeId(session);
      const told = facts.filter(
        (fact) => TOLD_BY_STREAMS.has(fact.kind) && !('agent' in fact && isUnnamed(fact.agent)),
      );
      if (told.length === 0 || !FILE_NAME.test(name) || name.startsWith('.')) return;
      const bare = told.map(({ session: _session, origin: _origin, ...fact }) => fact);
      waiting += `${JSON.stringify({ facts: bare })}\n`;
      const at = path.join(folder, hostOf(session));
      last = last.then(() => write(at, path.join(at, `${name}.jsonl`))).catch(onError);
    },
    end: async () => void (await last),
  };
}
