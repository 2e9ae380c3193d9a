// No YAML here: the hook loads this.

import { closeSync, existsSync, fstatSync, lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { PolicyFileScope } from '../../core/index.ts';
import { isWrongFile, openRegularSync, readDescriptorSync, readNamedSync } from '../../lib/regular-file.ts';
import { codeOf } from '../../lib/user-error.ts';

interface ReadSource {
  readonly content: PolicySource['content'];
  /** Another one means that it was written to; see `lookAtSource`. */
  readonly state: string;
}

/** Undefined where there is no such file. One that we may not read holds rules that would be passed over in silence. */
export function readSource(file: string): ReadSource | undefined {
  const seen = openSource(file);
  if (seen === undefined) return undefined;
  if ('trouble' in seen) return { content: { trouble: seen.trouble }, state: seen.trouble };
  try {
    const { stats, handle } = seen;
    if (stats.size > MAX_BYTES) {
      const trouble = `The file has ${stats.size} bytes; it may have at most ${MAX_BYTES}.`;
      return { content: { trouble }, state: stateOf(stats) };
    }
    const content = readDescriptorSync(file, handle, MAX_BYTES);
    return { content, state: stateOf(stats) };
  } finally {
    closeSync(seen.handle);
  }
}

/**
 * A file that the person named on the command line: `/dev/stdin` and `<(…)` may be named there. Undefined where there is no such
 * file.
 */
export function readNamedSource(file: string): Pick<ReadSource, 'content'> | undefined {
  try {
    return { content: readNamedSync(file, MAX_BYTES) };
  } catch (error) {
    const trouble = troubleOf(error);
    return trouble === undefined ? undefined : { content: { trouble } };
  }
}

/** As far as it goes without reading it. */
export function lookAtSource(file: string): { readonly state: string; readonly changedAt: number } | undefined {
  const seen = openSource(file);
  if (seen === undefined) return undefined;
  if ('trouble' in seen) return { state: seen.trouble, changedAt: Number.POSITIVE_INFINITY };
  closeSync(seen.handle);
  return { state: stateOf(seen.stats), changedAt: Math.max(seen.stats.mtimeMs, seen.stats.ctimeMs) };
}

/** The time of the last change of the file's entry cannot be set back, as that of its content can. */
function stateOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

function openSource(file: string): { handle: number; stats: Stats } | { trouble: string } | undefined {
  try {
    const handle = openRegularSync(file);
    return { handle, stats: fstatSync(handle) };
  } catch (error) {
    const trouble = troubleOf(error) ?? brokenLink(file);
    return trouble === undefined ? undefined : { trouble };
  }
}

/** A link that leads nowhere holds rules that would be passed over in silence; so does a folder that is one. */
function brokenLink(file: string): string | undefined {
  const isLink = [file, path.dirname(file)].some((one) => {
    return entryAt(one)?.isSymbolicLink() && !existsSync(one);
  });
  return isLink ? 'This is a link that leads nowhere.' : undefined;
}

/** Undefined if there is none, also because a file is where its folder should be. */
function entryAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Undefined where there is no such file. */
function troubleOf(error: unknown): string | undefined {
  const code = String(codeOf(error) ?? 'an error');
  if (ABSENT.has(code)) return undefined;
  if (isWrongFile(error)) return `This ${error.why}.`;
  return `The file cannot be read (${code}).`;
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

/** A file of a policy, as it was read. */
export interface PolicySource extends PolicyPlace {
  readonly content: Uint8Array | { readonly trouble: string };
}

/** A policy of a thousand rules has a fifth of it. */
export const MAX_BYTES = 1024 * 1024;

export interface PolicyPlace {
  readonly scope: PolicyFileScope;
  readonly file: string;
  /** The project's folder, which relative ones in it are relative to; null for the person's own, which belongs to no project. */
  readonly root: string | null;
}

/** `folder`: of the project, not where a command of an agent happens to be: it could go where no policy is. */
export interface PolicyFolders {
  readonly configFolder: string;
  readonly folder: string;
}

export interface CompiledPolicyFolders extends PolicyFolders {
  readonly stateFolder: string;
  readonly home: string;
}

/** Those that may be there, the person's own first. */
export function policyPlaces({ configFolder, folder }: PolicyFolders): readonly PolicyPlace[] {
  const user: PolicyPlace = { scope: 'user', file: path.resolve(configFolder, 'policy.yaml'), root: null };
  const root = projectRoot(folder);
  const inProject = (scope: PolicyFileScope, name: string): readonly PolicyPlace[] => {
    const file = path.join(root ?? '', '.troupe', name);
    // With TROUPE_HOME=~/.troupe the person's own lies where that of a project in the home folder would.
    return root === undefined || file === user.file ? [] : [{ scope, file, root }];
  };
  return [user, ...inProject('project', 'policy.yaml'), ...inProject('local', 'policy.local.yaml')];
}

/** The nearest folder, going up, that says that it is one. */
export function projectRoot(folder: string): string | undefined {
  const at = path.resolve(folder);
  if (existsSync(path.join(at, '.git')) || entryAt(path.join(at, '.troupe'))) return at;
  const above = path.dirname(at);
  return above === at ? undefined : projectRoot(above);
}
