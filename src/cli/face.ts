import type { CoverageReport } from '../audit/compute-coverage.ts';
import type { RunOutcome, RunRequest, StreamOutcome, StreamRequest } from '../control/shadow-request.ts';
import type { Answered, Ask, AskAnswer, Person } from '../core/approval.ts';
import type { FeedSource, Identifier, MessageRange, Sessions, Transcripts } from '../core/ports.ts';
import type { AttachControl } from '../core/reports/attach-shapes.ts';
import type { AuditCheck, AuditEntry, AuditFilter, AuditPage } from '../core/reports/audit-shapes.ts';
import type { Finding } from '../core/reports/doctor-shapes.ts';
import type { HookScope, HooksStatus, LoadReason, SettingsChange } from '../core/reports/hooks-shapes.ts';
import type { LiveEvent, LiveSnapshot, SessionDetail } from '../core/reports/live-shapes.ts';
import type { AgentReport } from '../core/reports/shapes.ts';
import type { TimelineReport } from '../core/reports/timeline-shapes.ts';
import type { Transcript } from '../core/transcript.ts';
import type { ExportOutcome, ExportRequest } from '../export/export-types.ts';
import type { GuardExplanation } from '../guard/guard-explanation.ts';
import type { GuardTestReport } from '../guard/guard-test.ts';
import type { ImaginedCall } from '../guard/imagined-call.ts';
import type { PolicyCheck, PolicyPreset } from '../guard/policy-check.ts';
import type { PolicySuggestion } from '../guard/policy-suggestion.ts';
import type { Clock } from '../lib/clock.ts';

/** What the person asked to look at, before anything is opened. */
export interface Where {
  /** In place of the hosts' own data folders. */
  readonly roots: readonly string[];
  readonly host?: string;
}

/** All a face gets. It reads; it changes nothing, and it cannot reach another face. */
export interface FaceContext {
  sessions(where: Where): Sessions;
  transcripts(where: Where): Transcripts;
  identifier(): Identifier;
  /** Sessions that ship with troupe, for people who have none yet. */
  demo(): Sessions;
  /** Follows what changes, in this process, until it is closed. */
  follow(request: FollowRequest): Promise<Live>;
  /** What the hooks heard. */
  guardLog(where: Where): Promise<GuardLog>;
  /** Writes sessions as pages to hand on. Throws a `UserError` where the person has to do something first. */
  export(request: ExportRequest): Promise<ExportOutcome>;
  readonly server: ServerControl;
  readonly hooks: HooksControl;
  readonly policy: PolicyControl;
  readonly questions: GuardQuestions;
  readonly asks: AskControl;
  /** The live tree in the terminal; plain lines, or JSON, where nobody watches. Until the person has enough. */
  watch(request: WatchRequest): Promise<void>;
  /** Shadows what comes in through stdin, until it ends. Throws a `UserError` where the person has to do something first. */
  stream(request: StreamRequest): Promise<StreamOutcome>;
  /** Starts a program and shadows it. */
  run(request: RunRequest): Promise<RunOutcome>;
  /** Tells chats about sessions, and takes their answers. Each throws a `UserError` where the person has to do something first. */
  readonly telegram: TelegramControl;
  /** Sends what happens to an address of the person's, until the person has enough. Throws a `UserError` as the above. */
  webhook(request: ChatRequest): Promise<void>;
  /** Going on from an agent, telling it something, stopping it. */
  attach(where: Where): Promise<AttachControl>;
  /** Looks at everything that has to be in order, one finding after the other. */
  examine(where: Where): AsyncIterable<Finding>;
  /** What troupe reads. */
  readonly hosts: readonly KnownHost[];
  readonly version: string;
  readonly clock: Clock;
  readonly terminal: Terminal;
}

