import type { ContinueWay, Steered } from '../continuing.ts';

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
  readonly way: 'follow' | ContinueWay;
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
    wish: AttachWish,
    options: { readonly mayAsk: boolean; readonly session?: string },
  ): Promise<PlannedAttach>;
  send(agent: string, message: string): Promise<Steered>;
  stop(agent: string): Promise<Steered>;
}

export interface AttachWish {
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
