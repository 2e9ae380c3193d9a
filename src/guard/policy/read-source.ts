// No YAML here: the hook loads this.

import { closeSync, fstatSync, type Stats } from 'node:fs';
import { digestText } from '../../lib/digest.ts';
import { isWrongFile, openRegularSync, readDescriptorSync, readNamedSync } from '../../lib/regular-file.ts';
import { codeOf } from '../../lib/user-error.ts';
import { MAX_BYTES, type PolicySource } from './source.ts';

export interface ReadSource {
  readonly content: PolicySource['content'];
  /** Another one means that it was written to; see `lookAtSource`. */
  readonly state: string;
  /** Of the bytes. It finds changes, and proves nothing: to load a cryptographic one takes a hook longer than all the rest. */
  readonly digest: string;
}

/** Undefined where there is no such file. One that we may not read holds rules that would be passed over in silence. */
export function readSource(file: string): ReadSource | undefined {
  const seen = openSource(file);
  if (seen === undefined) return undefined;
  if ('trouble' in seen) return { content: { trouble: seen.trouble }, state: seen.trouble, digest: seen.trouble };
  try {
    const { stats, handle } = seen;
    if (stats.size > MAX_BYTES) {
      const trouble = `The file has ${stats.size} bytes; it may have at most ${MAX_BYTES}.`;
      return { content: { trouble }, state: stateOf(stats), digest: trouble };
    }
    const content = readDescriptorSync(file, handle, MAX_BYTES);
    return { content, state: stateOf(stats), digest: digestText(content.toString('latin1')) };
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

type Opened = { readonly handle: number; readonly stats: Stats } | { readonly trouble: string };

function openSource(file: string): Opened | undefined {
  try {
    const handle = openRegularSync(file);
    return { handle, stats: fstatSync(handle) };
  } catch (error) {
    const trouble = troubleOf(error);
    return trouble === undefined ? undefined : { trouble };
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