/** A host, for lists of them: no face knows one by its name. */
export interface KnownHost {
  /** Short, as `--host` takes it. */
  readonly host: string;
  /** As people write it. */
  readonly title: string;
  /** What people type to have it print a stream that is read; left out where none is. */
  readonly printing?: string;
  /** Its program waits in front of each call for what it is told. */
  readonly isSteered?: true;
}

export interface FollowRequest {
  readonly where: Where;
  /** Plays the recording that ships with troupe instead, so many times as fast as it was. */
  readonly demoSpeed?: number;
  /**
   * Whether to play it beside what is there, until the first session begins: for people who have none yet. Asked only
   * where we follow ourselves: the answer costs a look at everything.
   */
  readonly demoUntilFirst?: () => Promise<boolean>;
}

export interface WatchRequest extends FollowRequest {
  readonly json: boolean;
  /** Lines instead of a screen, also where somebody watches. */
  readonly plain: boolean;
  /** What a chat would be told: who was asked for what, what came of it, every call with its agent's name. */
  readonly lines: boolean;
  /** Only this session, by the beginning of its id. */
  readonly session?: string;
  /** By its whole id: what it says is shown, where there is a screen. */
  readonly agent?: string;
}

export interface TelegramControl {
  /** Until the person has enough. */
  run(request: ChatRequest): Promise<void>;
  /** Finds the bot and the chat, and writes down which they are. */
  setup(): Promise<void>;
}

export interface ChatRequest {
  readonly where: Where;
}

/** The server of this person: one at most that others find. */
export interface ServerControl {
  /** Serves in this process, or finds the server that runs already. Throws a `UserError` where neither can be. */
  serve(request: ServeRequest): Promise<Serving>;
  /** Starts one that outlives this process, or finds the one that runs. */
  start(request: Omit<ServeRequest, 'demoSpeed'>): Promise<RunningServer>;
  stop(): Promise<StopReport>;
  status(): Promise<ServerState | undefined>;
  /** A link that logs a browser in at the running server, once and within a minute; undefined if no server runs. */
  login(): Promise<string | undefined>;
  /** What the running server follows, where it is what was asked for; `onState`, as the connection comes and goes. */
  feed(where: Where, onState: (state: ConnectionState) => void): Promise<RemoteFeed | undefined>;
}

export interface ServeRequest extends FollowRequest {
  /** A free one where none is given. */
  readonly port?: number;
}

export interface Serving {
  readonly server: RunningServer;
  /** Another process serves. */
  readonly isFound: boolean;
  /** It is not the person's one server (`--demo`, `--root` beside that one): other commands do not find it. */
  readonly isAlone: boolean;
  /** A link that logs a browser in, once and within a minute; undefined if the server gives us none. */
  login(): Promise<string | undefined>;
  /** When it is over: by a signal, or because another server took over. Never, where another process serves. */
  readonly ended: Promise<'stopped' | 'replaced'>;
}

/** What hooks tell the server while their host waits. */
export interface HookIntake {
  /** What a hook brings with each call: not the token of the page. */
  readonly key: string;
  /** What the answer brings, so that a hook knows whose it is. */
  readonly proof: string;
  /** Keeps the call and gives what the hook is to print; undefined where it is not ours to keep. */
  take(call: HookCallNotice): Promise<HookReply | undefined>;
}

/** What the hook is to print: now, or when a person has answered. */
export type HookReply = string | HeldReply;

export interface HeldReply {
  /** At most so long. */
  readonly ms: number;
  /** Undefined where it is not ours to say any more. */
  readonly text: Promise<string | undefined>;
  /** The hook is gone. */
  withdraw(): void;
}

