// What the rooms that read sessions offer to the UIs.

import type { AgentId, SessionId, SourceId } from './ids.ts';
import type { SessionLedger } from './ledger.ts';
import type { SessionListEntry } from './reports/shapes.ts';
import type { SkippedAgent, Transcript, TranscriptAuthor } from './transcript.ts';
import type { AgentNode, AgentStatus, SessionTree } from './tree.ts';

/** What a UI may use. `main.ts` hands it over; no UI opens files itself. */
export interface Sessions {
  /** The newest, newest first; only these are read. `withEmpty`: also those without a conversation. */
  list(options: ListOptions): Promise<SessionListing>;
  /** By unique prefix of its id; the newest one where none is given. Throws a `UserError` where there is no such. */
  open(prefix?: string, onFound?: OnFound): Promise<OpenedSession>;
  /** As `open`, without the facts: of a large session that was read before, they take longer than all the rest. */
  openTree(prefix?: string, onFound?: OnFound): Promise<OpenedTree>;
}

export interface ListOptions {
  readonly limit: number;
  readonly withEmpty?: boolean;
  /** Epoch milliseconds: leaves out, and does not count, sessions whose files were not written to since. */
  readonly since?: number;
  /** Called after each session. */
  readonly onProgress?: (progress: { readonly done: number; readonly sessions: number }) => void;
}

/** Hears which session it is, before it is read. */
export type OnFound = (session: FoundFiles) => void;

export interface FoundFiles {
  readonly files: readonly string[];
}

export interface SessionListing {
  readonly trees: readonly SessionTree[];
  /** How many there are in all, read or not, also those that stand in another one's tree; the empty ones are not counted. */
  readonly total: number;
  /** How many of them are neither listed nor in the tree of one that is. */
  readonly more: number;
  /** How many have no conversation, listed or not. */
  readonly emptySessions: number;
  /** Files in the places looked at that no adapter knows. */
  readonly ignoredFiles: number;
  /** What could not be looked at, in words for people. */
  readonly problems: readonly string[];
  /** Where was looked. */
  readonly places: readonly string[];
}

export interface OpenedTree {
  readonly tree: SessionTree;
  readonly ignoredFiles: number;
  /** What else could not be looked at, in words for people: a newer session may be there. */
  readonly problems: readonly string[];
}

export interface OpenedSession extends OpenedTree {
  /** The facts that the tree was made from. */
  readonly ledger: SessionLedger;
  /** Those of other sessions that stand in it (`join-trees.ts`); left out where there are none. */
  readonly joined?: ReadonlyMap<SessionId, SessionLedger>;
}

/** Sessions as they change. */
export interface LiveTrees {
  /** Those that are followed, as they stand. */
  current(): readonly SessionTree[];
  listing(): LiveListing;
  subscribe(listener: (change: TreeChange) => void): { close(): void };
  /** Reads one of the older ones, or finds one that is followed; follows it from now on. */
  look(session: string): Promise<SessionTree | undefined>;
  /**
   * What was written until now, by this session in particular: its files are looked at, whether or not a watch reported them, and new ones
   * are looked for if the agent is not known yet. Gives all that are followed, with agents that `current` does not show yet.
   */
  readNow(session?: SessionId, agent?: AgentId): Promise<readonly SessionTree[]>;
  /** The facts behind the tree of one that is followed, without those of others that stand in it. */
  ledgerOf(session: SessionId): SessionLedger | undefined;
  /** A part of the conversation of one of its agents. */
  transcript(session: SessionId, agent: AgentId, range: MessageRange): Promise<PartOfTranscript | undefined>;
  close(): void;
}

export interface MessageRange {
  /** Messages to pass over. */
  readonly from: number;
  readonly limit: number;
}

export interface PartOfTranscript {
  readonly transcript: Transcript;
  /** How many messages there are in all. */
  readonly total: number;
}

