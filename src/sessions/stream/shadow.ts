import type { SessionTree } from '../../core/index.ts';
import { NO_SESSION_YET } from '../../hosts/index.ts';
import { isObject, parseJsonBytes } from '../../lib/json.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';
import { type RecognisedStream, ShadowedSession, type ShadowOptions, type StreamAdapter } from './shadowed-session.ts';

/** Follows a stream without disturbing it. */
export interface Shadow {
  /** Takes any cut of the bytes. Never throws on them, and never waits. */
  push(chunk: Uint8Array): void;
  /** Whose stream it is, is known. */
  readonly isRecognised: boolean;
  /** Says whose it is, where that is known otherwise: its session is followed from now on, whatever is printed. */
  assume(stream: RecognisedStream): void;
  /** Nothing more comes: looks at the disk for the last time, and tells how everything ended. */
  end(): Promise<ShadowReport>;
}

export interface ShadowReport {
  /** Undefined where no line told whose stream it was. */
  readonly host: string | undefined;
  readonly session: string | undefined;
  readonly lines: number;
  readonly malformedLines: number;
  readonly subagents: number;
  readonly tree: SessionTree | undefined;
}

/** Lines before anybody knows whose they are: a few of a host's, or words of something else. */
const MAX_UNKNOWN_BYTES = 4 * 1024 * 1024;

export function createShadow(options: ShadowOptions): Shadow {
  const splitter = createLineSplitter();
  const recogniser = createRecogniser(options.adapters);
  let session: ShadowedSession | undefined;
  let early: Line[] = [];
  let earlyBytes = 0;
  let lines = 0;
  /** Of those that no reader has seen. */
  let malformed = 0;

  const begin = (recognised: RecognisedStream): void => {
    session = new ShadowedSession(recognised, options);
    for (const line of early) session.take(line);
    early = [];
  };
  const takeEarly = (line: Line): void => {
    // Copied: the bytes of a line belong to the chunk that it came in.
    early.push({ ...line, bytes: new Uint8Array(line.bytes) });
    earlyBytes += line.length;
    const recognised = recogniser.look(line);
    if (recognised) begin(recognised);
    for (let first = early[0]; first && earlyBytes > MAX_UNKNOWN_BYTES; first = early[0]) {
      early.shift();
      earlyBytes -= first.length;
      malformed++;
    }
  };
  const take = (line: Line): void => {
    if (line.length > 0) lines++;
    if (session) session.take(line);
    else takeEarly(line);
  };
  return {
    get isRecognised() {
      return session !== undefined;
    },
    assume(stream) {
      if (!session) begin(stream);
    },
    push(chunk) {
      try {
        for (const line of splitter.push(chunk)) take(line);
      } catch (error) {
        options.onError(error);
      }
    },
    async end() {
      const rest = splitter.rest();
      if (rest) take(rest);
      if (!session && recogniser.guess) begin(recogniser.guess);
      const ended = await session?.end({ lines, malformed });
      return {
        host: session?.host,
        session: ended?.session === NO_SESSION_YET ? undefined : ended?.session,
        lines,
        malformedLines: ended?.malformedLines ?? malformed + early.length,
        subagents: ended?.subagents ?? 0,
        tree: ended?.tree,
      };
    },
  };
}

/** By what the lines hold, never by the name of a program. */
function createRecogniser(adapters: readonly StreamAdapter[]) {
  let guess: RecognisedStream | undefined;
  return {
    /** Whose it seems to be if no line named the session. */
    get guess() {
      return guess;
    },
    /** Whose the stream is, once a line shows it. */
    look({ bytes, tooLong }: Line): RecognisedStream | undefined {
      const record = tooLong ? undefined : parseJsonBytes(bytes);
      if (!isObject(record)) return undefined;
      for (const adapter of adapters) {
        const sign = adapter.stream.recognise(record);
        if (sign?.session !== undefined) return { adapter, session: sign.session };
        if (!sign) continue;
        guess ??= { adapter, session: NO_SESSION_YET };
        if (adapter.stream.namesSessionLast) return guess;
      }
      return undefined;
    },
  };
}
