import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { isMissing } from '../lib/folders.ts';
import { parseJson } from '../lib/json.ts';
import { isWrongFile, openNewSync, openRegular } from '../lib/regular-file.ts';
import { codeOf, UserError } from '../lib/user-error.ts';

/**
 * Writes a file that must not be there yet, piece by piece: a page may be larger than what we want to hold. Without leaving the
 * thread: it has nothing else to do, and of a small page more time went into handing it over than into writing it.
 */
export async function writeFile(folder: string, name: string, chunks: Chunks): Promise<ManifestFile> {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const handle = openNewSync(file, 0o666);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const batch of inBatches(chunks)) {
      const data = Buffer.from(batch);
      hash.update(data);
      bytes += data.length;
      writeAll(handle, data);
    }
  } finally {
    closeSync(handle);
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** The system may take less than it is given. */
function writeAll(handle: number, data: Uint8Array): void {
  for (let written = 0; written < data.length; ) written += writeSync(handle, data, written);
}

/** What a page is made of. */
export type Chunks = Iterable<string> | AsyncIterable<string>;

const BATCH = 128 * 1024;

/** The same text in fewer and larger pieces, none of which ends in the middle of a character. */
export async function* inBatches(chunks: Chunks): AsyncGenerator<string> {
  let batch = '';
  const takeFull = (): string | undefined => {
    if (batch.length < BATCH) return undefined;
    // Half of a surrogate pair would be written as a replacement character.
    const end = isHighSurrogate(batch.charCodeAt(batch.length - 1)) ? batch.length - 1 : batch.length;
    const full = batch.slice(0, end);
    batch = batch.slice(end);
    return full;
  };
  // To wait for what is there already takes longer than to draw it.
  if (Symbol.iterator in chunks)
    for (const chunk of chunks) {
      batch += chunk;
      const full = takeFull();
      if (full !== undefined) yield full;
    }
  else
    for await (const chunk of chunks) {
      batch += chunk;
      const full = takeFull();
      if (full !== undefined) yield full;
    }
  if (batch !== '') yield batch;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Lies beside the pages: by it a folder is known as ours, and what of it is ours to replace. */
export const MANIFEST_NAME = 'troupe-export.json';

export const MANIFEST_FILE = v.object({
  /** Relative to the folder, with `/`. */
  name: v.pipe(v.string(), v.check(isSafeName)),
  bytes: v.pipe(v.number(), v.finite(), v.minValue(0)),
  sha256: v.pipe(v.string(), v.nonEmpty()),
});
export type ManifestFile = Readonly<v.InferOutput<typeof MANIFEST_FILE>>;

const FORMAT = 'troupe-export';
/** Files are in the order in which they were written. */
const MANIFEST = v.object({ format: v.literal(FORMAT), files: v.array(MANIFEST_FILE) });

export function formatManifest(files: readonly ManifestFile[]): string {
  return `${JSON.stringify({ format: FORMAT, version: 1, files }, null, 1)}\n`;
}

/** Nothing where it is not one of ours. A name that would lead out of the folder makes it none. */
export function parseManifest(text: string): readonly ManifestFile[] | undefined {
  const { success, output } = v.safeParse(MANIFEST, parseJson(text));
  return success ? output.files : undefined;
}

/** At most one folder deep, and nothing that a file system or a shell could take for something else. */
export function isSafeName(name: string): boolean {
  return name.length <= 240 && /^(?:\w[\w@.-]*\/)?\w[\w@.-]*$/.test(name);
}

/** SHA-256 of a file, '' for what is not a regular file; undefined where there is none. */
export async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    const handle = await openRegular(file);
    for await (const chunk of handle.createReadStream()) hash.update(chunk as Buffer);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isWrongFile(error)) return '';
    throw error;
  }
  return hash.digest('hex');
}

/** What goes wrong while pages are written, in words, for those that a person can do something about. */
export function explainWriteError(
  folder: string,
  remedyAfterwards?: string,
): <T>(write: () => Promise<T>) => Promise<T> {
  return async (write) => {
    try {
      return await write();
    } catch (error) {
      const known = WORDS[String(codeOf(error))];
      if (!known) throw error;
      const [what, remedy] = known;
      throw new UserError('export-write', `${folder} cannot be written: ${what}.`, remedyAfterwards ?? remedy, {
        cause: error,
      });
    }
  };
}

const AS_BEFORE = 'What was there before is as it was.';
const ELSEWHERE = `Name another folder with --out-dir. ${AS_BEFORE}`;

const WORDS: { readonly [code: string]: readonly [what: string, remedy: string] } = {
  ENOSPC: ['there is no space left on the disk', `Make room and run it again. ${AS_BEFORE}`],
  EDQUOT: ['your share of the disk is used up', `Make room and run it again. ${AS_BEFORE}`],
  EFBIG: ['a file may not become that large there', ELSEWHERE],
  EACCES: ['it is not permitted', ELSEWHERE],
  EPERM: ['it is not permitted', ELSEWHERE],
  EROFS: ['its disk can only be read', ELSEWHERE],
  ENOENT: ['no folder can be made there', ELSEWHERE],
  ENOTDIR: ['a part of its path is a file', ELSEWHERE],
  ENAMETOOLONG: ['its name is too long', ELSEWHERE],
  EISDIR: ['a folder lies where a page has to go', ELSEWHERE],
  EIO: ['the disk reports an error', ELSEWHERE],
};

const LONGEST_PROJECT = 60;

const ID_LENGTH = 8;

/**
 * What a downloaded session is called, without its ending: letters, digits and dashes only, on any system. `folder` is where
 * it took place, redacted already: a home folder is named after its owner.
 */
export function fileStem(folder: string | null, session: string): string {
  const project = (folder ?? '').split(/[/\\]/).findLast((part) => part !== '') ?? '';
  return ['troupe', plain(project).slice(0, LONGEST_PROJECT), plain(session).slice(0, ID_LENGTH)]
    .map((part) => part.replace(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('-');
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '-');
}
