// A transcript (`<session>.jsonl`, `agent-<id>.jsonl`) line by line. `PARSERS` has one for each kind of line.

import path from 'node:path';
import {
  type AgentEvent,
  type AgentId,
  COMPACTION,
  type Diagnostic,
  type EntryAdded,
  type EventOrigin,
  mainAgentOf,
  nativeId,
  type SessionId,
  type SourceId,
  TITLE,
  toSessionId,
} from '../../core/index.ts';
import { asAmount, asInstant, asObject, asText, isObject, known } from '../../lib/json.ts';
import { versionNumber } from '../../lib/version-number.ts';
import type { SourceReader } from '../index.ts';
import { atOf, createAskedCommands, emitTimed, isCutCommand } from '../shared/index.ts';
import { internalPurpose, nativeAgentOf, summariesIn, workflowRunOf } from './data-folder.ts';
import {
  agentIdOf,
  callIdOf,
  createFileState,
  type FileState,
  HOST,
  isMain,
  type LineContext,
  type LineParser,
  speakerOf,
  UNORDERED_MS,
} from './line-context.ts';
import { parseAssistant } from './parse-assistant.ts';
import { parseAttachment, parseQueueOperation, parseUser } from './parse-user.ts';
import {
  blocksOf,
  hostTotalIn,
  isFirstLine,
  isShortened,
  parseLine,
  parseWhole,
  type RawRecord,
  recordsIn,
  replyIdOf,
  typeOf,
} from './record.ts';

