import type { Line } from '../lib/lines.ts';

export function textOf({ bytes }: Line): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
