import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pace } from '../../lib/testing/waiting.ts';

/** Line by line, each in two pieces, at times with a moment between them: what a reader may catch of a host that writes. */
export async function writeInHalves(from: string, to: string): Promise<void> {
  mkdirSync(path.dirname(to), { recursive: true });
  for (const [index, line] of readFileSync(from, 'utf8')
    .split(/(?<=\n)/)
    .entries()) {
    const half = Math.floor(line.length / 2);
    appendFileSync(to, line.slice(0, half));
    if (index % 10 === 0) await pace(5);
    appendFileSync(to, line.slice(half));
  }
}