export interface LiveListing {
  /** Newest first; known by their files only. */
  readonly older: readonly OlderSessionFiles[];
  /** How many have no conversation, and are not listed. */
  readonly emptySessions: number;
  readonly ignoredFiles: number;
  readonly places: readonly string[];
  /** Everything that was there at the beginning has been read. */
  readonly isComplete: boolean;
  /** What people should know of how it is followed: that the system gives us no more watches. */
  readonly notices: readonly string[];
}

/** What the index holds of a session that is not followed. */
export interface OlderSummary {
  readonly title?: string;
  readonly cwd?: string;
  readonly status: AgentStatus;
  /** Main included. */
  readonly agents: number;
  /** For the list of all sessions. */
  readonly entry: SessionListEntry;
}

export interface OlderSessionFiles {
  readonly id: SessionId;
  /** By its last line, or else by its newest file. */
  readonly modifiedAt: number;
  readonly files: number;
  /** Left out if it was not read yet. */
  readonly summary?: OlderSummary;
}

export type TreeChange =
  | { readonly kind: 'tree'; readonly tree: SessionTree; readonly sources: readonly SourceProgress[] }
  | { readonly kind: 'gone'; readonly session: SessionId }
  | { readonly kind: 'listing' };

/** How far a source was read. */
export interface SourceProgress {
  readonly source: SourceId;
  readonly agent?: AgentId;
  readonly bytes: number;
}

/** Conversations with their bodies, read when somebody looks. */
export interface Transcripts {
  /** By unique prefix of an agent's or a session's id, or by the name of an agent; of one session only, if one is given. */
  read(agent: string, session?: string, range?: MessageRange): Promise<OpenedTranscript>;
}

export interface OpenedTranscript {
  readonly tree: SessionTree;
  readonly agent: AgentId;
  /** Where its session was found: a data folder, or the address of a server. */
  readonly root: string;
  /** Without its sub-agents' transcripts: `sub_agents` is empty. */
  readonly transcript: Transcript;
  /** Messages in the whole conversation. */
  readonly total: number;
  /** What could not be looked at, in words for people. */
  readonly problems: readonly string[];
}

/** All conversations of a session, for whoever takes them along. */
export interface SessionTranscripts {
  /** As `Sessions.open`. */
  open(prefix?: string, onFound?: OnFound): Promise<OpenedTranscripts>;
}

/** An opened session as plain data, for other threads. Holds what the one who opened it needs to know, and nobody else looks into. */
export type SharedTranscripts = Readonly<Record<string, unknown>>;

export interface TranscriptReader {
  /**
   * One transcript at a time, with its images; nothing of those before is kept. One that cannot be read comes with
   * what its parent knows of it. May be called again, and reads again. `which`: only these of `agents`, in this order.
   */
  read(which?: readonly number[]): AsyncIterable<PlacedTranscript>;
}

export interface OpenedTranscripts extends OpenedSession, TranscriptReader {
  /** Whose conversations come, in their order: main first, each behind the one it stands below. */
  readonly agents: readonly PlacedAgent[];
  readonly skipped: readonly SkippedAgent[];
  /** Who works in its folder, as far as git says. */
  author(): Promise<TranscriptAuthor | null>;
  /** Of the files that it was read from: the same one again gives the same again. Undefined while it may change. */
  edition(): Promise<string | undefined>;
  /** For others who read along; undefined where only this one can read it. */
  share(): Promise<SharedTranscripts | undefined>;
}

export interface PlacedAgent {
  readonly node: AgentNode;
  /** How far below the main agent its transcript stands; an orphan's stands right below it. */
  readonly depth: number;
}

export interface PlacedTranscript extends PlacedAgent {
  /** `sub_agents` is empty: those that belong there come right behind it, one deeper. */
  readonly transcript: Transcript;
  /** Which state of its files it was read from: the same one again gives the same again. Undefined where that is not known. */
  readonly edition: string | undefined;
}

/** Where a picture comes from. */
export interface FeedSource {
  /** In a few words. */
  readonly text: string;
  /** Nothing arrives: what is shown is as it was when we last heard. */
  readonly isLost: boolean;
}
