import type { SourceAdapter } from '../hosts/index.ts';
import type { FoundSession } from './find-sessions.ts';

/** An adapter cannot be handed to another thread: there is one of the same name. */
export interface SharedSession extends Omit<FoundSession, 'adapter'> {
  readonly host: string;
}

/** A database or a server has its own reader, which stays with who opened it. */
export function isOfFiles({ located }: FoundSession): boolean {
  return located.sources.every(({ shape }) => shape !== 'table');
}

export function toShared({ adapter, forced, located }: FoundSession): SharedSession {
  return { host: adapter.host, forced, located };
}

export function fromShared(adapters: readonly SourceAdapter[], { host, forced, located }: SharedSession): FoundSession {
  const adapter = adapters.find((one) => one.host === host);
  if (!adapter) throw new Error(`troupe: nobody reads ${host} here`);
  return { adapter, forced, located };
}
