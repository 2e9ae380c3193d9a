import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { HostDescription, Machine, SourceAdapter } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { withHooks, withStreams } from './session-records.ts';

/** A data folder, and the adapter that may find its host's sessions there. */
export interface DataFolder {
  readonly adapter: SourceAdapter;
  readonly root: string;
  /** The person named the host, so files are not checked for whose they are. */
  readonly forced: boolean;
  /** Where troupe records what hooks and streams of this host report. */
  readonly records?: readonly string[];
}

/** What the person asked to look at. */
export interface SessionScope {
  /** In place of the hosts' own data folders. */
  readonly roots: readonly string[];
  readonly host?: string;
}

/** Every host looks into every named folder; into its own data folders if none is named. */
export function listDataFolders(
  adapters: readonly SourceAdapter[],
  machine: Machine,
  { roots: wanted = [], host }: Partial<SessionScope>,
  /** Folders in which troupe records what hooks and streams report, with one folder per host in each. */
  records: { readonly hooks?: string; readonly streams?: string } = {},
): readonly DataFolder[] {
  const named = wanted.map((root) => (isAddress(root) ? root : path.resolve(root)));
  return adaptersFor(adapters, host).flatMap((plain) => {
    const hooks = records.hooks && path.join(records.hooks, plain.host);
    const streams = records.streams && path.join(records.streams, plain.host);
    const hooked = hooks ? withHooks(plain, hooks) : plain;
    const adapter = streams ? withStreams(hooked, streams) : hooked;
    const folders = [hooks, streams].filter((folder) => folder !== undefined);
    const own = named.filter((root) => adapter.takesAddresses || !isAddress(root));
    const roots = named.length > 0 ? own : adapter.roots(machine);
    return roots.map((root) => ({ adapter, root, forced: host !== undefined, records: folders }));
  });
}

/** The address of a running server, instead of a folder. */
export function isAddress(root: string): boolean {
  return /^https?:\/\//.test(root);
}

export function adaptersFor(adapters: readonly SourceAdapter[], host: string | undefined): readonly SourceAdapter[] {
  const chosen = adapters.filter((adapter) => host === undefined || adapter.host === host);
  if (chosen.length > 0) return chosen;
  const all = adapters.map((adapter) => adapter.host).join(', ');
  throw new UserError('unknown-host', `troupe does not know the host «${host}».`, `Known: ${all}`);
}

export function dataFoldersFor(where: SessionScope): readonly DataFolder[] {
  const machine = thisMachine();
  const state = stateFolder(machine);
  return listDataFolders(ADAPTERS, machine, where, {
    hooks: path.join(state, 'hooks'),
    streams: path.join(state, 'streams'),
  });
}

/** A host, for lists of them: UIs know none by its name. */
export type KnownHost = Pick<HostDescription, 'host' | 'title' | 'printing' | 'isSteered'>;

/** Throws a `UserError` if the home folder is not known. */
export function thisMachine(): Machine {
  return { env: process.env, home: homeFolder() };
}

/** An empty or relative `HOME` would mean the working folder: the system's entry for the user counts then. */
function homeFolder(): string {
  const home = [homedir, () => userInfo().homedir].map(orNothing).find((folder) => path.isAbsolute(folder));
  if (home !== undefined) return home;
  throw new UserError('no-home', 'troupe does not know your home folder.', 'Set HOME to the whole path of it.');
}

/** Both throw if the system has no entry for the user. */
function orNothing(ask: () => string): string {
  try {
    return ask();
  } catch {
    return '';
  }
}
