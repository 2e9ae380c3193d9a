import { type AuditEvent, applyEvent, type LiveEvent, type LiveSnapshot } from '../../core/index.ts';

export interface EventLog {
  /** Gives the event its id; its bytes, once for all clients. */
  append(event: LiveEvent | AuditEvent): Buffer;
  /** What came after the event of this id; nothing known where it is not one of ours, or too old. */
  after(id: string): readonly Buffer[] | undefined;
  /** Everything as of the last event, under its id: what is appended next is exactly what is missing in it. */
  snapshot(): Buffer | undefined;
}

export interface EventLogLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

const LIMITS: EventLogLimits = { maxEvents: 5_000, maxBytes: 8 * 1024 * 1024 };

/** The last events, encoded, for clients that lost their connection for a moment. */
export function createEventLog(epoch: string, limits: Partial<EventLogLimits> = {}): EventLog {
  const { maxEvents, maxBytes } = { ...LIMITS, ...limits };
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let last = 0;
  let picture: LiveSnapshot | undefined;
  let snapshot: Buffer | undefined;

  const keep = (bytes: Buffer): void => {
    kept.push(bytes);
    keptBytes += bytes.length;
    while (kept.length > maxEvents || keptBytes > maxBytes) keptBytes -= kept.shift()?.length ?? 0;
  };

  return {
    append(event) {
      last++;
      // Snapshots have no calls: who begins with one asks for the log.
      if (event.type !== 'audit') picture = applyEvent(picture, event);
      snapshot = undefined;
      const bytes = encode(`${epoch}-${last}`, event);
      keep(bytes);
      return bytes;
    },
    after(id) {
      const number = numberIn(id, epoch);
      if (number === undefined || number > last || last - number > kept.length) return undefined;
      return number === last ? [] : kept.slice(number - last);
    },
    snapshot() {
      if (picture) snapshot ??= encode(`${epoch}-${last}`, { type: 'snapshot', data: lastActiveFirst(picture) });
      return snapshot;
    },
  };
}

/** JSON holds no line break of its own, so one line of data is enough. */
function encode(id: string, { type, data }: LiveEvent | AuditEvent): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** An id of an earlier server is somebody else's: its numbers mean nothing here. */
function numberIn(id: string, epoch: string): number | undefined {
  const [, its, number] = /^(.+)-(\d{1,15})$/.exec(id) ?? [];
  return its === epoch ? Number(number) : undefined;
}

/** Changes leave a session where it stands in the list; who begins with a snapshot should see them in order. */
function lastActiveFirst(picture: LiveSnapshot): LiveSnapshot {
  const at = ({ lastActivityAt }: { readonly lastActivityAt: string | null }): string => lastActivityAt ?? '';
  const sessions = [...picture.sessions].sort((a, b) => (at(a) === at(b) ? 0 : at(a) < at(b) ? 1 : -1));
  return { ...picture, sessions };
}
