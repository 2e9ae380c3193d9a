import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createSpillingWriter } from './spilling-writer.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';
import { until } from './testing/waiting.ts';

const UNTIL_TOLD = 'until [ -e go ]; do sleep 0.02; done';

interface Pipe {
  readonly fd: number;
  readonly done: Promise<unknown>;
  /** For a reader that waits. */
  go(): void;
}

/** A pipe as the system has it, with a reader at its end. */
async function withPipe(reader: string, action: (pipe: Pipe) => Promise<void>): Promise<void> {
  const folder = makeTemporaryFolder('spilling');
  const pipe = path.join(folder, 'pipe');
  await once(spawn('mkfifo', [pipe]), 'close');
  const child = spawn('sh', ['-c', reader], { cwd: folder });
  const done = once(child, 'close');
  try {
    await action({ fd: openSync(pipe, 'w'), done, go: () => writeFileSync(path.join(folder, 'go'), '') });
  } finally {
    child.kill();
  }
}

const numbered = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(`${index} ${'x'.repeat(1000)}\n`));

it('loses nothing and does not block when the reader is slow', async () => {
  const out = path.join(makeTemporaryFolder('out'), 'out');
  await withPipe(`exec 3<pipe; ${UNTIL_TOLD}; cat <&3 > ${out}`, async ({ fd, done, go }) => {
    const writer = createSpillingWriter(fd, { maxBytes: 64 * 1024, isOwn: true });
    const chunks = numbered(5_000);
    for (const chunk of chunks) writer.write(chunk);
    // All of it was taken, and the reader has not begun.
    expect(writer.hasSpilled).toBe(true);
    expect(writer.spilled).toBeGreaterThan(4_000_000);
    go();
    await writer.end();
    await done;
    expect(readFileSync(out).equals(Buffer.concat(chunks))).toBe(true);
  });
});

it('writes from memory again once the reader has caught up', async () => {
  const out = path.join(makeTemporaryFolder('out'), 'out');
  await withPipe(`exec 3<pipe; ${UNTIL_TOLD}; cat <&3 > ${out}`, async ({ fd, done, go }) => {
    const writer = createSpillingWriter(fd, { maxBytes: 1000, isOwn: true });
    const chunks = numbered(300);
    for (const chunk of chunks.slice(0, 200)) writer.write(chunk);
    expect(writer.spilled).toBeGreaterThan(0);
    go();
    await until(() => writer.spilled === 0, 'the reader');
    for (const chunk of chunks.slice(200)) writer.write(chunk);
    await writer.end();
    await done;
    expect(readFileSync(out).equals(Buffer.concat(chunks))).toBe(true);
  });
});

it('reports when the reader is gone, and ends', async () => {
  await withPipe('exec 3<pipe; head -c 10 <&3 > /dev/null', async ({ fd }) => {
    let isClosed = false;
    const writer = createSpillingWriter(fd, { maxBytes: 1000, isOwn: true, onClosed: () => (isClosed = true) });
    for (const chunk of numbered(1_000)) writer.write(chunk);
    await writer.end();
    expect(isClosed).toBe(true);
  });
});
