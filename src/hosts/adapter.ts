import type {
  AgentEvent,
  AgentId,
  ApprovalAnswer,
  HookCommand,
  HostName,
  HostTotal,
  Identity,
  ResumeCapability,
  SessionId,
  SourceId,
  SteeringCapability,
  ToolCallId,
  TranscriptMessage,
} from '../core/index.ts';
import type { Look } from '../lib/follow-file.ts';
import type { Line } from '../lib/lines.ts';
import type { StreamCapability } from './adapter-stream.ts';
import type { ControlCapability } from './control.ts';
import type { CallerChain, HookAnswer, HookCall, HookEvent } from './hook.ts';

/** What troupe knows of a host without loading the code that reads its sessions. */
export interface HostDescription {
  readonly host: HostName;
  /** As people write it. */
  readonly title: string;
  /**
   * How its processes, and those they start, are recognised: by the names of its programs and of the npm packages they are in, and
   * by a variable that it sets for the commands its agents run.
   */
  readonly process: { readonly names: readonly string[]; readonly variable: string };
  /** What exported transcripts call its agents; left out: the host's own name. */
  readonly agentName?: string;
  /** The host's own data folders on this machine, whether they exist or not. */
  roots(machine: Machine): readonly string[];
  /** Cheap: false only if a data folder surely holds nothing of this host. */
  mayHold(root: string): Promise<boolean>;
  /** A root may be the address of a running server of the host. */
  readonly takesAddresses?: true;
  /** It deletes transcripts that nobody wrote to for so long, unless the person set another time; left out: it deletes none. */
  readonly deletesAfterDays?: number;
  /** A longer transcript of a main agent has a conversation in it, so that none of it need be read to tell; left out: not known. */
  readonly maxEmptyBytes?: number;
  /** The command that deletes a session, followed by its id: its sessions are in something that they share. */
  readonly deletesWith?: string;
  /** What people type to start the program. */
  readonly programs: readonly string[];
  /** What people type to have it print a stream that troupe reads; `…` is what they ask of it. Shown as an example. */
  readonly printing: string;
  /** Its program waits for a decision before each call (`control`). */
  readonly isSteered?: true;
}

/** One host: where its data is, whose a file is, and what its lines say. One folder each, one line in `registry.ts`. */
export interface SourceAdapter extends HostDescription {
  /** Of those in `registry.ts`, which load their code late. */
  load?(): Promise<SourceAdapter>;
  /** Lists what is below a data folder without reading conversations. Never throws on what it finds there. */
  locate(root: string): Promise<Located>;
  /** Whether these first bytes of a file are this host's. Cheap, and never by the file's name. */
  sniff(head: Uint8Array): boolean;
  /** A reader for one source. It is fed in order from the start; its events carry the source's id and byte ranges. */
  createReader(session: LocatedSession, source: LocatedSource): SourceReader;
  /** For sources of the shape `table`: reads them itself. */
  openTable?(session: LocatedSession, source: LocatedSource): TableCursor;
  /**
   * Transcripts of agents that the session knows of, but that lie elsewhere (a forked session leaves them behind). A file of
   * the session itself may be among them, if it is another agent's than its name says. `calls`: copied calls that started an agent, which
   * the copy does not name.
   */
  locateAgents?(
    session: LocatedSession,
    agents: readonly AgentId[],
    scan?: AgentScan,
    calls?: readonly ToolCallId[],
  ): Promise<readonly LocatedSource[]>;
  /** The older session that this one is a copy of, by the id of its first line. */
  findOrigin?(session: LocatedSession, firstLine: string, scan?: AgentScan): Promise<SessionOrigin | undefined>;
  /** The session that this one is a part of: its work is shown as that of an agent there. */
  findLead?(session: LocatedSession): Promise<SessionId | undefined>;
  readonly identify?: IdentifyCapability;
  /** Without it, a data folder is looked at as a whole whenever something in it changes. */
  readonly follow?: FollowCapability;
  /** The conversation of one agent in one source, with its bodies. */
  openTranscript?(session: LocatedSession, source: LocatedSource, agent: AgentId): OpenTranscript;
  /** What an agent was asked and what it answered, by the call that made it and the text of its result. */
  readSpawnExchange?(input: unknown, result: string | undefined): SpawnExchange;
  readonly replay?: ReplayCapability;
  readonly stream?: StreamCapability;
  readonly control?: ControlCapability;
  readonly hooks?: HooksCapability;
  readonly hookSettings?: HookSettingsCapability;
  readonly questions?: ApprovalsCapability;
  readonly resume?: ResumeCapability;
  readonly steering?: SteeringCapability;
  /** What a version of the host tells, in words for people: what can be exact with it, and what cannot. */
  factsOf?(version: string): readonly VersionFact[];
  /** Agents of the same vendor that have worked here, and that troupe does not support yet. */
  unsupported?(machine: Machine): Promise<readonly UnsupportedAgent[]>;
}

