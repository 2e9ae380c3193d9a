import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { nativeId, type SessionId } from '../core/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { type Place, placesOf, readsStreams, type Shadow, type StreamAdapter } from '../sessions/index.ts';
import type { RunRequest } from './shadow-request.ts';

export interface SessionSearch {
  /** Looks for the last time. */
  end(): Promise<void>;
}

const LOOK_EVERY_MS = 500;
const SHARE_OF_TIME = 0.1;
/** A program that prints a stream does so soon. */
const STREAM_WITHIN_MS = 3_000;

/**
 * For programs that print no stream, as in a terminal: the session that is theirs, by its files. It is the one whose process
 * the program is; for hosts that keep no record of processes, the only session that has begun since. Where several have, none.
 */
export function searchSession(
  { command: [program], where, disk }: RunRequest,
  child: ChildProcess,
  shadow: Shadow,
): SessionSearch {
  const adapter = adapterFor(program, where.host);
  const places = disk && adapter ? placesOf({ ...where, host: adapter.host }) : [];
  const since = systemClock();
  const before = idsIn(places);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    if (shadow.isRecognised || !adapter || places.length === 0) return;
    const began = performance.now();
    const id = await ownSession(places, child.pid ?? 0, await before).catch(reportTrouble);
    if (shadow.isRecognised) return;
    if (id) shadow.assume({ adapter, session: nativeId(id), since });
    else if (!isOver) timer = setTimeout(look, Math.max(LOOK_EVERY_MS, (performance.now() - began) / SHARE_OF_TIME));
  };
  timer = setTimeout(look, child.stdout ? STREAM_WITHIN_MS : LOOK_EVERY_MS);
  return {
    async end() {
      isOver = true;
      clearTimeout(timer);
      await look();
    },
  };
}

function adapterFor(program: string, host: string | undefined): StreamAdapter | undefined {
  const name = path.basename(program).replace(/\.(?:exe|cmd|js)$/, '');
  return ADAPTERS.filter(readsStreams).find((adapter) =>
    host === undefined ? adapter.stream.programs.includes(name) : adapter.host === host,
  );
}

async function idsIn(places: readonly Place[]): Promise<ReadonlySet<SessionId>> {
  const located = await Promise.all(places.map(({ adapter, root }) => adapter.locate(root).catch(() => undefined)));
  return new Set(located.flatMap((found) => found?.sessions.map(({ id }) => id) ?? []));
}

async function ownSession(
  places: readonly Place[],
  pid: number,
  before: ReadonlySet<SessionId>,
): Promise<SessionId | undefined> {
  const fresh: SessionId[] = [];
  for (const { adapter, root } of places)
    for (const { id, facts } of (await adapter.locate(root)).sessions) {
      if (facts.some((fact) => fact.kind === 'process-seen' && fact.pid === pid)) return id;
      if (!before.has(id)) fresh.push(id);
    }
  return fresh.length === 1 ? fresh[0] : undefined;
}
