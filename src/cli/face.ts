import type { GuardLog } from '../audit/index.ts';
import type { RunOutcome, RunRequest, StreamOutcome, StreamRequest } from '../control/index.ts';
import type { AttachControl, Finding, Identifier, Sessions, Transcripts } from '../core/index.ts';
import type { ExportOutcome, ExportRequest } from '../export/index.ts';
import type { GuardQuestions, PolicyControl } from '../guard/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Terminal } from '../lib/terminal.ts';
import type { ChatRequest, TelegramControl } from '../notify/index.ts';
import type { AskControl, FollowRequest, ServerControl } from '../server/index.ts';
import type { KnownHost, Live, Where } from '../sessions/index.ts';
import type { WatchRequest } from '../tui/index.ts';
import type { HooksControl } from './hooks/hooks-control.ts';

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