export interface UnsupportedAgent {
  readonly title: string;
  readonly folder: string;
}

export interface VersionFact {
  readonly isTold: boolean;
  readonly text: string;
}

export interface SampleCall {
  readonly session: string;
  readonly transcript: string;
  readonly call: string;
  readonly agent?: string;
}

/** For hosts that call a program of ours when something happens. */
export interface HooksCapability {
  /** What a hook was handed; undefined where it is none of this host's. `host`: the process that called it. Never throws. */
  read(payload: unknown, host?: number): HookEvent | undefined;
  /** What is kept of it for `createHookReader`: no bodies, no inputs; undefined where nothing of it tells about the tree. */
  condense(payload: unknown): unknown;
  /** Who makes the call, by what lies on the disk now: a hook waits for it. Exact, or unknown. Never throws. */
  callerOf(payload: unknown, host?: number): CallerChain;
  /** What the host's hook prints. */
  formatAnswer(answer: HookAnswer): string;
  /** A call that stands in a transcript, by the names that rules use; left out: it has them there, too. */
  toCall?(tool: string, input: unknown): Pick<HookCall, 'tool' | 'input'>;
  /** A hook that says `ask` does not make this host ask anybody: troupe has to. */
  readonly cannotAsk?: true;
  /** What a call is given cannot be changed by its hook. */
  readonly cannotChangeInput?: true;
  /** What the hook prints of a `question`, where a person answered it here. */
  formatReply?(answer: ApprovalAnswer, reason: string): string;
  /** What the host would hand to its hook in front of a harmless call, by an agent or by main: to try out a command. */
  sampleCall(sample: SampleCall): unknown;
  /** The first line of a transcript by this version, for `sampleCall`. */
  sampleTranscript(session: string, version: string): string;
  /** Hooks of this host never say which agent calls, and nothing on the disk does at that moment. */
  readonly namesNobody?: true;
  /** Whether hooks of this version name the sub-agent that set them off: where none is named, it is then the main agent. */
  namesCallers(hostVersion: string | undefined): boolean;
  /** Reads lines `{"id":…,"at":epoch ms,"payload":what condense gave}`, one for each call of a hook in one session. */
  createHookReader(session: SessionId, source: SourceId): SourceReader;
}

/** For hosts whose running servers ask their person, and take an answer from somebody else. */
export interface ApprovalsCapability {
  /** The servers that can be asked, by what is exact: the root where it is an address, else those that have its data open. */
  addressesOf(root: string): Promise<readonly string[]>;
  /** Tells of the questions at an address, those that are open already first. Ends with the connection; never throws. */
  listen(address: string, heard: ApprovalListener, signal: AbortSignal): Promise<void>;
  /** Gives the host what `formatReply` printed. False where nobody wants it any more. */
  reply(address: string, question: HostApproval, printed: string): Promise<boolean>;
}

export interface ApprovalListener {
  asked(question: HostApproval): void;
  /** Answered somewhere, or taken back. */
  gone(id: string): void;
}

/** As the host's hook would hand it over. */
export interface HostApproval {
  readonly id: string;
  /** That it is asked, what is asked, and that it no longer is. */
  readonly payloads: { readonly asked: object; readonly question: object; readonly gone: object };
}

