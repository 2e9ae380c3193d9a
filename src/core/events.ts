// The facts that hosts report, the evidence for links between agents, and the diagnostics for what could not be read.

import { groupBy } from '../lib/group.ts';
import type { AgentId, SessionId, SourceId, ToolCallId } from './ids.ts';
import type { ModelUsage, Usage } from './usage.ts';

/** Where a fact stands: a byte range of a source. Bodies are read from there when somebody looks. */
export interface EventOrigin {
  readonly source: SourceId;
  readonly offset: number;
  readonly length: number;
}

/** What an agent was asked, without the text: enough to show it, to compare it, and to find it. */
export interface PromptFact {
  /** The first line that is not blank, whole, of what was asked: without what programs put around it. */
  readonly head: string;
  readonly digest: string;
}

/** The first prompt stands in where nobody named the session. */
export type TitleKind = 'custom' | 'generated' | 'prompt';

/** `session`: the main agent of another session, which an agent of this one started by a command. */
export type AgentKind = 'main' | 'task' | 'fork' | 'teammate' | 'workflow' | 'internal' | 'session';

/**
 * One line of a conversation, as far as the life of its agent is concerned. A `note` is written into it by the host or
 * by a local command: it counts as a message, but nobody is expected to answer it.
 */
export type EntryKind = 'prompt' | 'reply' | 'result' | 'interruption' | 'failure' | 'note';

/**
 * Why a reply ended: it was the end of the turn, it called tools, or something cut it short. `open`: more of it may
 * follow. Versions that write placeholders leave it out.
 */
export type ReplyEnd = 'turn' | 'tools' | 'cut' | 'open';

export type CallOutcome = 'ok' | 'error' | 'refused';

/** How a run ended, as the host says it. */
export type RunOutcome = 'completed' | 'failed' | 'stopped';

/**
 * Who said that a run ended; `lifecycle.ts` says which one is believed: of two at the same moment, the later in this list. A
 * `result` is that of the call that began it.
 */
export const END_SIGNALS = [
  'sidecar',
  'journal',
  'inbox',
  'transcript',
  'result',
  'notification',
  'stop-call',
  'hook',
] as const;
export type EndSignal = (typeof END_SIGNALS)[number];

export type ProcessState = 'busy' | 'idle' | 'waiting';

export interface SessionStarter {
  readonly session: SessionId;
  readonly agent: AgentId;
  readonly call?: ToolCallId;
  /** Nobody's command: troupe started it, for a person who goes on from that agent. */
  readonly isContinued?: true;
}

/** Why an agent is `internal` that the host started so that a later one of its type is quick; no call asks for it. */
export const WARM_UP = 'warm-up';

/** Why an agent is `internal`, or a request is hidden, that shortened a conversation. */
export const COMPACTION = 'compaction';

/** Why a request is hidden that asked for the title of the session. */
export const TITLE = 'title';

/** Why an agent is `internal` whose file was made to hand a message to a teammate. */
export const MESSAGE_DELIVERY = 'message delivery';

/** Agents that work together: those of one run of a workflow, those of a team. */
export type GroupKind = 'workflow' | 'team';

export type QuestionKind = 'permission' | 'input';

/** The host's own sum over the requests of a session since a moment. */
export interface HostTotal {
  readonly from: number;
  readonly byModel: readonly ModelUsage[];
  /** In how much time a process ran. */
  readonly durationMs?: number;
}

/** `nanoUsd`: what the host says it cost, in billionths of a dollar. */
export interface UnattributedUsage {
  readonly usage: Usage;
  readonly nanoUsd?: number;
}

