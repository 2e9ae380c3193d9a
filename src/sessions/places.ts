import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { Machine, SourceAdapter } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { withHooks, withStreams } from './hook-sources.ts';

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

export function placesOf(where: Where): readonly Place[] {
  const machine = thisMachine();
  const state = stateFolder(machine);
  const told = { hooks: path.join(state, 'hooks'), streams: path.join(state, 'streams') };
  return placesFor(ADAPTERS, machine, where, told);
}

/** A host, for lists of them: no face knows one by its name. */
export interface KnownHost {
  /** Short, as `--host` takes it. */
  readonly host: string;
  /** As people write it. */
  readonly title: string;
  /** What people type to have it print a stream that is read; left out where none is. */
  readonly printing?: string;
  /** Its program waits in front of each call for what it is told. */
  readonly isSteered?: true;
}

/** Where hosts and we keep things. Throws a `UserError` where nobody says where this person's home is. */
export function thisMachine(): Machine {
  return { env: process.env, home: homeFolder() };
}

/** An empty or relative `HOME` would be whatever folder we happen to run in: then what the system knows counts. */
function homeFolder(): string {
  const home = [homedir, () => userInfo().homedir].map(orNothing).find((folder) => path.isAbsolute(folder));
  if (home !== undefined) return home;
  throw new UserError('no-home', 'troupe does not know your home folder.', 'Set HOME to the whole path of it.');
}

/** Both throw where the system does not know the person at all. */
function orNothing(ask: () => string): string {
  try {
    return ask();
  } catch {
    return '';
  }
}
