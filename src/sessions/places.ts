import path from 'node:path';
import type { Machine, SourceAdapter } from '../hosts/index.ts';
import { UserError } from '../lib/user-error.ts';
import { withHooks } from './hook-sources.ts';
import { withStreams } from './stream-sources.ts';

/** A data folder, and the adapter that may find its host's sessions there. */
export interface Place {
  readonly adapter: SourceAdapter;
  readonly root: string;
  /** The person named the host: its word is taken for it. */
  readonly forced: boolean;
  /** Where troupe keeps what hooks and streams of this host told. */
  readonly told?: readonly string[];
}

/** What the person asked to look at. */
export interface Where {
  /** In place of the hosts' own data folders. */
  readonly roots: readonly string[];
  readonly host?: string;
}

export interface ToldFolders {
  readonly hooks?: string;
  readonly streams?: string;
}

/** Every host looks into every folder that was named; into its own where none was. */
export function placesFor(
  adapters: readonly SourceAdapter[],
  machine: Machine,
  { roots: wanted = [], host }: Partial<Where>,
  /** Troupe's own folders for what was told, with one for each host in them. */
  told: ToldFolders = {},
): readonly Place[] {
  const named = wanted.map((root) => (isAddress(root) ? root : path.resolve(root)));
  return adaptersFor(adapters, host).flatMap((plain) => {
    const hooks = told.hooks === undefined || !plain.hooks ? undefined : path.join(told.hooks, plain.host);
    const streams = told.streams === undefined || !plain.stream ? undefined : path.join(told.streams, plain.host);
    const heard = hooks === undefined ? plain : withHooks(plain, hooks);
    const adapter = streams === undefined ? heard : withStreams(heard, streams);
    const folders = [hooks, streams].filter((folder) => folder !== undefined);
    const own = named.filter((root) => adapter.takesAddresses || !isAddress(root));
    const roots = named.length > 0 ? own : adapter.roots(machine);
    return roots.map((root) => ({ adapter, root, forced: host !== undefined, told: folders }));
  });
}

/** Of a running server, in place of a folder. */
export function isAddress(root: string): boolean {
  return /^https?:\/\//.test(root);
}

export function adaptersFor(adapters: readonly SourceAdapter[], host: string | undefined): readonly SourceAdapter[] {
  const chosen = adapters.filter((adapter) => host === undefined || adapter.host === host);
  if (chosen.length > 0) return chosen;
  const all = adapters.map((adapter) => adapter.host).join(', ');
  throw new UserError('unknown-host', `troupe does not know the host «${host}».`, `Known: ${all}`);
}
