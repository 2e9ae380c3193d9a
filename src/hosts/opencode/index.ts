import type { LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../index.ts';
import { openBodies } from './bodies/open-bodies.ts';
import { continuing } from './continuing.ts';
import { rootsOf } from './data-folder.ts';
import { openDatabase } from './database/cursor.ts';
import { kindOf } from './files/file-kinds.ts';
import { stream } from './files/live-stream.ts';
import { createEventsReader } from './files/read-events.ts';
import { createExportReader } from './files/read-export.ts';
import { createStreamReader } from './files/read-stream.ts';
import { follow } from './follow.ts';
import { hooks } from './hooks/index.ts';
import { hookSettings } from './hooks/settings.ts';
import { locate, type Role } from './locate.ts';
import { type Door, HOST } from './record.ts';
import { openServer } from './server/cursor.ts';
import { questions } from './server/questions.ts';
import { steering } from './server/steering.ts';
import { openStorage } from './storage/cursor.ts';

/** What comes through these doors is a copy of what the program keeps, and may be a part of it. */
const ECHOES: ReadonlySet<Role> = new Set(['stream', 'events']);

const TABLES = { database: openDatabase, storage: openStorage, server: openServer } as const;

const READERS: Readonly<Record<Exclude<Role, keyof typeof TABLES>, (door: Door) => SourceReader>> = {
  export: createExportReader,
  stream: createStreamReader,
  events: createEventsReader,
};

export const opencode: SourceAdapter = {
  host: HOST,
  title: 'OpenCode',
  process: { names: ['opencode', 'opencode-ai', '@opencode/cli'], variable: 'OPENCODE' },
  roots: rootsOf,
  locate,
  sniff: (head) => kindOf(head) !== undefined,
  createReader({ id: session }: LocatedSession, { id: source, role }: LocatedSource) {
    const door: Door = { session, source, ...(ECHOES.has(role as Role) && { isEcho: true }) };
    return READERS[role as keyof typeof READERS](door);
  },
  openTable: (session, source) => TABLES[source.role as keyof typeof TABLES](session, source),
  takesAddresses: true,
  follow,
  stream,
  openBodies,
  hooks,
  hookSettings,
  questions,
  continuing,
  steering,
};