/** Hook summaries, durations and local commands say nothing about agents. */
const parseSystem: LineParser = (record, context) => {
  if (record['subtype'] === 'compact_boundary') {
    const facts = asObject(record['compactMetadata']);
    const tokensBefore = asAmount(facts?.['preTokens']);
    const tokensAfter = asAmount(facts?.['postTokens']);
    emitTimed(context, { kind: 'agent-compacted', ...known({ tokensBefore, tokensAfter }) });
    context.emit({ kind: 'request-hidden', purpose: COMPACTION, ...atOf(context) });
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

const parseTitle: LineParser = ({ type, customTitle, aiTitle }, { emit }) => {
  const isCustom = type === 'custom-title';
  const title = asText(isCustom ? customTitle : aiTitle);
  if (title !== undefined) emit({ kind: 'session-titled', title, titleKind: isCustom ? 'custom' : 'generated' });
};

/** One line as the process ends, after an interruption too (2.1.100 to 2.1.250); 2.1.286 repeats it while it works. */
const REPEATED_SINCE = versionNumber('2.1.251');

const parseLastPrompt: LineParser = (_record, { file: { version }, emit }) => {
  if (version !== undefined && versionNumber(version) < REPEATED_SINCE) emit({ kind: 'session-closed' });
};

/** What the program calls a conversation, by the id of a line in it, which may be in the file of another session (up to 2.1.29). */
const parseSummary: LineParser = (record, context) => {
  const { leaves, summaries } = context.file;
  const [leaf, title] = [asText(record['leafUuid']), asText(record['summary'])];
  if (leaf === undefined || title === undefined) return;
  if (leaves.has(leaf)) emitSummary(title, leaves.get(leaf), context);
  else summaries.set(leaf, title);
};

/** The first version that was not seen to write `summary` lines. */
const SUMMARIES_UNTIL = versionNumber('2.1.30');

function noteLeaf(record: RawRecord, context: LineContext, project: string): void {
  const { version, leaves, summaries, prompted } = context.file;
  const leaf = asText(record['uuid']);
  if (leaf === undefined || version === undefined || versionNumber(version) >= SUMMARIES_UNTIL || !isMain(context))
    return;
  leaves.set(leaf, context.at);
  // What nobody has answered yet has no summary.
  const title = summaries.get(leaf) ?? (prompted.has(context.agent) ? summariesIn(project).get(leaf) : undefined);
  if (title !== undefined) emitSummary(title, context.at, context);
}

/** Of several, the one of the latest line. */
function emitSummary(title: string, at: number | undefined, { emit }: LineContext): void {
  emit({ kind: 'session-titled', title, titleKind: 'generated', ...known({ at }) });
}

/** Most titles are asked for as the session begins, and repeated while it goes on. */
const parseAiTitle: LineParser = (record, context) => {
  const { file, emit } = context;
  parseTitle(record, context);
  if (file.aiTitle === record['aiTitle']) return;
  file.aiTitle = asText(record['aiTitle']) ?? '';
  emit({ kind: 'request-hidden', purpose: TITLE, ...known({ at: file.lastAt }) });
};

/**
 * Written as the process ends in good order (2.1.250 in a terminal, 2.1.286 everywhere) and before a `/clear`; missing after a
 * kill. It holds what all agents used since `startTime`. A resumed process goes on with the last sum of its session, and keeps
 * its `startTime`; so does a fork, with that of its original. `totalDuration` is the time in which a process ran.
 */
const parseCostState: LineParser = (record, { file, emit }) => {
  emit({ kind: 'session-closed' });
  const total = hostTotalIn(record);
  if (!total) return;
  const { from, durationMs, byModel } = total;
  const before = file.cost?.from === from ? file.cost : undefined;
  // When the process wrote it, at the latest: of a resumed one, nobody wrote down when it began.
  const writtenAt = before ? (before.nextAt ?? before.at) + durationMs - before.durationMs : from + durationMs;
  const at = Math.max(writtenAt, file.lastAt ?? 0);
  file.cost = { from, durationMs, at };
  emit({ kind: 'session-totalled', from, at, byModel, durationMs });
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
  ['custom-title', parseTitle],
  ['ai-title', parseAiTitle],
  ['cost-state', parseCostState],
  ['last-prompt', parseLastPrompt],
  ['summary', parseSummary],
  ['fork-context-ref', parseForkContext],
]);

/** Known, and of no use for the tree. Anything else is counted as `unknown-record`. */
const IGNORED_TYPES = new Set([
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

/** The first version whose `sessions/<pid>.json` can be relied on: where it left no record, nothing runs. 2.1.88 names no resumed session. */
const PROCESS_RECORDS_SINCE = versionNumber('2.1.92');

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

/** What the main transcript of another session tells of one agent's end; of a copy, only until the copy itself wakes the agent. */
export function createNoticeReader(of: TranscriptOf): SourceReader {
  const { session, agent } = of;
  const reader = createTranscriptReader({ ...of, agent: mainAgentOf(session) }, [agent]);
  let isCopy = false;
  let isWoken = false;
  return {
    read(line) {
      const facts = reader.read(line);
      const isCopied = facts.some((fact) => fact.kind === 'session-forked' && fact.at === undefined);
      isCopy ||= isCopied;
      isWoken ||= isCopy && !isCopied && facts.some((fact) => fact.kind === 'run-resumed' && fact.agent === agent);
      return isWoken ? [] : facts.filter((fact) => fact.kind === 'run-ended' && fact.agent === agent);
    },
  };
}

/** `launched`: agents of which a notice may come although no call in the file asked for them. */
export function createTranscriptReader(of: TranscriptOf, launched: readonly AgentId[] = []): SourceReader {
  const { session, source, agent, isTeammates = false } = of;
  const file = createFileState(createAskedCommands(), internalPurpose(nativeAgentOf(of.file)) !== undefined);
  for (const one of launched) file.launched.add(one);
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
    noteTime(context);
    emitEnvelope(record, context);
    if (agent === mainAgentOf(session)) {
      noteCopy(record, context);
      noteContinuation(record, context);
      noteLeaf(record, context, path.dirname(of.file));
    } else noteBeginning(record, of, context);
    parser(record, context);
    events.push(...keepTurnEnd(events, file));
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

/** The file of an agent that another session reads: the program's sums for this one hold what it used here. */
export function createElsewhereReader(of: TranscriptOf): SourceReader {
  const reader = createTranscriptReader(of);
  return { read: (line) => reader.read(line).flatMap(toUsageElsewhere) };
}

function toUsageElsewhere(fact: AgentEvent): readonly AgentEvent[] {
  if (fact.kind !== 'usage-counted') return [];
  const { session, origin, message, usage, model, at } = fact;
  return [{ kind: 'usage-elsewhere', session, origin, message, usage, ...known({ model, at }) }];
}

/** An agent's file in the folder of a copy: the first message to it there is the copy's, as is all that follows. */
export function createSplitReader(of: TranscriptOf, part: 'woken' | 'until-woken'): SourceReader {
  const reader = createTranscriptReader(of);
  let isWoken = false;
  return {
    read(line) {
      const facts = reader.read(line);
      isWoken ||= facts.some((fact) => fact.kind === 'entry-added' && fact.entry === 'prompt');
      if (isWoken === (part === 'woken')) return facts;
      return isWoken ? [] : facts.flatMap((fact) => (fact.kind === 'agent-seen' ? fact : toUsageElsewhere(fact)));
    },
  };
}

/** After `/clear`, lines name the session in which their process began as well (2.1.220 and later). */
function noteContinuation(record: RawRecord, { file, session, emit }: LineContext): void {
  const from = file.isCleared ? asText(record['session_id']) : undefined;
  if (from === undefined || from === nativeId(session)) return;
  emit({ kind: 'session-continued', from: toSessionId(HOST, from), isFirst: true });
}

function noteTime({ file, at }: LineContext): void {
  if (at === undefined) return;
  file.lastAt = at;
  if (file.cost) file.cost.nextAt ??= at;
}

/**
 * `/branch`: the file begins with copies, and each names the other session. `--fork-session` and `/fork`: it begins with a
 * line of its own, and older ones follow; `findOrigin` tells whether they are copies.
 */
function noteCopy(record: RawRecord, { file, at, origin, emit }: LineContext): void {
  if (file.isCopy) return;
  const from = asText(asObject(record['forkedFrom'])?.['sessionId']);
  if (from !== undefined && (file.branchOf || origin.offset === 0)) {
    file.branchOf = toSessionId(HOST, from);
    const reply = record['type'] === 'assistant' ? replyIdOf(record) : undefined;
    emit({ kind: 'session-forked', from: file.branchOf, replies: reply === undefined ? [] : [reply] });
    return;
  }
  if (at === undefined) return;
  file.first ??= { at, isQueued: record['type'] === 'queue-operation' };
  const isOlder = at < file.first.at - (file.first.isQueued ? 0 : UNORDERED_MS);
  if (file.branchOf) emit({ kind: 'session-forked', from: file.branchOf, replies: [], at });
  else if (isOlder || isRewritten(record, at === file.first.at)) emit({ kind: 'session-suspected' });
  else return;
  file.isCopy = true;
}

/**
 * A copy that begins with the first line of its original: replies have the ids of their lines (2.1.45), or have lost those of
 * their requests and come at the very moment of the prompt (1.0.60).
 */
function isRewritten(record: RawRecord, isAtFirst: boolean): boolean {
  if (record['type'] !== 'assistant') return false;
  const [line, request] = [asText(record['uuid']), asText(record['requestId'])];
  const reply = asText(asObject(record['message'])?.['id']);
  return request === undefined ? isAtFirst && reply !== undefined : reply !== undefined && reply === line;
}

/**
 * `/clear` opens a new session, in whose folder the agents at work go on: no line there is their first. Lines that were written
 * at once may stand in any order (2.1.45 to 2.1.287), so the first one may come late.
 */
function noteBeginning(record: RawRecord, { agent, file: place }: TranscriptOf, { file, emit }: LineContext): void {
  if (record['isSidechain'] !== true || internalPurpose(nativeAgentOf(place)) !== undefined) return;
  const isContinued = !isFirstLine(record) && file.isContinued !== false;
  if (file.isContinued === isContinued) return;
  if (isContinued || file.isContinued) emit({ kind: 'agent-seen', agent, isContinued });
  file.isContinued = isContinued;
}

/** Lines that are written at once are no further apart; a clock that was set back is. */
const AT_ONCE_MS = 60_000;

/**
 * Lines that were written at once may stand in any order (2.1.45 to 2.1.287): what is older than the reply that ended the turn,
 * but stands behind it, does not open the turn again.
 */
function keepTurnEnd(events: readonly AgentEvent[], { turnEnds }: FileState): readonly EntryAdded[] {
  const entry = events.find((event) => event.kind === 'entry-added');
  if (!entry || entry.copied || entry.entry === 'note' || entry.at === undefined) return [];
  const end = turnEnds.get(entry.agent);
  const lateBy = (end?.at ?? 0) - entry.at;
  if (end && lateBy > 0 && lateBy < AT_ONCE_MS) return [{ ...end, origin: entry.origin }];
  // Up to 2.1.5x no reply says that it is the last; one that calls nobody may be.
  const mayEnd = entry.end === undefined && events.every(({ kind }) => kind !== 'tool-started');
  if (entry.entry === 'reply' && (entry.end === 'turn' || mayEnd)) turnEnds.set(entry.agent, entry);
  return [];
}

/** What name and folder of the file say about its agent. */
function factsByPlace({ file }: TranscriptOf) {
  const internal = internalPurpose(nativeAgentOf(file));
  const group = workflowRunOf(file);
  return [
    // Its first prompt may be that of the agent whose conversation it repeats.
    ...(internal === undefined ? [] : [{ kind: 'agent-seen', internal, description: internal } as const]),
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
