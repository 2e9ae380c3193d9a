import { type AgentId, nativeId } from '../../../core/index.ts';
import type { Bodies, LocatedSession, LocatedSource } from '../../index.ts';
import { createdAtOf } from '../facts/message-facts.ts';
import type { Role } from '../locate.ts';
import { placeOf, type WholeMessage } from './conversation.ts';
import { openDatabaseBodies } from './database-bodies.ts';
import { loadEvents, loadExport, loadServed, loadStorage, loadStream } from './load-conversation.ts';
import { type BodyOptions, toMessage } from './to-message.ts';

const LOADERS: Readonly<
  Record<
    Exclude<Role, 'database'>,
    (session: LocatedSession, file: string, agent: string) => Promise<readonly WholeMessage[]>
  >
> = {
  storage: (_session, file, agent) => loadStorage(file, agent),
  export: (_session, file, agent) => loadExport(file, agent),
  stream: (_session, file, agent) => loadStream(file, agent),
  events: (_session, file, agent) => loadEvents(file, agent),
  server: (_session, address, agent) => loadServed(address, agent),
};

const IN_ONE_FILE = new Set<Role>(['export', 'stream', 'events']);

export function openBodies(session: LocatedSession, source: LocatedSource, agent: AgentId): Bodies {
  const role = source.role as Role;
  if (role === 'database') return openDatabaseBodies(source.path, nativeId(agent));
  let loaded: readonly WholeMessage[] = [];
  return {
    async places() {
      loaded = await LOADERS[role](session, source.path, nativeId(agent));
      return loaded.map(({ id, info }) => placeOf(id, createdAtOf(info)));
    },
    async read(places, options: BodyOptions = { withMedia: false }) {
      const wanted = new Set(places.map(({ id }) => id));
      return loaded.filter(({ id }) => wanted.has(id)).map((message) => toMessage(message, options));
    },
    leftOut: () => ({}),
    ...(IN_ONE_FILE.has(role) && { files: [source.path] }),
  };
}
