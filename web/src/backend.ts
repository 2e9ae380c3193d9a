import type {
  AnswerOutcome,
  ApprovalAnswer,
  AttachOptions,
  AttachReport,
  AuditEvent,
  AuditFilter,
  BudgetReport,
  CoverageReport,
  GuardExplanation,
  HeardCall,
  LiveEvent,
  PairingStatus,
  ReviewChoice,
  SearchReport,
  ServedReview,
  SessionDetail,
  SessionListReport,
  SessionListRequest,
  SpendDimension,
  SpendReport,
  TextIndexReport,
  TimelineReport,
  TranscriptMessage,
} from '../../src/core/index.ts';

export type ConnectionState = 'connecting' | 'connected' | 'lost';

/** Where the page's data comes from: a running server, or a snapshot inside the page itself. */
export interface Backend {
  readonly kind: 'live' | 'static';
  /** First a snapshot, then changes. After a lost connection it goes on by itself. */
  subscribe(onEvent: (event: LiveEvent | AuditEvent) => void, onState: (state: ConnectionState) => void): () => void;
  /** A part of the list of all sessions. */
  list(request: SessionListRequest, signal: AbortSignal): Promise<SessionListReport>;
  /** One of the older sessions is read by this, and followed from then on. */
  session(id: string): Promise<SessionDetail | undefined>;
  timeline(session: string, since?: string): Promise<TimelineReport | undefined>;
  transcript(agent: string, session: string, range: MessageRange): Promise<TranscriptPart | undefined>;
  /** The newest tool calls that hooks heard of; undefined where nobody listens to hooks. */
  heard(filter: AuditFilter, limit: number): Promise<HeardPart | undefined>;
  /** What the tool of such a call was given; undefined where the audit does not have it any more. */
  input(call: HeardCall): Promise<{ readonly input: unknown } | undefined>;
  /** Why such a call was decided so, by the policy of now; undefined where nobody can say. */
  explain(call: Pick<HeardCall, 'n'>): Promise<GuardExplanation | undefined>;
  /** Whether the hooks heard of all of them; undefined where nobody knows. */
  coverage(session: string): Promise<CoverageReport | undefined>;
  /** The text of all conversations. Only where there is a server that has it. */
  readonly search?: TextSearch;
  /** What sessions cost. Only where there is a server to count it. */
  readonly cost?: (request: CostRequest) => Promise<SpendReport>;
  /** What is used of budgets. */
  readonly budgets?: () => Promise<readonly BudgetReport[]>;
  /** A session as a file, given when it is whole. Only where there is a server to make it. */
  readonly export?: (session: string, wish: ExportWish, signal: AbortSignal) => Promise<ExportedFile>;
  /** All that a download would take out, with its values, and what the person decides about them. */
  readonly review?: ReviewBackend;
  /** The same as a folder of linked pages, for a shell; undefined where there is no such session. */
  readonly exportCommand?: (session: string) => Promise<string | undefined>;
  /** How to go on from an agent, and with which words. Only where there is a server to say it; nothing is started. */
  readonly attach?: (agent: AttachedAgent, wish: AttachOptions, signal: AbortSignal) => Promise<AttachReport>;
  /** What the person says to a call that waits. Rejects with a `ProofNeeded` if this browser has to be paired first. */
  answer(id: string, answer: ApprovalAnswer): Promise<AnswerOutcome>;
  /** Which browsers may allow calls. Only where there is a server that holds calls. */
  readonly pairing?: Pairing;
}

export interface TextSearch {
  find(query: string, sessions: number, signal: AbortSignal): Promise<SearchReport>;
  /** The person's word on the index of the text. Rejects with a `ProofNeeded` if this browser has to be paired first. */
  decide(answer: { readonly allow: boolean; readonly exclude?: readonly string[] }): Promise<TextIndexReport>;
}

export interface CostRequest {
  readonly by: SpendDimension;
  readonly split?: 'model';
  /** ISO 8601. */
  readonly since?: string;
}

export interface ReviewBackend {
  find(session: string, pii: boolean, signal: AbortSignal): Promise<ServedReview>;
  /** Before the download that names the review; decisions that are kept hold from then on. */
  decide(session: string, review: string, choices: Readonly<Record<string, ReviewChoice>>): Promise<void>;
}

export interface Pairing {
  /** Undefined: the server holds no calls. */
  status(): Promise<PairingStatus | undefined>;
  pair(passphrase: string): Promise<void>;
  unpair(id: string): Promise<PairingStatus>;
  /** Names the passphrase that this browser was paired with. */
  pairedWith(): string | undefined;
}

export class ProofNeeded extends Error {}

export interface AttachedAgent {
  readonly agent: string;
  readonly session: string;
}

export interface ExportWish {
  readonly as: 'page' | 'md' | 'json';
  /** Also e-mail addresses and the like are taken out. */
  readonly pii: boolean;
  /** Id of a review whose choices hold. */
  readonly review?: string | undefined;
}

export interface ExportedFile {
  readonly name: string;
  readonly content: Blob;
}

export interface HeardPart {
  /** Oldest first. */
  readonly entries: readonly HeardCall[];
  /** There are older ones. */
  readonly hasMore: boolean;
}

export interface MessageRange {
  readonly from: number;
  readonly limit: number;
}

export interface TranscriptPart {
  readonly title: string | null;
  readonly messages: readonly TranscriptMessage[];
  readonly from: number;
  readonly total: number;
}
