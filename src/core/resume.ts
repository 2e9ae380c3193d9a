// Continuing from an agent (`troupe attach`) and steering one: what hosts offer, what is planned, the commands to type.

import { cleanBlock } from './text/clean-text.ts';

/** An agent that somebody wants to go on from, in the host's own ids. */
export interface AgentToResume {
  readonly session: string;
  /** Of the main agent: the session's. */
  readonly agent: string;
  readonly isMain: boolean;
  readonly type?: string;
  /** It has lines of its own: what its parent knows of it is no conversation to go on with. */
  readonly hasTranscript: boolean;
  /** A process of the host has the session open: a second one would write between its lines. */
  readonly isSessionOpen: boolean;
  /** Its files lie where the host's program looks for them. */
  readonly isAtHome: boolean;
  /** Of the program that would be run; else of the one that wrote the session. */
  readonly version?: string;
}

export interface ResumeOptions {
  /** What to say to it, without a person in front of the program; left out: the program is opened for the person. */
  readonly message?: string;
  /** Leave the conversation as it is, and go on in a copy. */
  readonly fork: boolean;
  /** For a session that begins with it: a new UUID. */
  readonly newSession: string;
}

/** A program to be run, as it stands. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  /** On top of the person's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its input, which ends then; left out: the person's own. */
  readonly stdin?: string;
  /** How to read what it prints, where that is for machines: one record a line. */
  readonly printed?: PrintedRecords;
}

export interface PrintedRecords {
  /** The session that it runs, where a line names it. */
  sessionIn(line: string): string | undefined;
  /** What of a line is for people. */
  textIn(line: string): string | undefined;
}

/**
 * `session`: the session itself is opened again. `own`: the sub-agent's own conversation goes on. `parent`: the sub-agent is
 * woken by a message of its main agent. `handover`: a new session, which is told what the agent knew.
 */
export type ResumeWay = 'session' | 'own' | 'parent' | 'handover';

export interface ResumePlan {
  readonly way: ResumeWay;
  /** One sentence: what happens. */
  readonly words: string;
  /** What it cannot do, or does beside, in sentences. */
  readonly limits: readonly string[];
  readonly call: ProgramCall;
  /** A new session begins: with this id, or, left out, with one that it prints. */
  readonly begins?: { readonly session?: string };
}

/** In a sentence for people. */
export interface WhyNot {
  readonly whyNot: string;
}

/** What a host's program offers to whoever wants to go on from an agent. */
export interface ResumeCapability {
  /** Goes on with the very conversation, where this version can. */
  planResume(agent: AgentToResume, wish: ResumeOptions): ResumePlan | WhyNot;
  /** Begins a session with this text. */
  begin(text: string, wish: Pick<ResumeOptions, 'message' | 'newSession'>, version?: string): ResumePlan;
}

/** For hosts that can be told, or stopped, while they work. */
export interface SteeringCapability {
  /** Hands a message to an agent. Never throws. */
  send(agent: AgentToSteer, message: string): Promise<Steered>;
  /** Ends what an agent is doing. Never throws. */
  stop(agent: AgentToSteer): Promise<Steered>;
}

export interface AgentToSteer {
  /** Where its session was found: a data folder, or the address of a server. */
  readonly root: string;
  readonly session: string;
  readonly agent: string;
  readonly isAtWork: boolean;
  readonly cwd?: string;
}

export type Steered = { readonly words: string } | WhyNot;

/** What `troupe attach` does, or would do. */
export interface AttachReport {
  readonly agent: {
    readonly id: string;
    readonly sessionId: string;
    readonly host: string;
    readonly label: string;
    readonly status: string;
  };
  /** `follow`: it is at work, and is watched. */
  readonly way: 'follow' | ResumeWay;
  /** What happens, in a sentence. */
  readonly words: string;
  readonly limits: readonly string[];
  /** Why it is none of the better ways, a sentence each. */
  readonly reasons: readonly string[];
  /** The host that goes on. */
  readonly host: string;
  /** Those that could go on in its place, by short name and as people write it. */
  readonly hosts: readonly { readonly host: string; readonly title: string }[];
  /** Null where nothing is started. */
  readonly command: AttachCommand | null;
  /** All that the conversation is told, exactly. Null where it is told nothing. */
  readonly text: string | null;
  /** About how many tokens that is. */
  readonly tokens: number;
  /** What of the agent had no place in it, in words. */
  readonly leftOut: readonly string[];
  /** What was taken out of it, by kind. */
  readonly redacted: readonly { readonly what: string; readonly count: number }[];
  /** A new session that will stand below the agent; its id is null where only the program knows it. */
  readonly begins: { readonly sessionId: string | null } | null;
}

export interface AttachCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** On top of the person's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  /** `text` is written to its input. */
  readonly takesText: boolean;
}

/** Each throws a `UserError` where there is no such agent. */
export interface AttachControl {
  /** Nothing is started. `mayAsk`: programs may be asked for their versions. `session`: by its whole id, where it is known. */
  plan(
    agent: string,
    wish: AttachOptions,
    options: { readonly mayAsk: boolean; readonly session?: string },
  ): Promise<PlannedAttach>;
  send(agent: string, message: string, session?: string): Promise<Steered>;
  stop(agent: string, session?: string): Promise<Steered>;
}

export interface AttachOptions {
  readonly message?: string;
  /** The host that is to go on; left out: the agent's own. */
  readonly host?: string;
  readonly fork: boolean;
  /** Tokens that a handover may take, about. */
  readonly budget: number;
}

export interface PlannedAttach {
  readonly report: AttachReport;
  /** Starts the program, and ends with its exit code. Throws a `UserError` where it cannot be started. */
  run(write: (text: string) => void): Promise<number>;
}

/** As a person would type it in a shell of the Unix kind; clean, so that what is copied is what was read. */
export function shellLine({ program, args, env, cwd, takesText }: AttachCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const words = [...variables, ...[program, ...args].map(quoted)].join(' ');
  const line = takesText ? `${words} < handover.txt` : words;
  return cwd === null ? line : `cd ${quoted(cwd)} && ${line}`;
}

/** The same by troupe, which notes whom the new session goes on from. */
export function attachLine(agent: string, { message, host, fork }: AttachOptions): string {
  const flags = [
    ...(message === undefined ? [] : ['--message', message]),
    ...(host === undefined ? [] : ['--host', host]),
    ...(fork ? ['--fork'] : []),
  ];
  return ['troupe', 'attach', agent, ...flags].map(quoted).join(' ');
}

/** A folder of linked pages. Where the session is found by default, nothing is said of it. */
export function exportLine(
  session: string,
  where: { readonly roots: readonly string[]; readonly host?: string },
): string {
  const flags = [
    ...where.roots.flatMap((root) => ['--root', root]),
    ...(where.host === undefined ? [] : ['--host', where.host]),
  ];
  return ['troupe', 'export', session, ...flags, '--out-dir', './share'].map(quoted).join(' ');
}

function quoted(word: string): string {
  const clean = cleanBlock(word);
  return /^[\w@%+=:,./-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", `'\\''`)}'`;
}
