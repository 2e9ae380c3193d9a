import { createHash } from 'node:crypto';
import type { AuditEntry } from '../core/index.ts';
import { asObject } from '../lib/json.ts';

/** A place in the chain. */
export interface ChainLink {
  readonly n: number;
  readonly hash: string;
}

/** What comes before the first line. */
export const CHAIN_START: ChainLink = { n: 0, hash: '0'.repeat(64) };

export type EntryFields = Omit<AuditEntry, 'n' | 'prev' | 'hash'>;

/** The next line of the chain, without its newline. */
export function sealEntry({ v, ...fields }: EntryFields, last: ChainLink): ChainLink & { readonly line: string } {
  const n = last.n + 1;
  const open = JSON.stringify({ v, n, ...fields, prev: last.hash }).slice(0, -1);
  const hash = hashOf(open);
  return { n, hash, line: `${open},"hash":"${hash}"}` };
}

export interface SealedLine {
  readonly entry: AuditEntry;
  /** The hash is that of the text. */
  readonly isIntact: boolean;
}

/** Nothing where it is no line of an audit. The text decides, not what JSON makes of it: order and spaces count. */
export function openSealed(text: string): SealedLine | undefined {
  const entry = parseEntry(text);
  if (!entry) return undefined;
  const [tail = '', hash] = /,"hash":"([0-9a-f]{64})"\}$/.exec(text.slice(-80)) ?? [];
  return { entry, isIntact: tail !== '' && hash === hashOf(text.slice(0, -tail.length)) };
}

/** A line as an entry, its hash not looked at. */
export function parseEntry(text: string): AuditEntry | undefined {
  try {
    const raw = asObject(JSON.parse(text));
    const isEntry =
      Number.isSafeInteger(raw?.['n']) &&
      [raw?.['id'], raw?.['at'], raw?.['prev'], raw?.['hash']].every((field) => typeof field === 'string') &&
      asObject(raw?.['agent']) !== undefined;
    return isEntry ? (raw as unknown as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** The text without its hash: closed again, as if there had been none. */
function hashOf(open: string): string {
  return createHash('sha256').update(`${open}}`).digest('hex');
}
