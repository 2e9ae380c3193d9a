import path from 'node:path';
import type { Machine, SourceAdapter } from '../adapters/adapter.ts';
import { known } from '../base/json.ts';
import { UserError } from '../base/user-error.ts';
import { withHooks } from './hook-sources.ts';

/** A data folder, and the adapter that may find its host's sessions there. */
export interface Place {
  readonly adapter: SourceAdapter;
  readonly root: string;
  /** The person named the host: its word is taken for it. */
  readonly forced: boolean;
  /** Where troupe keeps what hooks of this host told. */
  readonly hooks?: string;
}

export interface Where {
  /** In place of the hosts' own data folders. */
  readonly roots?: readonly string[];
  readonly host?: string;
}

/** Every host looks into every folder that was named; into its own where none was. */
export function placesFor(
  adapters: readonly SourceAdapter[],
  machine: Machine,
  { roots: wanted = [], host }: Where,
  /** Troupe's own folder for what hooks told, with one for each host in it. */
  hooksFolder?: string,
): readonly Place[] {
  const named = wanted.map((root) => (isAddress(root) ? root : path.resolve(root)));
  return adaptersFor(adapters, host).flatMap((plain) => {
    const hooks = hooksFolder === undefined || !plain.hooks ? undefined : path.join(hooksFolder, plain.host);
    const adapter = hooks === undefined ? plain : withHooks(plain, hooks);
    const own = named.filter((root) => adapter.takesAddresses || !isAddress(root));
    const roots = named.length > 0 ? own : adapter.roots(machine);
    return roots.map((root) => ({ adapter, root, forced: host !== undefined, ...known({ hooks }) }));
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
