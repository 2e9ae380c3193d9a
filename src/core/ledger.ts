// All facts of one session, in a form in which neither order nor repetition matters.

import type {
  AgentFacts,
  Diagnostic,
  EntryKind,
  EventOrigin,
  GroupKind,
  HostTotal,
  LimitWindow,
  PromptFact,
  ReplyEnd,
  SessionFacts,
  SessionStarter,
  TitleKind,
  UnattributedUsage,
} from './events.ts';
import type { AgentId, SessionId, SourceId, ToolCallId } from './ids.ts';
import type { ModelUsage, Usage } from './usage.ts';

/**
 * What is known of one session, fact by fact, in a form in which neither order nor repetition matters: sets, maps by the
 * host's ids, and values that carry when and where they were said. `reduce.ts` writes it, `build-tree.ts` reads it.
 */
export interface SessionLedger {
  readonly id: SessionId;
  /** The host's name, as people write it. */
  hostTitle?: string;
  /** The host deletes transcripts of this age, unless the person set another one. */
  deletesAfterDays?: number;
  cwd?: Said<string>;
  branch?: Said<string>;
  hostVersion?: Said<string>;
  keepsProcessRecords?: Said<boolean>;
  forkedFrom?: SessionId;
  continuedFrom?: SessionId;
  /** The session in which its process began. */
  begunIn?: SessionId;
  /** The host's own sums, by the beginning of their span; left out where there are none. */
  totals?: Map<number, Said<HostTotal>>;
  /** The limits of the person's plan, as the host last wrote them; left out if it never did. */
  limits?: Said<readonly LimitWindow[]>;
  /** The same of the session it was forked from, when the fork began. */
  inheritedTotals?: Map<number, HostTotal>;
  /** What the host's sum for an agent holds beyond its messages. */
  unattributed?: Map<AgentId, Said<UnattributedUsage>>;
  /** Messages and calls that the person took back: nothing that is said of them counts. Left out if there are none. */
  removed?: Set<string>;
  /** Requests of the host that are in nobody's conversation, by place. */
  hiddenRequests?: Map<string, SessionFacts['request-hidden']>;
  /** Replies to agents of other sessions that the host's sums hold, by message. */
  elsewhere?: Map<string, Pick<SessionFacts['usage-elsewhere'], 'usage' | 'model' | 'at'>>;
  /** When it began as a copy of another session: everything older is the other's. */
  copiedAt?: number;
  /** Files of agents that another session started; left out where there are none. */
  borrowed?: Set<SourceId>;
  /** Its agents may have gone on in another session. */
  wasEmptied?: true;
  emptiedAt?: number;
  /** Its process was in another session before. */
  beganEmpty?: true;
  /** It has lines that look like copies. */
  mayBeCopy?: true;
  /** When it began as a copy; `inherited` says which replies are the other's. */
  forkedAt?: number;
  /** Replies that were copied from the session it was forked from. */
  readonly inherited: Set<string>;
  readonly titles: Map<TitleKind, Said<string>>;
  /** Per source, the place of the last clean exit. */
  readonly closings: Map<SourceId, number>;
  /** When it was last told beside the conversation that the session was over. */
  closedAt?: number;
  /** Sessions that its calls printed, by session and call; left out where there are none. */
  printed?: Map<string, { readonly session: SessionId; readonly call: ToolCallId }>;
  /** Sessions that said that they were started in this one; left out where there are none. */
  started?: Set<SessionId>;
  /** Who started it, each that was ever said; left out where nobody said it. */
  begunBy?: Map<string, SessionStarter>;
  readonly processes: Map<number, ProcessRecord>;
  readonly agents: Map<AgentId, AgentRecord>;
  readonly calls: Map<ToolCallId, CallRecord>;
  readonly messages: Map<string, MessageRecord>;
  readonly groups: Map<string, GroupRecord>;
  /** By code and source: a million bad lines must not fill the memory. */
  readonly problems: Map<string, ProblemRecord>;
}

/** A value with the time and place it was said at: of two, the later one counts (or the earlier, where a field says so). */
export interface Said<T> {
  readonly value: T;
  readonly at: number;
  readonly origin: EventOrigin;
}

/** Fields of an agent of which the one that was said last counts. */
export const LATEST_FIELDS = [
  'agentKind',
  'type',
  'name',
  'description',
  'model',
  'effort',
  'provider',
  'deniedTools',
  'slug',
  'cwd',
  'branch',
  'worktree',
  'background',
  'awaited',
  'depth',
  'contextWindow',
  'internal',
  'isContinued',
  'isOthers',
  'reported',
  'alias',
  'isAlias',
] as const satisfies readonly (keyof AgentFacts['agent-seen'])[];

type LatestField = (typeof LATEST_FIELDS)[number];
export type LatestFields = { [Field in LatestField]?: Said<NonNullable<AgentFacts['agent-seen'][Field]>> };