export interface HookCallNotice {
  readonly host: string;
  /** The name of the file in the spool that holds what the hook was told. */
  readonly draft: string;
  readonly ppid?: number;
  /** Which agent started the host, as the hook's environment says (`TROUPE_PARENT`). */
  readonly parent?: string;
  /** That agent and those above it, by their names (`TROUPE_AGENT`). */
  readonly above?: string;
  /** Epoch milliseconds: when the hook began. */
  readonly since?: number;
  /** Nobody asks but us: what a policy wants to be asked is held here (`policy`), or the call in any case (`always`). */
  readonly asks?: 'policy' | 'always';
}

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** The page. A browser has to log in first (`troupe open`). */
  readonly url: string;
  readonly version: string;
  readonly startedAt: string;
  /** Where it looks. */
  readonly places: readonly string[];
}

export interface ServerState {
  readonly server: RunningServer;
  /** `paused`, `stuck`: it is there, but does not answer. */
  readonly state: 'running' | 'paused' | 'stuck';
}

export interface StopReport {
  /**
   * `silent`: a process that does not answer, and was not touched. `stopping`: told to, but still there. `killed`: it did
   * not answer, nor end when told to.
   */
  readonly outcome: 'none' | 'stopped' | 'stopping' | 'killed' | 'silent';
  readonly server?: RunningServer;
}

/** `port`: of the server that we are connected to, or were. */
export interface ConnectionState {
  readonly isLost: boolean;
  readonly port: number;
}

export interface RemoteFeed extends LiveFeed, Subscription {
  readonly port: number;
  /** Asks: such a server runs and answers, on whatever port. */
  isServed(): Promise<boolean>;
  transcript(agent: string, range: MessageRange, session: string): Promise<TranscriptPage | undefined>;
  /** As of `Live`. */
  timeline(session: string, since?: number): Promise<TimelineReport | undefined>;
}

/** Our entries in the settings of a host. Each throws a `UserError` where the person has to do something first. */
export interface HooksControl {
  /** What installing would change. Nothing is written before `apply`. */
  planInstall(request: InstallRequest): Promise<InstallPlan>;
  /** Without a scope: wherever ours are. */
  planUninstall(request: UninstallRequest): Promise<HooksPlan>;
  status(request: { readonly host?: string }): Promise<HooksStatus>;
}

/** What each agent may do, as the person wrote it. */
export interface PolicyControl {
  /**
   * Of one file; without one of all that count in the folder at hand, which are kept for the hooks as they are now. Throws a
   * `UserError` where there is no such file.
   */
  check(file?: string): Promise<PolicyCheck>;
  presets(): Promise<readonly PolicyPreset[]>;
}

/**
 * What the guard would say, and why. By the policy of the project in question, or by one file, where one is named. Each throws
 * a `UserError` where there is no such file, call or session.
 */
export interface GuardQuestions {
  explain(call: ImaginedCall, policyFile?: string): Promise<GuardExplanation>;
  /** `call`: its number in the audit, or the host's id of it. */
  explainPast(where: Where, call: string, policyFile?: string): Promise<GuardExplanation>;
  /** Holds a table of calls and expected decisions against the policy. */
  test(file: string, policyFile?: string): Promise<GuardTestReport>;
  /** The smallest policy under which a session would have run: by the beginning of its id, or the newest. */
  suggest(where: Where, session?: string): Promise<PolicySuggestion>;
}

/** Calls that the running server holds until a person answers. */
export interface AskControl {
  /** Those that wait, and the last few that did; undefined where no server runs. */
  list(): Promise<readonly Ask[] | undefined>;
  /** By its whole id. */
  answer(id: string, answer: AskAnswer, by: Person): Promise<Answered>;
}

export interface InstallRequest {
  readonly host?: string;
  readonly scope: HookScope;
  readonly guard: boolean;
  /** In place of what the host's program says of itself. */
  readonly hostVersion?: string;
}

export interface UninstallRequest {
  readonly host?: string;
  readonly scope?: HookScope;
}

export interface HooksPlan {
  readonly host: string;
  readonly hostTitle: string;
  /** Only files in which something changes. */
  readonly changes: readonly SettingsChange[];
  /** Writes them: by what stands in them by then. Gives the folders in which the old texts lie. */
  apply(): Promise<readonly string[]>;
}

