import type { AgentEvent, SessionId, SourceId, ToolCallId } from '../core/index.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Line } from '../lib/lines.ts';

/** For hosts that print what they do, one JSON object a line: what comes through a pipe, or was kept of it. */
export interface StreamCapability {
  /** What a line says about whose it is; undefined where it is none of this host's. */
  recognise(record: JsonObject): StreamSign | undefined;
  /** Fed in order from the first line on. `session` is `NO_SESSION_YET` of this host where no line has told it. */
  createReader(session: SessionId, source: SourceId): StreamReader;
  /** What the stream does not carry is on the disk, in files of the session: it is worth looking there. */
  readonly leavesToDisk: boolean;
  /** Calls and agents have the ids that they have in files: what the stream tells can be put beside those. */
  readonly hasIdsOfFiles?: true;
  /** Which session it is, only the last line says: nobody waits for that. */
  readonly namesSessionLast?: true;
  /** The result of a call does not tell whether its agent failed: where files do, they are waited for. */
  readonly resultsAreUnsure?: true;
}

export interface StreamSign {
  /** Left out where the line does not name it. */
  readonly session?: string;
}

/** For hosts that name their session only in the last line they print. */
export const NO_SESSION_YET = '?';

export interface StreamReader {
  /** Never throws on data. Times are those at which the lines came: whoever reads them puts them in. */
  read(line: Line): StreamUpdate;
}

export interface StreamUpdate {
  readonly facts: readonly AgentEvent[];
  /** Whole: facts keep only their first lines. */
  readonly prompts?: readonly CallPrompt[];
  /** The program says that a turn, or the whole run, is over. */
  readonly result?: StreamResult;
  /** Told by a line when the first ones did not. */
  readonly session?: string;
}

export interface CallPrompt {
  readonly call: ToolCallId;
  readonly prompt: string;
}

export interface StreamResult {
  readonly isError: boolean;
  readonly text?: string;
  readonly costUsd?: number;
  readonly durationMs?: number;
}