/** What is said of a session as a whole, by kind. Instants are epoch milliseconds by the host's own clock. */
export interface SessionFacts {
  readonly 'session-seen': {
    readonly at?: number;
    readonly cwd?: string;
    readonly branch?: string;
    readonly hostVersion?: string;
    /** This version leaves a record of each running process, so where there is none, nothing runs. */
    readonly keepsProcessRecords?: boolean;
  };
  readonly 'session-titled': { readonly title: string; readonly titleKind: TitleKind; readonly at?: number };
  /** The host's process ended in good order, after everything that stands before this in the same source. */
  readonly 'session-closed': {
    /** Where it is told beside the conversation: after everything that was said until then. */
    readonly at?: number;
  };
  /**
   * The host's own sum over all requests of a span of time, of all agents: also those that stand in no message. A later sum
   * with the same beginning holds the earlier one. `at`: when it was written.
   */
  readonly 'session-totalled': HostTotal & { readonly at: number };
  /** How much of the person's plan is used, by all sessions together, as the provider told the host at this time. */
  readonly 'limits-told': { readonly at: number; readonly windows: readonly LimitWindow[] };
  /**
   * The host sent a request that is in nobody's conversation: for a title, or for the summary of a conversation. Its usage is
   * known if a sum of the host holds it, or if an agent of the host's own has the same purpose.
   */
  readonly 'request-hidden': { readonly at?: number; readonly purpose: string };
  /** What the host's own sum for one agent holds beyond that agent's messages, such as the request for a title. The last one said counts. */
  readonly 'usage-unattributed': UnattributedUsage & { readonly of: AgentId; readonly at: number };
  /** The person took them back: the host has forgotten them, and every link and run that their calls began. */
  readonly 'messages-removed': { readonly messages: readonly string[]; readonly calls: readonly ToolCallId[] };
  /** A reply to an agent of another session that the host's sum for this one holds. */
  readonly 'usage-elsewhere': {
    readonly message: string;
    readonly usage: Usage;
    readonly model?: string;
    readonly at?: number;
  };
  /** The session began as a copy of another: these replies are the other's. */
  readonly 'session-forked': {
    readonly from: SessionId;
    readonly replies: readonly string[];
    /** The host's own sums for the other session when this one began. */
    readonly totals?: readonly HostTotal[];
    /** Of its first line that is not a copy. */
    readonly at?: number;
  };
  /** The session began at this time, as a copy of another: what was said before was said there. */
  readonly 'session-copied': { readonly at: number };
  /** The place is in the file of an agent that another session started. */
  readonly 'source-borrowed': Record<never, never>;
  /** Some of its lines may be copies: a comparison with its neighbours tells. */
  readonly 'session-suspected': Record<never, never>;
  /** Its process left it with its agents (`/clear`): they go on in another session. */
  readonly 'session-emptied': { readonly at?: number };
  /** It begins with `/clear`: its process was in another session before. */
  readonly 'session-cleared': Record<never, never>;
  /** Its process was in another session before, and went on here with an empty conversation (`/clear`). */
  readonly 'session-continued': {
    readonly from: SessionId;
    /** The process began there; it may have been in others since. */
    readonly isFirst?: true;
  };
  /** Who started the session's process, as the process itself was told: an agent of any host. */
  readonly 'session-begun': { readonly by: SessionStarter };
  /** The process of another session said that an agent of this one started it; by which, that session says. */
  readonly 'session-started': { readonly started: SessionId };
  /** A record the host keeps of one of its processes. `alive` is what the machine says of it now. */
  readonly 'process-seen': {
    readonly pid: number;
    readonly alive: boolean;
    readonly startedAt?: number;
    readonly state?: ProcessState;
    /** Since when it is in this state, by the host. */
    readonly stateAt?: number;
    readonly waitingFor?: string;
    /** It runs in another container or machine that shares the folder: whether it lives cannot be seen from here. */
    readonly isOutOfSight?: boolean;
    /** It works on other sessions as well, so nothing that is known of it is about this one alone. */
    readonly isShared?: true;
    /** It gets no further prompt: it ends when its turn does. */
    readonly endsWithTurn?: true;
    /** The process has left this session for another one (`/clear`); agents that it had set to work here go on. */
    readonly movedTo?: SessionId;
    /** It was in another session before this one. */
    readonly hasMoved?: true;
  };
  readonly 'problem-found': { readonly diagnostic: Diagnostic };
}

