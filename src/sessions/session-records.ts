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

/** Files of troupe about the sessions of a host, one per session, named after it. */
interface RecordFolder {
  /** Part of the source's id. */
  readonly role: string;
  readonly folder: string;
  createReader(session: SessionId, source: SourceId): SourceReader;
}

/** Adds what the hooks of a host recorded as one more source of its sessions. */
export function withHooks(adapter: SourceAdapter, folder: string): SourceAdapter {
  return withRecords(adapter, {
    role: 'hooks',
    folder,
    createReader: (session, source) =>
      adapter.hooks ? createHookReader(adapter.hooks, session, source) : { read: () => [] },
  });
}

/** Adds what the streams of `troupe run` recorded, which no file of the host says as early. */
export function withStreams(adapter: SourceAdapter, folder: string): SourceAdapter {
  return withRecords(adapter, { role: STREAM_ROLE, folder, createReader: createStreamReader });
}

function withRecords(adapter: SourceAdapter, records: RecordFolder): SourceAdapter {
  const { role, folder } = records;
  const addRecords = async (sessions: readonly LocatedSession[]): Promise<readonly LocatedSession[]> => {
    const names = new Set(await readdir(folder).catch(() => []));
    return sessions.map((session) => {
      const name = nativeId(session.id) + SUFFIX;
      // A record alone is not a session: the host must have files of it.
      if (!names.has(name) || session.sources.length === 0) return session;
      const [id, file] = [toSourceId(`${role}/${name}`), path.join(folder, name)];
      return { ...session, sources: [...session.sources, { id, path: file, shape: 'lines', role, companion: true }] };
    });
  };
  const own = {
    async locate(root: string) {
      const located = await adapter.locate(root);
      return located.sessions.length === 0 ? located : { ...located, sessions: await addRecords(located.sessions) };
    },
    createReader: (session: LocatedSession, source: LocatedSource) =>
      source.role === role ? records.createReader(session.id, source.id) : adapter.createReader(session, source),
    get follow() {
      const { follow } = adapter;
      return (
        follow && {
          ...follow,
          locateParts: async (root: string, part: string, ids: readonly SessionId[]) =>
            addRecords(await follow.locateParts(root, part, ids)),
        }
      );
    },
  };
  // The adapter may be loaded later: everything else is looked up in it when it is asked for.
  return Object.create(adapter, Object.getOwnPropertyDescriptors(own));
}

/** The session that a record is about. */
export function sessionOfRecord(host: string, file: string): SessionId {
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

/** What a hook's environment says is the same for all hosts, and stands beside what the host told. */
function startIn(line: Line, session: SessionId, source: SourceId) {
  const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength);
  const record = bytes.includes(STARTED_BY) ? asObject(parseJsonBytes(line.bytes)) : undefined;
  const text = asText(record?.['startedBy']);
  const starter = text === undefined ? undefined : parseStartedBy(text);
  const by = starter && record?.['isContinued'] === true ? { ...starter, isContinued: true as const } : starter;
  if (!record || !by) return { facts: [], isAlone: false };
  const started = asText(record['started']) as SessionId | undefined;
  const place = { session, origin: { source, offset: line.offset, length: line.length } };
  const fact: SessionBegun | SessionStarted =
    started === undefined ? { kind: 'session-begun', ...place, by } : { kind: 'session-started', ...place, started };
  /** `isAlone`: the line has nothing that the host told. */
  return { facts: [fact], isAlone: record['payload'] === undefined };
}

export const STREAM_ROLE = 'streams';

/** Who works, at what, for whom and until when: messages are in the host's own files. */
const STREAM_FACTS: ReadonlySet<string> = new Set<AgentEvent['kind']>([
  'spawn-requested',
  'agent-linked',
  'agent-seen',
  'run-resumed',
  'run-ended',
  'tool-started',
  'tool-ended',
]);

function createStreamReader(session: SessionId, source: SourceId): SourceReader {
  return {
    read(line) {
      const origin = { source, offset: line.offset, length: line.length };
      const { record, problem } = recordInLine(line, parseJsonBytes);
      if (problem) return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }];
      const facts = record?.['facts'];
      return (Array.isArray(facts) ? facts : [])
        .filter((fact) => isObject(fact) && STREAM_FACTS.has(String(fact['kind'])))
        .map((fact) => ({ ...(fact as unknown as AgentEvent), session, origin }));
    },
  };
}

/** A session id with other characters could lead out of the folder. */
const FILE_NAME = /^[\w.-]{1,200}$/;

/** Keeps what only a stream knows: `<folder>/<host>/<session>.jsonl`, lines `{"facts":[…]}` without session and origin. */
export function createStreamRecorder(folder: string, onError: (error: unknown) => void) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = '';
  const made = new Set<string>();
  const write = async (hostFolder: string, name: string): Promise<void> => {
    const text = waiting;
    waiting = '';
    if (text === '') return;
    if (!made.has(hostFolder)) await mkdir(hostFolder, { recursive: true, mode: 0o700 });
    made.add(hostFolder);
    await append(path.join(hostFolder, name), text);
  };
  return {
    add(session: SessionId, facts: readonly AgentEvent[]): void {
      const name = nativeId(session);
      const kept = facts.filter((fact) => STREAM_FACTS.has(fact.kind) && !('agent' in fact && isUnnamed(fact.agent)));
      if (kept.length === 0 || !FILE_NAME.test(name) || name.startsWith('.')) return;
      const bare = kept.map(({ session: _session, origin: _origin, ...fact }) => fact);
      waiting += `${JSON.stringify({ facts: bare })}\n`;
      last = last.then(() => write(path.join(folder, hostOf(session)), name + SUFFIX)).catch(onError);
    },
    end: async (): Promise<void> => void (await last),
  };
}