/** For hosts whose settings say which programs to call. Texts in, texts out: who writes them is not the adapter's business. */
export interface HookSettingsCapability {
  /** The host itself, by its name on the PATH or where its own installers put it: the first that is there says its version. */
  programs(machine: Machine): readonly string[];
  versionIn(output: string): string | undefined;
  /** Which settings count for somebody who works in this folder, whether they exist or not; the strongest last. */
  files(machine: Machine, folder: string): readonly SettingsFile[];
  /** What we write is a file of our own, not an entry in somebody's: without it, nothing is left. */
  readonly isOwnFile?: true;
  /** Whether this event stands in front of tool calls. */
  isBeforeCalls(event: string): boolean;
  /** What a version can tell us; one that nobody knows, what the oldest could. */
  eventsFor(version: string | undefined): readonly string[];
  /** Why the host would not take a file with this text, in words for people. An empty text is a file without settings. */
  problemIn(text: string): string | undefined;
  /** With our entries, those of before replaced. For texts without a problem. The same text where nothing is to do. */
  install(text: string, version: string | undefined, commands: HookCommands): string;
  /** Without our entries. What they left empty goes as well, if it was not there `before` we came. */
  uninstall(text: string, before?: string): string;
  /** As this version of the host takes it; without one, as any does. */
  inspect(text: string, version?: string): SettingsView;
  readonly approval?: HookApproval;
  /** A line below the host's prompt that a command writes. */
  readonly statusLine?: StatusLineCapability;
  /** What else on this machine keeps the host from running our hooks for somebody who works in this folder. Never throws. */
  obstacles?(question: ObstacleQuestion): Promise<readonly HookObstacle[]>;
}

/** In a settings file: text in, text out, as with hooks. */
export interface StatusLineCapability {
  /** Whether our command writes the line. */
  isOurs(text: string): boolean;
  /** The script that it runs. */
  scriptIn(text: string): string | undefined;
  /** The command of before, which ours runs first; undefined if there was none. */
  wraps(text: string): string | undefined;
  /** `file`: the script that writes the line. For texts without a problem. */
  install(text: string, file: string): string;
  uninstall(text: string): string;
}

export interface ObstacleQuestion {
  readonly machine: Machine;
  readonly folder: string;
  readonly version: string | undefined;
  /** Our commands in front of tool calls. */
  readonly commands: readonly string[];
}

/** Keeps a host from running our hooks, though they are installed. */
export interface HookObstacle {
  /** A sentence: what, where. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy: string;
  /** Only hooks of these settings are affected; left out: all. */
  readonly scopes?: readonly SettingsFile['scope'][];
  /** Seen at this time (epoch milliseconds): a later call of our hook outweighs it. Left out: it is so now. */
  readonly at?: number;
}

/** For hosts that run a hook only after their person has agreed to it there. */
export interface HookApproval {
  /** Where the host keeps what was agreed to. */
  files(machine: Machine): readonly string[];
  /** Of our hooks in `settings`, the events of those that this version would not run; `agreed`: the texts of `files`. */
  missing(
    settings: { readonly file: string; readonly text: string },
    agreed: readonly string[],
    version?: string,
  ): readonly string[];
  /** What the person has to do, in words. */
  readonly how: string;
}

export interface SettingsFile {
  /** `managed`: by whoever looks after the machine, and not ours to change. */
  readonly scope: 'user' | 'project' | 'local' | 'managed';
  readonly path: string;
}

export interface HookCommands {
  readonly observe: string;
  /** Stands in front of every tool call, where wanted. */
  readonly guard?: string;
}

/** A settings file, as far as hooks are concerned. */
export interface SettingsView {
  /** Why the host does not read it. */
  readonly problem?: string;
  /** Events for which it is too old, where it reads nothing of the file because of them. */
  readonly tooNew?: readonly string[];
  readonly ours: readonly SettingsHook[];
  /** Commands of others that stand in front of tool calls. */
  readonly othersBeforeCalls: readonly string[];
  /** Switches every hook off, or says that it does not. */
  readonly allOff?: boolean;
  /** Only hooks of managed settings run. */
  readonly onlyManaged?: boolean;
}