/** What is said of `agent`, by kind. */
export interface AgentFacts {
  /** The command of a call ran a host's program, and that printed the id of its session, the way it prints its own. */
  readonly 'session-printed': { readonly call: ToolCallId; readonly printed: SessionId };
  /** The agent exists; what is known of it beside its conversation. Fields that are left out say nothing. */
  readonly 'agent-seen': {
    readonly at?: number;
    readonly agentKind?: AgentKind;
    readonly type?: string;
    readonly name?: string;
    readonly description?: string;
    /** Where the host says it apart from its replies. */
    readonly model?: string;
    readonly effort?: string;
    /** Whose model it is, where the host works with several. */
    readonly provider?: string;
    /** Tools that it may not use, where the host says it of this very agent; sorted. */
    readonly deniedTools?: readonly string[];
    readonly slug?: string;
    readonly cwd?: string;
    readonly branch?: string;
    readonly worktree?: string;
    readonly background?: boolean;
    /** Whoever asked for it waits from its first line to its last, even where the call is written down only afterwards. */
    readonly awaited?: boolean;
    /** Depth by the host's own count, for agents whose parent cannot be found. */
    readonly depth?: number;
    /** Of the model it works with, as the host says it. */
    readonly contextWindow?: number;
    /** The host started it for itself, unless a call turns out to have asked for it. */
    readonly internal?: string;
    /** A file of its goes on where another one ended. */
    readonly isContinued?: boolean;
    /** Another session made it. It is shown there, also if this session gives it another task. */
    readonly isOthers?: true;
    /** What the result of its call says, for agents without a transcript; `usage` is that of its last request. */
    readonly reported?: { readonly calls: number; readonly usage: Usage };
    /** The id by which the result of the call names it, if that is another one. */
    readonly alias?: AgentId;
    /** This is such an id: the one that the agent goes by is told beside its transcript, which may not be read yet. */
    readonly isAlias?: boolean;
  };
  /** The first thing an agent was told. */
  readonly 'agent-prompted': { readonly prompt: PromptFact; readonly at?: number };
  /** How `agent` may be known to come from a call, from a parent, or from both. */
  readonly 'agent-linked': { readonly evidence: EvidenceSource; readonly call?: ToolCallId; readonly parent?: AgentId };
  /** `agent` asked for another one. Whether one came of it, links and results say. */
  readonly 'spawn-requested': {
    readonly call: ToolCallId;
    readonly type?: string;
    readonly name?: string;
    readonly description?: string;
    readonly prompt?: PromptFact;
    readonly background?: boolean;
  };
  /** `agent` was set to work again, by a call or by a message. (Its first run begins with the call that made it.) */
  readonly 'run-resumed': {
    /** The call's, or the message's: told twice, it is still one run. */
    readonly id: string;
    readonly call?: ToolCallId;
    readonly at?: number;
  };
  /** How many calls `agent` has made since `call` set it to work, as the host counts: for agents whose lines are not there. */
  readonly 'calls-counted': { readonly call: ToolCallId; readonly count: number };
  /** `agent` set a group to work. */
  readonly 'group-started': {
    readonly group: string;
    readonly groupKind: GroupKind;
    readonly call: ToolCallId;
    readonly name?: string;
  };
  readonly 'agent-grouped': { readonly group: string; readonly groupKind: GroupKind };
  readonly 'run-ended': {
    readonly signal: EndSignal;
    readonly outcome: RunOutcome;
    /** The call that began the run, where the host says it. */
    readonly call?: ToolCallId;
    /** Holds only if `call` did begin a run of the agent. */
    readonly byCallOnly?: boolean;
    /** Told by another agent when it heard of it: counts where nothing surer is known, for its time is that of the telling. */
    readonly hearsay?: boolean;
    /** A later process found no end and assumes one: wrong if the agent's own process still lives. */
    readonly isAssumed?: true;
    readonly at?: number;
    readonly reason?: string;
  };
  /**
   * `agent` put a question to the person. It was answered when the agent has spoken since; one with an id is open until
   * `agent-answered` names it, whatever else the process does meanwhile.
   */
  readonly 'agent-asked': {
    readonly at: number;
    readonly id?: string;
    /** Whether it may do something, or what to do. */
    readonly about?: QuestionKind;
    /** The agent says nothing until it is answered: once it has spoken, the question is over, also where nobody tells. */
    readonly holds?: true;
  };
  readonly 'agent-answered': { readonly id: string };
  readonly 'entry-added': {
    readonly entry: EntryKind;
    /** A message id for replies (several lines share it), the line's own id for the rest. */
    readonly id: string;
    readonly at?: number;
    readonly end?: ReplyEnd;
    /** The line is a copy that stands in another agent's source. */
    readonly copied?: boolean;
  };
  readonly 'usage-counted': {
    readonly message: string;
    readonly usage: Usage;
    /** What the host says it cost, in billionths of a dollar. */
    readonly nanoUsd?: number;
    readonly model?: string;
    readonly at?: number;
    /** false: the number may still be the placeholder of the message's start. */
    readonly final: boolean;
    readonly copied?: boolean;
  };
  /**
   * The host's own sums for an agent, over all its requests up to this moment. They count as long as nothing was said
   * since: some versions write no numbers beside them, and some requests stand in no message.
   */
  readonly 'usage-totalled': { readonly at: number; readonly byModel: readonly ModelUsage[] };
  readonly 'tool-started': {
    readonly call: ToolCallId;
    readonly tool: string;
    /** One line that says what the call does. */
    readonly summary?: string;
    /** The file that it writes. */
    readonly writes?: string;
    /** It does nothing but wait for agents of its caller. */
    readonly awaitsAgents?: boolean;
    /** What hooks call it, where they do not know its id. */
    readonly heardAs?: string;
    readonly at?: number;
  };
  readonly 'tool-ended': {
    readonly call: ToolCallId;
    readonly outcome: CallOutcome;
    readonly at?: number;
    /** The result only says that an agent was set to work in the background: the call is over, the run is not. */
    readonly launched?: boolean;
    /** What the result said, where the call failed: one line. */
    readonly reason?: string;
    /** The host refused it before anything was asked: no hook heard of it. */
    readonly unrun?: boolean;
    /** It failed because it was interrupted, and the agent that it waited for with it. */
    readonly interrupted?: boolean;
  };
  /** The conversation was shortened: the context is smaller from here on. */
  readonly 'agent-compacted': { readonly at?: number; readonly tokensBefore?: number; readonly tokensAfter?: number };
  /** The provider asked to wait. */
  readonly 'agent-held': { readonly at: number; readonly untilAt: number };
}

