/** An agent that somebody wants to go on from, in the host's own ids. */
export interface AgentToContinue {
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

export interface ContinueWish {
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
export type ContinueWay = 'session' | 'own' | 'parent' | 'handover';

export interface ContinuePlan {
  readonly way: ContinueWay;
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
export interface ContinuingCapability {
  /** Goes on with the very conversation, where this version can. */
  takeUp(agent: AgentToContinue, wish: ContinueWish): ContinuePlan | WhyNot;
  /** Begins a session with this text. */
  begin(text: string, wish: Pick<ContinueWish, 'message' | 'newSession'>, version?: string): ContinuePlan;
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