export interface SettingsHook extends HookCommand {
  readonly event: string;
  /** The very text. */
  readonly command: string;
  /** For how long the host waits for it. */
  readonly seconds: number;
  /** How it differs from what this version of troupe enters, in words for people. */
  readonly changed?: string;
}

/** What an adapter found while it looked for files that several sessions share, kept for the next session that needs it. */
export class AgentScan {
  /** By the adapter's own keys. */
  readonly found = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();
  /** All sessions of a folder are read in one go: lists that cost more than one search pay off. */
  readonly isOfMany: boolean;

  constructor({ isOfMany = false } = {}) {
    this.isOfMany = isOfMany;
  }
}

/** A conversation that may still be written: where its messages stand is known, and some of them are read at a time. */
export interface OpenTranscript {
  /** In order. Cheap where little came since the last time. */
  places(): Promise<readonly MessageLines[]>;
  /** The messages that stand at these places, of this conversation, in the same order; with images only where asked for. */
  read(
    places: readonly MessageLines[],
    options?: { readonly withMedia: boolean },
  ): Promise<readonly TranscriptMessage[]>;
  /** Records of kinds that the adapter does not know, by kind, as of the last `places`, or `readAll`. */
  leftOut(): Readonly<Record<string, number>>;
  /** All messages in one reading, for who wants them all; left out where looking for them first is no slower. */
  readAll?(options?: { readonly withMedia: boolean }): Promise<readonly TranscriptMessage[]>;
  /** Every file that it is read from: while they stay the same, so does the conversation. Left out where nobody can say. */
  readonly files?: readonly string[];
}

/** One message: its lines, and those of the results that belong to its calls. */
export interface MessageLines {
  readonly id: string;
  readonly timestamp: string | null;
  readonly lines: readonly ByteRange[];
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface SpawnExchange {
  readonly prompt?: string;
  /** Left out where the result only says that the agent was sent off. */
  readonly answer?: string;
}

export interface SessionOrigin {
  readonly id: SessionId;
  /** It is no copy: its process went on here with an empty conversation. */
  readonly isEmptied?: true;
  /** Ids of the replies that stand in it. */
  readonly replies: ReadonlySet<string>;
  /** The host's own sums for it when the copy was made. */
  readonly totals?: readonly HostTotal[];
  /** When the copy began to go its own way; left out: it has not yet. */
  readonly leftAt?: number;
}

/** For following a data folder while it is written, without looking at all of it each time. */
export interface FollowCapability {
  /** Which folders below the root may hold something of use. */
  watched(root: string): Promise<(folder: string) => boolean>;
  /** What a place below the root is about, by its name where possible. */
  subjectOf(root: string, place: string, notes: FollowNotes): Promise<Subject>;
  /**
   * What of these sessions lies in one folder now, in the same order and without facts; without sources where nothing is
   * left. The folder is looked at once for all of them.
   */
  locateParts(root: string, folder: string, ids: readonly SessionId[]): Promise<readonly LocatedSession[]>;
  /** What lies beside the sessions and tells about them: which processes run, what was written to whom. */
  readFacts(root: string): Promise<(session: LocatedSession) => readonly AgentEvent[]>;
  /** For a root that is an address: tells when something is new there (`entry`: sessions came or went). Undefined for folders. */
  listen?(root: string, onNews: (what: 'written' | 'entry') => void): { close(): void } | undefined;
  /** For a folder, beside watching it: tells when `readFacts` has something new that no file shows. */
  listenBeside?(root: string, onNews: () => void): { close(): void } | undefined;
}

/** What the adapter has to remember of a data folder from one change to the next, for as long as somebody follows it. */
export type FollowNotes = Map<string, unknown>;

/** What of a session lies in one folder; it may have been moved and left files behind. */
export interface SessionPart {
  readonly id: SessionId;
  readonly folder: string;
}

export type Subject =
  | { readonly kind: 'part'; readonly part: SessionPart }
  /** Something that sessions share was written to, and these have news: in this source of theirs. */
  | { readonly kind: 'shared'; readonly parts: readonly SessionPart[]; readonly source: string }
  /** Of whom, only a look at the whole data folder tells. */
  | { readonly kind: 'everything' }
  /** What `readFacts` reads. */
  | { readonly kind: 'facts' }
  /** `mayHoldFacts`: a folder that can come or go as a whole, together with what `readFacts` reads in it. */
  | { readonly kind: 'nothing'; readonly mayHoldFacts?: boolean };

/** For hosts whose hooks name only a transcript: who is behind a call. */
export interface IdentifyCapability {
  /** The session a transcript belongs to, and its agent where the transcript is a sub-agent's own. */
  sessionOf(transcript: string): Promise<TranscriptOwner>;
  /** By what the end of the transcript shows, or showed at that time; never proof. An unreadable transcript is the main agent's. */
  byTail(transcript: string, asOf?: number): Promise<Identity>;
}

export interface TranscriptOwner {
  readonly session: LocatedSession;
  readonly agent?: AgentId;
}

/** For hosts whose recordings can be played as if they happened now. */
export interface ReplayCapability {
  /**
   * What the program wrote below its data folder, and when: in order, and at no point more than it knew by then. While
   * it lasts, this very process stands in for the program, so that the session counts as alive.
   */
  schedule(root: string): Promise<readonly ReplayStep[]>;
  /** The text of a step with the host's own times moved. Everything else stays byte for byte, bodies included. */
  retime(text: string, toNow: (at: number) => number): string;
  /** A text or a file's name with other ids in each take, the same ones all through a take. Take 0 is the recording. */
  rename(text: string, take: number): string;
}

export interface ReplayStep {
  /** Epoch milliseconds, by the recording's clock. */
  readonly at: number;
  /** Below the root, with forward slashes. */
  readonly file: string;
  /** `lines`: whole lines to append. `document`: all of it. `gone`: the file is taken away. */
  readonly shape: Exclude<LocatedSource['shape'], 'table'> | 'gone';
  readonly text: string;
}

/** What adapters may know of the machine. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export interface Located {
  readonly sessions: readonly LocatedSession[];
  /** Files there that the adapter has no use for. */
  readonly ignoredFiles: readonly string[];
  /** What of it could not be looked at, in words for people. */
  readonly problems?: readonly string[];
}