export interface AgentRecord extends LatestFields {
  readonly id: AgentId;
  startedAt?: number;
  lastAt?: number;
  /** The earliest. */
  prompt?: Said<PromptFact>;
  /** Where its own conversation stands; copies elsewhere do not count. */
  readonly sources: Set<SourceId>;
  readonly links: Map<string, LinkClaim>;
  readonly resumes: Map<string, RunStart>;
  readonly ends: Map<string, EndClaim>;
  /** The last entry of the conversation in each source. */
  readonly tails: Map<SourceId, Tail>;
  /** In each source, where the last word to the agent stands, and its last reply: calls before them are not open. */
  readonly lastTold: Map<SourceId, number>;
  readonly lastReply: Map<SourceId, { readonly id: string; readonly offset: number }>;
  readonly compactions: Map<string, AgentFacts['agent-compacted']>;
  /** The host's own sums. */
  totals?: Said<readonly ModelUsage[]>;
  heldUntil?: Said<number>;
  /** The host's count of its calls, run by run. */
  callCounts?: Map<ToolCallId, number>;
  /** When it last put a question to the person. */
  askedAt?: number;
  /** Those that have ids; left out where there are none. */
  questions?: Map<string, QuestionRecord>;
  group?: Said<string>;
}

export interface GroupRecord {
  readonly kind: GroupKind;
  name?: string;
  /** The earliest: a run of a workflow may be taken up again by a later call. */
  started?: Said<{ readonly agent: AgentId; readonly call: ToolCallId }>;
}

/** The call that made or woke the agent, and when. */
export type RunStart = Omit<AgentFacts['run-resumed'], 'id'>;

/** `origin` is left out where it follows from several facts. */
export type LinkClaim = AgentFacts['agent-linked'] & { readonly origin?: EventOrigin };

export type EndClaim = AgentFacts['run-ended'] & { readonly origin: EventOrigin };

export interface Tail {
  readonly entry: EntryKind;
  readonly offset: number;
  readonly at: number;
  readonly end?: ReplyEnd;
  readonly copied: boolean;
}

export interface CallRecord {
  readonly id: ToolCallId;
  /** Agents in whose sources the call stands; `createOwnerOf` says whose it is. */
  agents: ReadonlySet<AgentId>;
  started?: Said<CallStart>;
  /** The first result; a later one, of a retry or an interruption, changes nothing. */
  ended?: Said<CallEnd>;
  launched: boolean;
  spawn?: Said<SpawnRecord>;
}

export type CallStart = Omit<AgentFacts['tool-started'], 'call' | 'at'>;

export type CallEnd = Pick<AgentFacts['tool-ended'], 'outcome' | 'reason' | 'unrun' | 'interrupted'>;

export type SpawnRecord = Omit<AgentFacts['spawn-requested'], 'call'>;

export interface MessageRecord {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  agents: ReadonlySet<AgentId>;
  at?: number;
  usage?: Usage;
  /** What the host says it cost, in billionths of a dollar. */
  nanoUsd?: number;
  /** No line of the message has its final numbers. */
  placeholder: boolean;
  model?: Said<string>;
  /** First place, for ordering; a copy's only where there is no other. */
  origin: EventOrigin;
  copied: boolean;
}

/** The answer may be heard of before the question. */
export type QuestionRecord = Partial<Omit<AgentFacts['agent-asked'], 'id'>> & { readonly isAnswered?: true };

export interface ProblemRecord {
  count: number;
  /** A source is read from its beginning: what stands before this was counted. */
  lastOffset: number;
  readonly examples: Diagnostic[];
}

export type ProcessRecord = SessionFacts['process-seen'];

/** When the session began as a copy of another; undefined if it is not known to be one. */
export function copyTimeOf({ copiedAt, forkedAt }: SessionLedger): number | undefined {
  return copiedAt ?? forkedAt;
}

export function createLedger(id: SessionId, hostTitle?: string, deletesAfterDays?: number): SessionLedger {
  return {
    id,
    ...(hostTitle !== undefined && { hostTitle }),
    ...(deletesAfterDays !== undefined && { deletesAfterDays }),
    inherited: new Set(),
    titles: new Map(),
    closings: new Map(),
    processes: new Map(),
    agents: new Map(),
    calls: new Map(),
    messages: new Map(),
    groups: new Map(),
    problems: new Map(),
  };
}

export function createAgentRecord(id: AgentId): AgentRecord {
  return {
    id,
    sources: new Set(),
    links: new Map(),
    resumes: new Map(),
    ends: new Map(),
    tails: new Map(),
    lastTold: new Map(),
    lastReply: new Map(),
    compactions: new Map(),
  };
}

/** A total order over everything ever said: by time, then by place. Two different places never compare as equal. */
export function isLater(a: Said<unknown>, b: Said<unknown>): boolean {
  if (a.at !== b.at) return a.at > b.at;
  if (a.origin.source !== b.origin.source) return a.origin.source > b.origin.source;
  return a.origin.offset >= b.origin.offset;
}
