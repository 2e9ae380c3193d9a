import type { LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../index.ts';
import { openDatabase } from './database/cursor.ts';
import { createEventsReader } from './events.ts';
import { createExportReader, kindOf } from './files.ts';
import { follow } from './follow.ts';
import { hooks } from './hooks/index.ts';
import { hookSettings } from './hooks/settings.ts';
import { opencodeHost } from './host.ts';
import { findOrigin, locate, type Role } from './locate.ts';
import type { RecordContext } from './record.ts';
import { resume } from './resume.ts';
import { questions, steering } from './server/control.ts';
import { openServer } from './server/cursor.ts';
import { openStorage } from './storage.ts';
import { createStreamReader, stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

/** Copies of what the program keeps, maybe incomplete. */
const ECHOES: ReadonlySet<Role> = new Set(['stream', 'events']);

const TABLES = { database: openDatabase, storage: openStorage, server: openServer } as const;

const READERS: Readonly<Record<Exclude<Role, keyof typeof TABLES>, (context: RecordContext) => SourceReader>> = {
  export: createExportReader,
  stream: createStreamReader,
  events: createEventsReader,
};

export const opencode: SourceAdapter = {
  ...opencodeHost,
  locate,
  findOrigin,
  sniff: (head) => kindOf(head) !== undefined,
  createReader({ id: session }: LocatedSession, { id: source, role }: LocatedSource) {
    const context: RecordContext = { session, source, begun: {}, ...(ECHOES.has(role as Role) && { isEcho: true }) };
    return READERS[role as keyof typeof READERS](context);
  },
  openTable: (session, source) => TABLES[source.role as keyof typeof TABLES](session, source),
  follow,
  stream,
  openTranscript,
  hooks,
  hookSettings,
  questions,
  resume,
  steering,
};
