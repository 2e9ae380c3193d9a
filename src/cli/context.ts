// What commands receive. A command names the services it uses in its `this` type, and sees no others; main.ts wires them.
import type { CommandContext } from '@stricli/core';
import type { GuardLog } from '../audit/index.ts';
import type { RunOutcome, RunRequest, StreamOutcome, StreamRequest } from '../control/index.ts';
import {
  type AttachControl,
  createPaint,
  type Finding,
  type Identifier,
  type Sessions,
  type Transcripts,
} from '../core/index.ts';
import type { ExportOutcome, ExportRequest } from '../export/index.ts';
import type { GuardQueries, PolicyControl } from '../guard/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import type { Terminal } from '../lib/terminal.ts';
import type { NotifyRequest, TelegramControl } from '../notify/index.ts';
import type { ApprovalControl, ServerControl } from '../server/index.ts';
import type { SessionScope } from '../sessions/index.ts';
import type { WatchRequest } from '../tui/index.ts';
import type { TextOptions } from './format/index.ts';
import type { HooksControl } from './hooks/hooks-control.ts';

export type CliContext<Uses = unknown> = CommandContext &
  Uses & {
    readonly terminal: Terminal;
    readonly clock: Clock;
    readonly version: string;
    /** Sets the exit code, for scripts. */
    endWith(code: number): void;
  };

export function writeJson({ terminal }: CliContext, value: unknown): void {
  terminal.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function writeLines({ terminal }: CliContext, lines: readonly string[]): void {
  terminal.write(`${lines.join('\n')}\n`);
}

/** On stderr, so that output for programs stays the same. */
export function warnOfOldName({ terminal }: CliContext, old: string, name: string): void {
  terminal.note(`${old} is now: ${name}. The old name works until 0.3.`);
}

/** The answer of a command: JSON for programs, lines for people. */
export function writeAnswer<T>(
  context: CliContext,
  json: boolean,
  answer: T,
  format: (answer: T, options: TextOptions) => readonly string[],
): void {
  if (json) writeJson(context, answer);
  else writeLines(context, format(answer, textOptionsOf(context)));
}

export function textOptionsOf({ terminal, clock }: CliContext): TextOptions {
  return { paint: createPaint(terminal.colours), now: clock(), ...known({ width: terminal.width }) };
}

/**
 * Everything that main.ts wires; each command takes its part. `…Reader` changes nothing but what its comment says. Methods throw a
 * `UserError` if the person has to act first.
 */
export interface Services {
  readonly reader: SessionReader;
  readonly identifier: Identifier;
  readonly exporter: SessionExporter;
  readonly audit: AuditReader & AuditDrain;
  readonly questions: GuardQueries;
  readonly policy: PolicyCompiler & PresetReader;
  readonly approvals: ApprovalReader & ApprovalAnswers;
  readonly hooks: HooksControl;
  readonly server: ServerReader & ServerStarter & ServerStopper & LoginLinks;
  readonly live: LiveControl;
  readonly streams: StreamRecorder;
  readonly programs: ProgramRunner;
  readonly agents: AgentControl;
  readonly notifier: Notifier;
  readonly doctor: MachineTester;
}

/** Reads sessions and transcripts. Before sessions are read, queued hook events are drained into the audit log. */
export interface SessionReader {
  sessions(where: SessionScope): Sessions;
  transcripts(where: SessionScope): Transcripts;
  /** The recording that ships with troupe, for people who have no session yet. */
  demo(): Sessions;
}

/** Reads the audit log. Each method first drains queued hook events into it. */
export interface AuditReader {
  open(where: SessionScope): Promise<AuditLog>;
}

export type AuditLog = Omit<GuardLog, 'drain'>;

/** Changes the audit log: drains queued hook events into it. */
export interface AuditDrain {
  drain(): Promise<void>;
}

/** Reads the presets of policies. */
export type PresetReader = Pick<PolicyControl, 'presets'>;

/** Reads approval requests. */
export type ApprovalReader = Pick<ApprovalControl, 'list'>;

/** Reads whether a server runs, and where. */
export type ServerReader = Pick<ServerControl, 'status'>;

/** Changes the state folder: checks the policy and stores it for the hooks, unless a file is named. */
export type PolicyCompiler = Pick<PolicyControl, 'check'>;

/** Changes what a tool call may do: answers approval requests. */
export type ApprovalAnswers = Pick<ApprovalControl, 'answer'>;

/** Changes what runs: starts a server in this process or in the background. */
export type ServerStarter = Pick<ServerControl, 'serve' | 'start'>;

/** Changes what runs: ends the server. */
export type ServerStopper = Pick<ServerControl, 'stop'>;

/** Grants access: creates a link that logs a browser in at the running server. */
export type LoginLinks = Pick<ServerControl, 'login'>;

/** Writes files: sessions as pages, in the folder that the request names. */
export interface SessionExporter {
  export(request: ExportRequest): Promise<ExportOutcome>;
}

/** Can answer approval requests, by keys: the live tree until the person quits; plain lines or JSON without a terminal. */
export interface LiveControl {
  watch(request: WatchRequest): Promise<void>;
}

/** Writes events about the stream on standard input, until it ends. */
export interface StreamRecorder {
  record(request: StreamRequest): Promise<StreamOutcome>;
}

/** Runs a program, and with `intercept` decides about its tool calls. */
export interface ProgramRunner {
  run(request: RunRequest): Promise<RunOutcome>;
}

/** Changes what agents do: resumes an agent, sends it a message, stops it. */
export interface AgentControl {
  open(where: SessionScope): Promise<AttachControl>;
}

/** Sends session data off the machine, to the chat or address in the settings; takes answers from chats. */
export interface Notifier {
  readonly telegram: TelegramControl;
  webhook(request: NotifyRequest): Promise<void>;
}

/** Runs the installed hook commands with two test calls, which end up in the audit log; reads everything else that has to work. */
export interface MachineTester {
  examine(where: SessionScope): AsyncIterable<Finding>;
}