/** A limit of a plan. */
export interface LimitWindow {
  /** Over how long usage is counted; left out if it is not said. */
  readonly minutes?: number;
  /** Of the limit; 0 to 1, or more. */
  readonly share: number;
  readonly resetsAt?: number;
}

type Fact<Kind, Fields> = { readonly kind: Kind; readonly session: SessionId; readonly origin: EventOrigin } & Fields;

/** The only way to change a tree. Any order, any number of times: the same facts give the same tree. */
export type AgentEvent =
  | { [Kind in keyof SessionFacts]: Fact<Kind, SessionFacts[Kind]> }[keyof SessionFacts]
  | { [Kind in keyof AgentFacts]: Fact<Kind, AgentFacts[Kind] & { readonly agent: AgentId }> }[keyof AgentFacts];

export type EventOf<Kind extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: Kind }>;

export type SessionForked = EventOf<'session-forked'>;
export type SessionContinued = EventOf<'session-continued'>;
export type SessionBegun = EventOf<'session-begun'>;
export type SessionStarted = EventOf<'session-started'>;
export type ProcessSeen = EventOf<'process-seen'>;
export type RunEnded = EventOf<'run-ended'>;
export type EntryAdded = EventOf<'entry-added'>;
export type UsageCounted = EventOf<'usage-counted'>;
export type ToolStarted = EventOf<'tool-started'>;
export type ToolEnded = EventOf<'tool-ended'>;

/** info: nothing is lost. error: something is wrong and was worked around. data-loss: something could not be read. */
export type Severity = 'info' | 'error' | 'data-loss';

