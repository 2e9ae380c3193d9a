import type { PrintedRecords, ResumeCapability, ResumePlan } from '../../core/index.ts';
import { asObject, asText, known, parseObject } from '../../lib/json.ts';
import { isAtLeast } from '../../lib/version-number.ts';
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

// Resuming an agent. A sub-agent is a session like any other, and resumed by its own id (1.18.33).

const PROGRAM = 'opencode';
const UNATTENDED = 'Nobody can be asked: OpenCode refuses what your settings do not allow.';

/** `run --format json`. */
const printed: PrintedRecords = {
  sessionIn: (line) => asText(parseObject(line)?.['sessionID']),
  textIn(line) {
    const { type, part, error } = parseObject(line) ?? {};
    if (type === 'text') return asText(asObject(part)?.['text']);
    return type === 'error'
      ? (asText(asObject(asObject(error)?.['data'])?.['message']) ??
          asText(asObject(error)?.['message']) ??
          'OpenCode failed.')
      : undefined;
  },
};

const resume: ResumeCapability = {
  planResume({ agent, isMain, isAtHome, isSessionOpen, version }, { message, fork }) {
    if (!isAtHome) return { whyNot: 'its data lies outside of the folder that OpenCode reads.' };
    if (isSessionOpen && !fork) return { whyNot: 'its session is still at work.' };
    const at = ['--session', agent, ...(fork ? ['--fork'] : [])];
    // Since 2.0 the terminal has no such option.
    const inTerminal = fork && isAtLeast(version, '2.0.0') ? ['mini', ...at] : at;
    return {
      way: isMain ? 'session' : 'own',
      words: fork
        ? "OpenCode goes on in a copy of the agent's own session."
        : "OpenCode goes on in the agent's own session.",
      limits: message === undefined ? [] : [UNATTENDED],
      call:
        message === undefined
          ? { program: PROGRAM, args: inTerminal }
          : { program: PROGRAM, args: ['run', ...at, '--format', 'json'], stdin: message, printed },
      ...(fork && { begins: {} }),
    };
  },
  begin: (text, { message }): ResumePlan => ({
    way: 'handover',
    words: 'A new session of OpenCode is told what the agent was asked, did and found.',
    limits: message === undefined ? [] : [UNATTENDED],
    call: {
      program: PROGRAM,
      args: message === undefined ? [`--prompt=${text}`] : ['run', '--format', 'json'],
      ...known(message === undefined ? {} : { stdin: text, printed }),
    },
    begins: {},
  }),
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
