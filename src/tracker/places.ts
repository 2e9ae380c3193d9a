import path from 'node:path';
import type { Machine, SourceAdapter } from '../adapters/adapter.ts';
import { UserError } from '../base/user-error.ts';

/** A data folder, and the adapter that may find its host's sessions there. */
export interface Place {
  readonly adapter: SourceAdapter;
  readonly root: string;
  /** The person named the host: its word is taken for it. */
  readonly forced: boolean;
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
  { roots = [], host }: Where,
): readonly Place[] {
  const named = roots.map((root) => path.resolve(root));
  return adaptersFor(adapters, host).flatMap((adapter) =>
    (named.length > 0 ? named : adapter.roots(machine)).map((root) => ({ adapter, root, forced: host !== undefined })),
  );
}

export function adaptersFor(adapters: readonly SourceAdapter[], host: string | undefined): readonly SourceAdapter[] {
  const chosen = adapters.filter((adapter) => host === undefined || adapter.host === host);
  if (chosen.length > 0) return chosen;
  const all = adapters.map((adapter) => adapter.host).join(', ');
  throw new UserError('unknown-host', `troupe does not know the host «${host}».`, `Known: ${all}`);
}
