// A transcript (`<session>.jsonl`, `agent-<id>.jsonl`) line by line. `PARSERS` has one for each kind of line.

import {
  type AgentEvent,
  type AgentId,
  type Diagnostic,
  type EventOrigin,
  mainAgentOf,
  nativeId,
  type SessionId,
  type SourceId,
  type TitleKind,
  toSessionId,
} from '../../core/index.ts';
import { asAmount, asInstant, asObject, asText, isObject, known } from '../../lib/json.ts';
import { versionNumber } from '../../lib/version-number.ts';
import type { SourceReader } from '../index.ts';
import { atOf, createAskedCommands, emitTimed, isCutCommand } from '../shared/index.ts';
import { internalPurpose, nativeAgentOf, workflowRunOf } from './data-folder.ts';
import {
  agentIdOf,
  callIdOf,
  createFileState,
  type FileState,
  HOST,
  type LineContext,
  type LineParser,
  speakerOf,
} from './line-context.ts';
import { parseAssistant } from './parse-assistant.ts';
import { parseAttachment, parseQueueOperation, parseUser } from './parse-user.ts';
import { blocksOf, isShortened, parseLine, parseWhole, type RawRecord, recordsIn, typeOf } from './record.ts';

/** Hook summaries, durations and local commands say nothing about agents. */
const parseSystem: LineParser = (record, context) => {
  if (record['subtype'] === 'compact_boundary') {
    const facts = asObject(record['compactMetadata']);
    const tokensBefore = asAmount(facts?.['preTokens']);
    const tokensAfter = asAmount(facts?.['postTokens']);
    emitTimed(context, { kind: 'agent-compacted', ...known({ tokensBefore, tokensAfter }) });
  } else if (record['subtype'] === 'api_error' && context.at !== undefined) {
    const retryInMs = asAmount(record['retryInMs']);
    if (retryInMs !== undefined) emitTimed(context, { kind: 'agent-held', untilAt: context.at + retryInMs });
  }
};

/** A copy of a sub-agent's message in its parent's file (2.1.9 to 2.1.83, interactive). */
const parseProgress: LineParser = (record, context) => {
  const data = asObject(record['data']);
  const native = asText(data?.['agentId']);
  // Hooks, commands and searches report progress as well, under ids that look the same.
  if (data?.['type'] !== 'agent_progress' || native === undefined) return;
  const agent = agentIdOf(native);
  const call = callIdOf(record['parentToolUseID']);
  if (call !== undefined)
    context.emit({ kind: 'agent-linked', agent, evidence: 'progress', call, parent: context.agent });
  const slug = asText(record['slug']);
  if (slug !== undefined)
    context.emit({ kind: 'agent-seen', agent, slug, ...known({ at: asInstant(record['timestamp']) }) });
  const copy = asObject(data['message']);
  if (!copy) return;
  // The copy has the ids of the line in the agent's own file, so facts told by both are told once.
  const inner = { ...context, agent, copied: true, ...known({ at: asInstant(copy['timestamp']) }) };
  if (copy['type'] === 'assistant') parseAssistant(copy, inner);
  else if (copy['type'] === 'user') parseUser(copy, inner);
};

const parseTitle =
  (field: string, titleKind: TitleKind): LineParser =>
  (record, { emit }) => {
    const title = asText(record[field]);
    if (title !== undefined) emit({ kind: 'session-titled', title, titleKind });
  };

/** One line as the process ends, after an interruption too (2.1.100 to 2.1.250); 2.1.286 repeats it while it works. */
const REPEATED_SINCE = versionNumber('2.1.251');

const parseLastPrompt: LineParser = (_record, { file: { version }, emit }) => {
  if (version !== undefined && versionNumber(version) < REPEATED_SINCE) emit({ kind: 'session-closed' });
};

const parseForkContext: LineParser = (record, { file, agent, emit }) => {
  file.inherited = asText(record['parentSessionId']) ?? '';
  emit({ kind: 'agent-seen', agent, agentKind: 'fork' });
};