export interface LocatedSession {
  readonly id: SessionId;
  readonly root: string;
  /** Where this part of it lies; left out: all of it lies below the root. */
  readonly folder?: string;
  readonly sources: readonly LocatedSource[];
  /** What the folder itself tells: which of the host's processes is alive. */
  readonly facts: readonly AgentEvent[];
  /** Epoch milliseconds of the newest file: the order to read in, nothing more. */
  readonly modifiedAt: number;
  /** Of a table: nothing was said in it. */
  readonly isEmpty?: true;
}

export interface LocatedSource {
  readonly id: SourceId;
  readonly path: string;
  /**
   * `lines`: JSON lines that grow. `document`: one JSON text, written anew as a whole. `table`: neither, as a database that
   * many sessions share: the adapter reads it itself (`openTable`).
   */
  readonly shape: 'lines' | 'document' | 'table';
  /** The adapter's own word for what it is. */
  readonly role: string;
  /** Comes along with the transcripts beside it, and is not looked into to see whose it is. */
  readonly companion?: true;
  /** Tells what the session's own files tell, and less: read only where it has no others. */
  readonly standIn?: true;
  /** `locate` has looked into it: it is this host's. */
  readonly verified?: true;
  /** Whose it is; left out: the main agent's. */
  readonly agent?: AgentId;
  /** It lies in another session, and is of an agent that this one started. */
  readonly goesOn?: true;
  /** Whose conversations it holds beside the main agent's, where they are known without reading them. */
  readonly agents?: readonly AgentId[];
}

export interface SourceReader {
  /** Facts of one line (of a document: of its whole text). Never throws on data. */
  read(line: Line): readonly AgentEvent[];
}

/** A place in a source of the shape `table`. */
export interface TableCursor {
  /** When it was last written to, as of the last look; epoch milliseconds. */
  readonly modifiedAt: number;
  /** Hands over the facts that came since the last look. Throws where it cannot be read. */
  look(onFacts: (facts: readonly AgentEvent[]) => void): Promise<Look>;
}
