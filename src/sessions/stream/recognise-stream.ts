import { NO_SESSION_YET, type SourceAdapter, type StreamCapability } from '../../hosts/index.ts';
import { isObject, parseJsonBytes } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';

/** An adapter that reads streams. */
export type StreamAdapter = SourceAdapter & { readonly stream: StreamCapability };

export function readsStreams(adapter: SourceAdapter): adapter is StreamAdapter {
  return adapter.stream !== undefined;
}

export interface RecognisedStream {
  readonly adapter: StreamAdapter;
  /** The host's own id of it, or `NO_SESSION_YET`. */
  readonly session: string;
  /** Epoch milliseconds: when its program began, where that is known. Agents that began earlier are of an earlier run. */
  readonly since?: number;
}

export interface StreamRecogniser {
  /** Says whose the stream is, with the first line that tells. */
  look(line: Line): RecognisedStream | undefined;
  /** Whose it seems to be, where no line named the session. */
  readonly guess: RecognisedStream | undefined;
}

/** By what the lines hold, never by the name of a program. */
export function createRecogniser(adapters: readonly StreamAdapter[]): StreamRecogniser {
  let guess: RecognisedStream | undefined;
  return {
    get guess() {
      return guess;
    },
    look({ bytes, tooLong }) {
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
