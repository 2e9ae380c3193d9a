import type { SessionId, SessionLedger } from '../../core/index.ts';
import type { LocatedSession, SourceAdapter } from '../../hosts/index.ts';
import { type FollowedSession, followSession } from '../follow-session.ts';
import type { Place } from '../places.ts';
import { TOLD_ROLE } from '../stream-sources.ts';

/** The files of one session while its program prints: what they tell, and the print does not. */
export interface DiskJoin {
  /** Undefined as long as the session has left nothing on the disk. Another one where all had to be read anew. */
  readonly ledger: SessionLedger | undefined;
  /** Reads what came since the last look. Whether there was anything. Never throws. */
  look(): Promise<boolean>;
}

interface Found {
  readonly adapter: SourceAdapter;
  readonly followed: FollowedSession;
  /** Looks only where the session is known to lie. */
  locate(): Promise<LocatedSession | undefined>;
}

export function joinDisk(places: readonly Place[], id: SessionId, onError: (error: unknown) => void): DiskJoin {
  let found: Found | undefined;
  return {
    get ledger() {
      return found?.followed.ledger;
    },
    async look() {
      try {
        found ??= await find(places, id);
        const located = await found?.locate();
        if (!found || !located || located.sources.length === 0) return false;
        const before = found.followed.generation;
        const { progress } = await found.followed.refresh(located);
        return progress.length > 0 || found.followed.generation !== before;
      } catch (error) {
        onError(error);
        return false;
      }
    },
  };
}

async function find(places: readonly Place[], id: SessionId): Promise<Found | undefined> {
  for (const { adapter, root } of places) {
    const { sessions } = await adapter.locate(root);
    const located = sessions.find((session) => session.id === id);
    if (!located || withoutCopies(located).sources.length === 0) continue;
    const { folder = root } = located;
    return {
      adapter,
      followed: followSession(adapter, withoutCopies(located)),
      async locate() {
        const [part] = adapter.follow
          ? await adapter.follow.locateParts(root, folder, [id])
          : (await adapter.locate(root)).sessions.filter((session) => session.id === id);
        return part && withoutCopies(part);
      },
    };
  }
  return undefined;
}

/** Kept prints are what comes through the pipe already; what is said of processes, the pipe itself knows better. */
function withoutCopies(session: LocatedSession): LocatedSession {
  const facts = session.facts.filter(({ kind }) => kind !== 'process-seen');
  const sources = session.sources.filter(({ standIn, role }) => !standIn && role !== TOLD_ROLE);
  return { ...session, facts, sources };
}
