import { close, closeSync, ftruncateSync, mkdtempSync, readSync, rmSync, write, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openNewSync } from './regular-file.ts';

interface SpillingOptions {
  /** So much is kept in memory. */
  readonly maxBytes?: number;
  /** The reader is gone: nothing more will be taken. */
  readonly onClosed?: () => void;
  /** Close the descriptor when everything was handed over. */
  readonly isOwn?: boolean;
}

const MAX_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** A pipe that somebody else has set not to block says «later» instead of waiting. */
const AGAIN_MS = 5;

/**
 * Bytes on their way to somebody who may be slow. Whoever writes never waits: what the reader does not take is kept in
 * memory, and beyond that in a file for nobody but its owner. Nothing is lost, and the order holds.
 * `fd`: by its number, because Node's own stream waits on a full pipe, and the program in front of us would, too.
 */
export function createSpillingWriter(fd: number, options: SpillingOptions = {}) {
  const { maxBytes = MAX_BYTES, onClosed = () => {} } = options;
  let queue: Uint8Array[] = [];
  let queued = 0;
  let spill: ReturnType<typeof openSpill> | undefined;
  let hasSpilled = false;
  let isBusy = false;
  let isClosed = false;
  let onDrained: (() => void) | undefined;

  const settle = (): void => {
    if (queued === 0 && !spill) onDrained?.();
  };
  const giveUp = (): void => {
    isClosed = true;
    queue = [];
    queued = 0;
    spill?.close();
    spill = undefined;
    onClosed();
    settle();
  };
  const next = (): Uint8Array | undefined => {
    const first = queue.shift();
    if (first) {
      queued -= first.length;
      return first;
    }
    const piece = spill?.take(PIECE_BYTES);
    if (piece) return piece;
    spill?.close();
    spill = undefined;
    return undefined;
  };
  const pump = (): void => {
    if (isBusy || isClosed) return;
    const chunk = next();
    isBusy = chunk !== undefined;
    if (chunk) hand(chunk, 0);
    else settle();
  };
  const hand = (chunk: Uint8Array, from: number): void => {
    write(fd, chunk, from, chunk.length - from, null, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => hand(chunk, from), AGAIN_MS);
      else if (!error && from + written < chunk.length) hand(chunk, from + written);
      else {
        isBusy = false;
        if (error) giveUp();
        else pump();
      }
    });
  };
  return {
    /** Bytes that are in the file now. */
    get spilled() {
      return spill?.length ?? 0;
    },
    get hasSpilled() {
      return hasSpilled;
    },
    /** Takes the bytes: they must not be changed afterwards. */
    write(chunk: Uint8Array): void {
      if (isClosed || chunk.length === 0) return;
      if (spill || queued + chunk.length > maxBytes) {
        spill ??= openSpill();
        hasSpilled = true;
        spill.add(chunk);
      } else {
        queue.push(chunk);
        queued += chunk.length;
      }
      pump();
    },
    /** When everything was handed over, or the reader is gone. */
    async end(): Promise<void> {
      await new Promise<void>((resolve) => {
        onDrained = resolve;
        if (!isBusy) settle();
      });
      if (options.isOwn) await new Promise((resolve) => close(fd, resolve));
    },
  };
}

function openSpill() {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-spill-'));
  const file = openNewSync(path.join(folder, 'bytes'));
  // It lives as long as it is open, and no longer: a kill leaves nothing behind. (Not on Windows.)
  if (process.platform !== 'win32') rmSync(folder, { recursive: true, force: true });
  let from = 0;
  let to = 0;
  return {
    /** Bytes that were not taken yet. */
    get length() {
      return to - from;
    },
    add(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at, chunk.length - at, to + at);
      to += chunk.length;
    },
    take(size: number): Uint8Array | undefined {
      if (from === to) return undefined;
      const piece = Buffer.allocUnsafe(Math.min(size, to - from));
      const read = readSync(file, piece, 0, piece.length, from);
      from += read;
      if (from === to) {
        ftruncateSync(file, 0);
        from = 0;
        to = 0;
      }
      return piece.subarray(0, read);
    },
    close(): void {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