/** Persisted and shown: never rename one. */
export const DIAGNOSTICS = {
  'unknown-record': { severity: 'info', text: 'a kind of line that troupe does not know' },
  'torn-line': { severity: 'info', text: 'a last line without its end' },
  'invalid-json': { severity: 'data-loss', text: 'a line that is not JSON' },
  'not-a-record': { severity: 'data-loss', text: 'a line that is JSON, but no record' },
  'glued-lines': { severity: 'error', text: 'a damaged line from which whole records were saved' },
  'comment-line': { severity: 'info', text: 'a comment' },
  'nul-bytes': { severity: 'data-loss', text: 'a line of zeroes, as a crash of the machine leaves it' },
  'line-too-long': { severity: 'data-loss', text: 'a line over the size limit' },
  'unreadable-file': { severity: 'data-loss', text: 'a file that could not be read' },
  'reader-failed': { severity: 'data-loss', text: 'a file at which troupe itself failed; the others were read' },
  'missing-transcript': { severity: 'data-loss', text: 'an agent whose transcript is not there' },
  'deleted-transcript': { severity: 'info', text: 'old transcripts that the host has deleted' },
  'total-below-sum': { severity: 'info', text: "the host's own total is less than the sum of its messages" },
  'missing-parent': { severity: 'error', text: 'an agent whose parent was never seen' },
  'ambiguous-link': { severity: 'error', text: 'an agent that several calls may have made' },
  'link-cycle': { severity: 'error', text: 'a link that would make an agent its own ancestor' },
} as const satisfies Record<string, { severity: Severity; text: string }>;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** What exactly: the unknown type, the error's text, the id that is missing. */
  readonly detail: string;
  readonly origin?: EventOrigin;
}

/** How often, and the first places: a million bad lines must not fill the memory. */
export interface DiagnosticCount {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly count: number;
  readonly examples: readonly Diagnostic[];
}

export const MAX_EXAMPLES = 5;

/** Adds up by code; the examples are the first places, in the order of files and lines. */
export function countDiagnostics(
  found: Iterable<{ readonly count: number; readonly examples: readonly Diagnostic[] }>,
): readonly DiagnosticCount[] {
  return [...groupBy(found, ({ examples }) => examples[0]?.code)]
    .flatMap(([code, list]) => (code === undefined ? [] : [{ code, list }]))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, list }) => ({
      code,
      severity: DIAGNOSTICS[code].severity,
      count: list.reduce((sum, { count }) => sum + count, 0),
      examples: list
        .flatMap(({ examples }) => examples)
        .sort(byPlace)
        .slice(0, MAX_EXAMPLES),
    }));
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const left = a.origin?.source ?? '';
  const right = b.origin?.source ?? '';
  if (left !== right) return left < right ? -1 : 1;
  if (a.origin?.offset !== b.origin?.offset) return (a.origin?.offset ?? 0) - (b.origin?.offset ?? 0);
  return a.detail < b.detail ? -1 : a.detail > b.detail ? 1 : 0;
}

export type EvidenceRank = 'exact' | 'strong' | 'guess' | 'none';

/** How a link can be known, strongest first. Persisted and shown: never rename one. */
export const EVIDENCE = {
  sidecar: { rank: 'exact', text: 'the record beside its transcript says who asked for it' },
  'own-record': { rank: 'exact', text: 'its own transcript says who asked for it' },
  'call-record': { rank: 'exact', text: 'the record of the call names it' },
  'session-record': { rank: 'exact', text: 'the record of its own session names its parent' },
  folder: { rank: 'exact', text: 'it lies in the folder of the agent that asked for it' },
  result: { rank: 'exact', text: 'the result of the call names it' },
  hook: { rank: 'exact', text: 'the hook behind the call names it' },
  stream: { rank: 'exact', text: 'what its program printed says which call made it' },
  'group-run': { rank: 'exact', text: 'the call started the run it belongs to' },
  environment: { rank: 'exact', text: 'its process was told which agent started it' },
  printed: { rank: 'exact', text: 'the command printed the id of its session' },
  continued: { rank: 'exact', text: 'troupe attach started it, to go on from that agent' },
  progress: { rank: 'strong', text: 'progress lines of the call name it' },
  'result-text': { rank: 'strong', text: 'the text of the result names it' },
  notification: { rank: 'strong', text: 'the notice of its end names the call' },
  'same-prompt': { rank: 'strong', text: 'only one agent made calls with its prompt' },
} as const satisfies Record<string, { rank: EvidenceRank; text: string }>;

export type EvidenceSource = keyof typeof EVIDENCE;
