import { isObject } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import type { SessionId } from '../ids.ts';
import { createLedger, type SessionLedger } from '../ledger.ts';

/** Raised when a reader of the version before would misunderstand the file. */
export const SNAPSHOT_VERSION = 1;

/** Sessions with all their facts, to store, to share or to show elsewhere. Importing it gives the same trees. */
export interface Snapshot {
  readonly format: 'troupe-snapshot';
  readonly version: typeof SNAPSHOT_VERSION;
  /** Epoch milliseconds: who was at work is a matter of this moment. */
  readonly takenAt: number;
  readonly sessions: readonly unknown[];
}

export function writeSnapshot(ledgers: Iterable<SessionLedger>, takenAt: number): string {
  const sessions = [...ledgers].map(encode);
  return JSON.stringify({ format: 'troupe-snapshot', version: SNAPSHOT_VERSION, takenAt, sessions } satisfies Snapshot);
}

export function readSnapshot(text: string): { readonly takenAt: number; readonly ledgers: readonly SessionLedger[] } {
  const remedy = 'Export it again with this version of troupe.';
  let snapshot: unknown;
  try {
    snapshot = JSON.parse(text);
  } catch (cause) {
    throw new UserError('snapshot-invalid', 'This is not a snapshot of troupe: it is not JSON.', remedy, { cause });
  }
  if (!isObject(snapshot) || snapshot['format'] !== 'troupe-snapshot' || !Array.isArray(snapshot['sessions'])) {
    throw new UserError('snapshot-invalid', 'This is not a snapshot of troupe.', remedy);
  }
  if (snapshot['version'] !== SNAPSHOT_VERSION || typeof snapshot['takenAt'] !== 'number') {
    const found = JSON.stringify(snapshot['version']);
    throw new UserError('snapshot-version', `The snapshot has version ${found}, not ${SNAPSHOT_VERSION}.`, remedy);
  }
  return { takenAt: snapshot['takenAt'], ledgers: snapshot['sessions'].map(toLedger) };
}

function toLedger(encoded: unknown): SessionLedger {
  const decoded = decode(encoded);
  const fresh =
    isObject(decoded) && typeof decoded['id'] === 'string' ? createLedger(decoded['id'] as SessionId) : undefined;
  const isWhole =
    fresh && isObject(decoded) && Object.entries(fresh).every(([key, value]) => hasKind(decoded[key], value));
  if (!isWhole) throw new UserError('snapshot-invalid', 'A session of the snapshot is damaged.', 'Export it again.');
  return { ...fresh, ...(decoded as unknown as SessionLedger) };
}

function hasKind(value: unknown, like: unknown): boolean {
  if (like instanceof Map) return value instanceof Map;
  if (like instanceof Set) return value instanceof Set;
  return typeof value === typeof like;
}

/** Maps and sets as tagged arrays; keys sorted, so that equal ledgers give equal text whatever order their facts came in. */
function encode(value: unknown): unknown {
  if (value instanceof Map) {
    const entries = [...value].map(([key, entry]) => [key, encode(entry)] as const);
    return { map: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
  }
  if (value instanceof Set) return { set: [...value].sort() };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return { of: keys.map((key) => [key, encode((value as Record<string, unknown>)[key])]) };
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (!isObject(value)) return value;
  const { map, set, of } = value;
  if (Array.isArray(map)) return new Map(map.filter(Array.isArray).map((pair) => [pair[0], decode(pair[1])]));
  if (Array.isArray(set)) return new Set(set);
  if (Array.isArray(of)) return Object.fromEntries(of.filter(Array.isArray).map((pair) => [pair[0], decode(pair[1])]));
  return undefined;
}