export interface InstallPlan extends HooksPlan {
  /** Null: nobody could say it, and only what the oldest version knows is written. */
  readonly hostVersion: string | null;
  readonly events: readonly string[];
  /** Of these we would be told twice: other entries of ours stand in another file that counts here. */
  readonly doubled: readonly string[];
  /** The guard that stands in the file would only observe from then on. */
  readonly dropsGuard: boolean;
  /** What the person has to do in the host before it runs them, in words. */
  readonly approval?: string;
  /** Why this host will not run them, where that is known beforehand. */
  readonly notLoaded?: LoadReason;
}

export interface Terminal {
  write(text: string): void;
  /** The same for a lot of text: done when it was taken. */
  send(text: string): Promise<void>;
  /** For long answers: through a pager where a person is watching. */
  page(text: string): Promise<void>;
  /** For words that are not the answer: progress, hints. */
  note(text: string): void;
  /** One line that takes the place of the last such; where somebody is watching. */
  readonly noteInPlace?: (text: string) => void;
  /** Yes or no, where there is a person to ask. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Words of the person, where there is one to ask; undefined where they say nothing. What is secret is not shown. */
  readonly askWords?: (question: string, options: { readonly isSecret: boolean }) => Promise<string | undefined>;
  /** Opens an address in the person's browser; false if there is none, or it could not be started. */
  browse(url: string): Promise<boolean>;
  /** Columns, where a person is watching. */
  readonly width?: number;
  readonly colours: 'none' | '16' | '24bit';
}

/** Everything that is followed, as it changes. */
export interface LiveFeed {
  /** First a snapshot, at once or as soon as there is one; then every change in order. */
  subscribe(listener: (event: LiveEvent) => void): Subscription;
}

export interface Subscription {
  close(): void;
}

/** A feed that may have to find another source on the way. */
export interface SourcedFeed extends LiveFeed {
  source(): FeedSource;
  /** One listener: told whenever it is another one. */
  onSource(listener: (source: FeedSource) => void): void;
}

/** What is followed on this machine, for a face that answers questions about it. */
export interface Live extends LiveFeed {
  /** As it stands. */
  snapshot(): LiveSnapshot;
  /** By its whole id. One of the older ones is read now, and followed from now on. */
  session(id: string, options: { readonly internal: boolean }): Promise<SessionDetail | undefined>;
  /** What happened in it when; with `since` (epoch milliseconds) only what was not over by then. */
  timeline(id: string, since?: number): Promise<TimelineReport | undefined>;
  /** By its whole id, in the session that is named or in any that is followed, the newest first. */
  agent(id: string, session?: string): Promise<AgentReport | undefined>;
  /** Messages `from` on, at most `limit` of them: only their bytes are read. */
  transcript(agent: string, range: MessageRange, session?: string): Promise<TranscriptPage | undefined>;
  close(): void;
}

/** A part of a transcript. */
export interface TranscriptPage extends Transcript {
  readonly from: number;
  /** How many messages there are in all. */
  readonly total: number;
}

/** What the hooks heard, and whether they heard all of it. */
export interface GuardLog {
  /** Takes in what waits in the spool; the others do so before they answer. */
  drain(): Promise<void>;
  /** The newest that match, at most `limit`. */
  read(filter: AuditFilter, limit: number): Promise<AuditPage>;
  /** Entries as they are written from now on. */
  follow(filter: AuditFilter, listener: (entry: AuditEntry) => void): Subscription;
  verify(): Promise<AuditCheck>;
  /** Of the session whose id begins so; of the newest where none is given. */
  coverage(session?: string): Promise<CoverageReport>;
}

/** What the server answers about the guard with. */
export interface ServedGuard extends GuardLog {
  /** Why a call of the audit was, or would be, decided so: by its number, or the host's id of it. Throws a `UserError` for others. */
  explain(call: string): Promise<GuardExplanation>;
}