const PARSERS: ReadonlyMap<string, LineParser> = new Map<string, LineParser>([
  ['user', parseUser],
  ['assistant', parseAssistant],
  ['system', parseSystem],
  ['progress', parseProgress],
  ['attachment', parseAttachment],
  ['queue-operation', parseQueueOperation],
  ['custom-title', parseTitle('customTitle', 'custom')],
  ['ai-title', parseTitle('aiTitle', 'generated')],
  // Written as the process ends in good order (2.1.250 in a terminal, 2.1.286 everywhere); missing after a kill.
  ['cost-state', (_record, { emit }) => emit({ kind: 'session-closed' })],
  ['last-prompt', parseLastPrompt],
  ['fork-context-ref', parseForkContext],
]);

/** Known, and of no use for the tree. Anything else is counted as `unknown-record`. */
const IGNORED_TYPES = new Set([
  'summary',
  // As a rule these are passed over unparsed (`record.ts`); other programs write JSON with spaces.
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'file-history-delta',
  'file-history-snapshot',
  'tools-used',
  'agent-name',
  'agent-setting',
  'pr-link',
  'permission-mode',
  'mode',
  'worktree-state',
  'relocated',
  'teleported-from',
  'bridge-session',
  'frame-link',
]);

export function isKnownType(type: string | undefined): boolean {
  return type !== undefined && (PARSERS.has(type) || IGNORED_TYPES.has(type));
}

/** The first version seen to keep `sessions/<pid>.json` (2.1.83 has none with -p); where it left no record, nothing runs. */
const PROCESS_RECORDS_SINCE = versionNumber('2.1.85');

export interface TranscriptOf {
  readonly session: SessionId;
  readonly source: SourceId;
  /** Whose file it is; lines may name another agent themselves. */
  readonly agent: AgentId;
  /** All of it is a teammate's, whatever agent its lines name. */
  readonly isTeammates?: boolean;
  /** Its path: the name tells what an agent is for, the folder which run it belongs to. */
  readonly file: string;
}

export function createTranscriptReader(of: TranscriptOf): SourceReader {
  const { session, source, agent, isTeammates = false } = of;
  const file = createFileState(createAskedCommands(), internalPurpose(nativeAgentOf(of.file)) !== undefined);
  const birth = factsByPlace(of);
  const problemFound = (problem: Omit<Diagnostic, 'origin'>, origin: EventOrigin): AgentEvent => ({
    kind: 'problem-found',
    session,
    origin,
    diagnostic: { ...problem, origin },
  });
  const readRecord = (record: RawRecord, origin: EventOrigin): readonly AgentEvent[] => {
    // Also for lines that say nothing: others on a side branch may follow them.
    const speaker = speakerOf(record, { owner: agent, isTeammates, session }, file.inline);
    const type = typeOf(record);
    const parser = type === undefined ? undefined : PARSERS.get(type);
    if (!parser && isKnownType(type)) return [];
    if (!parser) return [problemFound({ code: 'unknown-record', detail: type ?? 'no type' }, origin)];
    const events: AgentEvent[] = [];
    const place = { session, origin };
    const context: LineContext = {
      session,
      agent: speaker,
      origin,
      ...known({ at: asInstant(record['timestamp']) }),
      copied: false,
      file,
      // Every event is a new object: adding its place to it is cheaper than copying it.
      emit: (event) => events.push(Object.assign(event, place) as AgentEvent),
    };
    emitEnvelope(record, context);
    if (agent === mainAgentOf(session)) {
      noteCopy(context);
      noteContinuation(record, context);
    }
    if (origin.offset === 0 && isContinued(record, of)) context.emit({ kind: 'agent-seen', agent, isContinued: true });
    parser(record, context);
    return events;
  };
  return {
    read(line) {
      const { records, problem } = recordsIn(line, (bytes) => parseFacts(bytes, file));
      const events = records.flatMap(({ record, offset, length }) =>
        readRecord(record, { source, offset: line.offset + offset, length }),
      );
      const isFirst = birth.length > 0 && line.offset === 0;
      // The rule: nothing wrong, and not the first line of an agent's file.
      if (!problem && !isFirst) return events;
      const origin = { source, offset: line.offset, length: line.length };
      const born = isFirst ? birth.map((fact) => ({ ...fact, session, origin, agent }) as AgentEvent) : [];
      return [...born, ...(problem ? [problemFound(problem, origin)] : []), ...events];
    },
  };
}

