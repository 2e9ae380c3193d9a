import { realpath } from 'node:fs/promises';
import { buildTree, type SessionId } from '../core/index.ts';
import type { HookEvent } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { type FoundSession, findSessions } from './find-sessions.ts';
import type { KnownSession } from './identify-caller.ts';
import type { Place } from './places.ts';
import { readSession } from './read-session.ts';

/** The session of a hook that was called at `at`, as it is now. */
export type OpenSession = (event: HookEvent, at: number) => Promise<KnownSession | undefined>;

/** What was read so lately counts as now: events come in numbers. */
const FRESH_MS = 200;
/** By so long after a hook, what its host writes about the call is written. */
const WRITTEN_MS = 5_000;

/** Reads sessions from the disk, each as seldom as can be. For a process that follows nothing. */
export function createCallerSessions(places: readonly Place[], clock: Clock): OpenSession {
  const read = new Map<SessionId, { readonly at: number; readonly session: Promise<KnownSession | undefined> }>();
  return async (event, at) => {
    const now = clock();
    const last = read.get(event.session);
    if (last && (now - last.at < FRESH_MS || last.at - at > WRITTEN_MS)) return last.session;
    const session = openOf(event, places, clock);
    read.set(event.session, { at: now, session });
    return session;
  };
}

async function openOf(event: HookEvent, places: readonly Place[], clock: Clock): Promise<KnownSession | undefined> {
  const found = (await byTranscript(event, places)) ?? (await byPlaces(event, places));
  if (!found) return undefined;
  const ledger = await readSession(found.adapter, found.located);
  return { ledger, tree: buildTree(ledger, { now: clock() }) };
}

type Found = Pick<FoundSession, 'adapter' | 'located'>;

/** Where the hook says that it is: no need to look at all sessions. */
async function byTranscript(event: HookEvent, places: readonly Place[]): Promise<Found | undefined> {
  const file = event.transcript === undefined ? undefined : await realpath(event.transcript).catch(() => undefined);
  // Those of the places know what hooks told before, too.
  const adapter = [...places.map((place) => place.adapter), ...ADAPTERS].find(({ host }) => host === event.host);
  if (file === undefined || !adapter?.identify) return undefined;
  const { session } = await adapter.identify.sessionOf(file);
  return session.id === event.session ? { adapter, located: session } : undefined;
}

async function byPlaces({ session }: HookEvent, places: readonly Place[]): Promise<Found | undefined> {
  const { sessions } = await findSessions(places);
  return sessions.find(({ located }) => located.id === session);
}
