import { closeSync, mkdtempSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentEvent } from '../../core/index.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import { openNewSync } from '../../lib/regular-file.ts';

/**
 * Every fact of a stream, on the disk: where the session's files have to be read from the beginning, the stream cannot be,
 * and a gigabyte of it must not be kept in memory.
 */
export interface FactLog {
  add(facts: readonly AgentEvent[]): void;
  /** All so far, in order. */
  replay(onFact: (fact: AgentEvent) => void): void;
  close(): void;
}

const BUFFER_CHARS = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

export function createFactLog(): FactLog {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-stream-'));
  const file = openNewSync(path.join(folder, 'facts.jsonl'));
  let waiting = '';
  let length = 0;
  const flush = (): void => {
    const bytes = Buffer.from(waiting);
    waiting = '';
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, length + at);
    length += bytes.length;
  };
  return {
    add(facts) {
      for (const fact of facts) waiting += `${JSON.stringify(fact)}\n`;
      if (waiting.length > BUFFER_CHARS) flush();
    },
    replay(onFact) {
      flush();
      const splitter = createLineSplitter();
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let at = 0; at < length; ) {
        const read = readSync(file, chunk, 0, chunk.length, at);
        if (read === 0) break;
        at += read;
        for (const { bytes } of splitter.push(chunk.subarray(0, read)))
          onFact(JSON.parse(Buffer.from(bytes).toString('utf8')) as AgentEvent);
      }
    },
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
