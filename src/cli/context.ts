// What commands receive. A command names the services it uses in its `this` type, and sees no others; main.ts wires them.
import type { CommandContext } from '@stricli/core';
import type { GuardLog } from '../audit/index.ts';
import type { RunOutcome, RunRequest, StreamOutcome, StreamRequest } from '../control/index.ts';
import {
  type AttachControl,
  createPaint,
  type Finding,
  type Identifier,
  type KeptDecision,
  type Review,
  type ReviewChoice,
  type Sessions,
  type Transcripts,
} from '../core/index.ts';
import type { ExportOutcome, ExportRequest, RedactedInput, RedactRequest } from '../export/index.ts';
import type { BudgetControl, GuardQueries, PolicyControl } from '../guard/index.ts';
import type { HistoryControl, SearchControl } from '../history/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import type { Terminal } from '../lib/terminal.ts';
import type { NotifyRequest, TelegramControl } from '../notify/index.ts';
import type { ApprovalControl, ServerControl } from '../server/index.ts';
import type { SessionScope } from '../sessions/index.ts';
import type { WatchRequest } from '../tui/index.ts';
import type { TextOptions } from './format/index.ts';
import type { HooksControl } from './hooks/hooks-control.ts';

export type CliContext<Uses extends keyof Services = never> = CommandContext &
  Pick<Services, Uses> & {
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

/** Everything that main.ts wires. Methods throw a `UserError` if the person has to act first. */
export interface Services {
  /** Reads sessions and transcripts. Before sessions are read, queued hook events are drained into the audit log. */
  readonly reader: {
    sessions(where: SessionScope): Sessions;
    transcripts(where: SessionScope): Transcripts;
    /** Reads the settings; costs are counted with the prices in them from then on. */
    costSettings(): Promise<{ readonly subscriptions: readonly string[] }>;
    /** The recording that ships with troupe, for people who have no session yet. */
    demo(): Sessions;
  };
  readonly identifier: Identifier;
  /**
   * `status` reads, and so does `prune` unless it is to ask: then it deletes files of hosts. The others change the index of what
   * was read, which is in the state folder.
   */
  readonly history: HistoryControl;
  /** Searches the text of conversations. Changes its index, which it keeps only after the person agreed: `allow`, `forbid`, `drop`. */
  readonly text: SearchControl & {
    /** Whether a coding agent started this process. */
    isAgent(): Promise<boolean>;
  };
  /** Writes files: sessions as pages, in the folder that the request names. */
  readonly exporter: { export(request: ExportRequest): Promise<ExportOutcome> };
  /** Reads the named files, or standard input; changes nothing. */
  readonly redactor: { redact(request: Omit<RedactRequest, 'input'>): Promise<RedactedInput> };
  /** Asks the person at this terminal about each value that an export would redact. */
  readonly reviewer: { review(found: Review): Promise<ReadonlyMap<string, ReviewChoice> | undefined> };
  /** What was decided in reviews and is kept. `list` reads; `forget` changes the state folder. */
  readonly decisions: {
    list(): Promise<readonly KeptDecision[]>;
    forget(ids: readonly string[]): Promise<readonly KeptDecision[]>;
  };
  readonly audit: {
    /** Reads the audit log. Each method first drains queued hook events into it. */
    open(where: SessionScope): Promise<AuditLog>;
    /** Changes the audit log: drains queued hook events into it. */
    drain(): Promise<void>;
  };
  readonly questions: GuardQueries;
  /** Reads what agents used, and the policy; `raise` changes what agents may use. */
  readonly budgets: BudgetControl;
  /** `check` changes the state folder: it stores the policy for the hooks, unless a file is named. `presets` only reads. */
  readonly policy: PolicyControl;
  /** `list` reads approval requests; `answer` changes what a tool call may do. */
  readonly approvals: ApprovalControl;
  readonly hooks: HooksControl;
  /** `status` reads; `serve`, `start` and `stop` change what runs; `login` grants a browser access to the running server. */
  readonly server: Omit<ServerControl, 'feed'>;
  /** Answers questions of agents on standard input and output; stops agents and sends messages only if the policy allows it. */
  readonly mcp: { serve(): Promise<void> };
  /** Can answer approval requests, by keys: the live tree until the person quits; plain lines or JSON without a terminal. */
  readonly live: { watch(request: WatchRequest): Promise<void> };
  /** Writes events about the stream on standard input, until it ends. */
  readonly streams: { record(request: StreamRequest): Promise<StreamOutcome> };
  /** Runs a program, and with `intercept` decides about its tool calls. */
  readonly programs: { run(request: RunRequest): Promise<RunOutcome> };
  /** Changes what agents do: resumes an agent, sends it a message, stops it. */
  readonly agents: { open(where: SessionScope): Promise<AttachControl> };
  /** Sends session data off the machine, to the chat or address in the settings; takes answers from chats. */
  readonly notifier: { readonly telegram: TelegramControl; webhook(request: NotifyRequest): Promise<void> };
  /** Runs the installed hook commands with two test calls, which end up in the audit log; reads everything else that has to work. */
  readonly doctor: { examine(where: SessionScope): AsyncIterable<Finding> };
}

export type AuditLog = Omit<GuardLog, 'drain'>;

const EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** On a terminal one line that disappears with the answer; elsewhere, such as in a log, a line every few seconds. */
export function createProgress({ note, noteInPlace }: Terminal) {
  let last = noteInPlace ? 0 : Date.now();
  let isShown = false;
  return {
    show(text: () => string): void {
      const now = Date.now();
      if (now - last < (noteInPlace ? EVERY_MS : LINE_EVERY_MS)) return;
      last = now;
      isShown = true;
      (noteInPlace ?? note)(text());
    },
    clear(): void {
      if (isShown) noteInPlace?.('');
      isShown = false;
    },
  };
}