/** After `/clear`, lines name the session in which their process began as well (2.1.287 and later). */
function noteContinuation(record: RawRecord, { file, session, emit }: LineContext): void {
  const from = file.isCleared ? asText(record['session_id']) : undefined;
  if (from === undefined || from === nativeId(session)) return;
  emit({ kind: 'session-continued', from: toSessionId(HOST, from) });
}

/** Clocks run backwards by less than this in the recorded corpus. */
const COPY_MS = 1_000;

/** `--fork-session` and `/fork`: the new session's file begins with a line of its own, and copies the other's behind it. */
function noteCopy({ file, at, emit }: LineContext): void {
  if (at === undefined || file.isCopy) return;
  file.firstAt ??= at;
  if (at >= file.firstAt - COPY_MS) return;
  file.isCopy = true;
  emit({ kind: 'session-copied', at: file.firstAt });
}

/** `/clear` opens a new session, in whose folder the agents at work go on: their first line there has one before it. */
function isContinued(record: RawRecord, { agent, session, file }: TranscriptOf): boolean {
  if (agent === mainAgentOf(session) || internalPurpose(nativeAgentOf(file)) !== undefined) return false;
  return record['isSidechain'] === true && asText(record['parentUuid']) !== undefined;
}

/** What name and folder of the file say about its agent. */
function factsByPlace({ file }: TranscriptOf) {
  const internal = internalPurpose(nativeAgentOf(file));
  const group = workflowRunOf(file);
  return [
    ...(internal === undefined ? [] : [{ kind: 'agent-seen', internal } as const]),
    ...(group === undefined ? [] : [{ kind: 'agent-grouped', group, groupKind: 'workflow' } as const]),
  ];
}

/** Without bodies, but for those in which a session's id may stand: what a command printed, and the command. */
function parseFacts(bytes: Uint8Array, { commands }: FileState): unknown {
  if (commands.areNamedIn(bytes)) return parseWhole(bytes);
  const record = parseLine(bytes);
  return isShortened(bytes) && isObject(record) && hasCutCommand(record) ? parseWhole(bytes) : record;
}

function hasCutCommand(record: RawRecord): boolean {
  if (record['type'] !== 'assistant') return false;
  return blocksOf(asObject(record['message'])).some((block) => isCutCommand(asObject(block['input'])?.['command']));
}

const AGENT_FIELDS = [
  ['cwd', 'cwd'],
  ['branch', 'gitBranch'],
  ['slug', 'slug'],
  ['effort', 'effort'],
] as const;

/** What every line repeats (folder, branch, version …) is told when it changes. */
function emitEnvelope(record: RawRecord, context: LineContext): void {
  const { agent, file } = context;
  const news = takeChanges(record, context);
  if (news) emitTimed(context, { kind: 'agent-seen', ...news });
  const hostVersion = asText(record['version']) ?? file.version;
  const isNewVersion = hostVersion !== undefined && hostVersion !== file.version;
  if (hostVersion !== undefined) file.version = hostVersion;
  if (agent !== mainAgentOf(context.session) || (!isNewVersion && !news)) return;
  context.emit({
    kind: 'session-seen',
    ...atOf(context),
    ...known({ cwd: news?.['cwd'], branch: news?.['branch'] }),
    ...(isNewVersion && { hostVersion, keepsProcessRecords: versionNumber(hostVersion) >= PROCESS_RECORDS_SINCE }),
  });
}

function takeChanges(record: RawRecord, { agent, file }: LineContext): Record<string, string> | undefined {
  const told = file.told.get(agent) ?? new Map<string, string>();
  file.told.set(agent, told);
  let news: Record<string, string> | undefined;
  for (const [field, key] of AGENT_FIELDS) {
    const value = record[key];
    if (typeof value !== 'string' || value === '' || told.get(field) === value) continue;
    told.set(field, value);
    news ??= {};
    news[field] = value;
  }
  return news;
}
