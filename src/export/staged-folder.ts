// A folder of pages that is replaced as a whole. Pages are written beside it; only when all of them are there do they go to
// their places. Killed before that, the folder is as it was; killed after, the pages beside it are whole, and the next run
// brings them in. What is not ours in the folder (a .git, a CNAME) stays. Of many sessions, each goes to its place when its pages
// are there: a list in the folder says which, until the index over them is there, too.

import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { mkdir, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { isMissing } from '../lib/folders.ts';
import { parseJson } from '../lib/json.ts';
import { type Lock, takeLock } from '../lib/lock-file.ts';
import { append, copyRegularSync, createFile, MAX_DOCUMENT_BYTES, readText } from '../lib/regular-file.ts';
import { codeOf, UserError } from '../lib/user-error.ts';
import type { PageLinks } from './check-export.ts';
import {
  type Chunks,
  explainWriteError,
  formatManifest,
  hashOf,
  isSafeName,
  MANIFEST_FILE,
  MANIFEST_NAME,
  type ManifestFile,
  parseManifest,
  writeFile,
} from './write-file.ts';

export interface StagedFolder {
  /** Where the pages are until they are published. */
  readonly place: string;
  write(name: string, chunks: Chunks): Promise<void>;
  /** Files that somebody else wrote there. */
  adopt(files: readonly (ManifestFile & { readonly links: PageLinks })[]): void;
  /** What those pages say of themselves, by their names. */
  links(): ReadonlyMap<string, PageLinks>;
  /** What goes wrong while others write there, in words. */
  explain<Result>(write: () => Promise<Result>): Promise<Result>;
  /** Of all that were written, without those of parts. */
  names(): readonly string[];
  /** Parts that a run before this one has brought to their places, by their keys. Only what has the right signature. */
  readPart(key: string): Promise<unknown>;
  /** What was written since the last part goes to its place. `facts`: for `readPart` of a later run. */
  publishPart(key: string | undefined, facts: unknown): Promise<void>;
  /** Everything that was written takes the place of what was there. */
  publish(): Promise<Published>;
  /** As if nothing had happened. To be called in any case; after `publish` it only lets go of the folder. */
  close(): Promise<void>;
}

export interface Published {
  readonly files: readonly ManifestFile[];
  /** Pages of an earlier export that are not part of this one. */
  readonly removed: readonly string[];
  /** The same, but somebody changed them: they were left. */
  readonly kept: readonly string[];
}

/** Throws a `UserError` where the folder is not ours to write to. `force`: also into one with files that are not ours. */
export async function stageFolder(
  folder: string,
  /** `sign`: of a text, so that nobody else can say which parts are there. */
  { force, sign }: { readonly force: boolean; readonly sign?: ((text: string) => string) | undefined },
): Promise<StagedFolder> {
  const target = await resolveTarget(folder);
  const beside = path.join(path.dirname(target), `.${path.basename(target)}.troupe-export`);
  const explain = explainWriteError(folder);
  const lock = await explain(() => lockBeside(beside, folder));
  if (!lock) {
    throw new UserError(
      'export-busy',
      `Another troupe is writing to ${folder}.`,
      'Wait until it is done, or name another folder.',
    );
  }
  const place = path.join(beside, 'new');
  const files: ManifestFile[] = [];
  const links = new Map<string, PageLinks>();
  const inPlace: ManifestFile[] = [];
  let parts: ReadonlyMap<string, Part> = new Map();
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    // Whole pages that are not all in their places yet are left for the next run.
    // Another thread may still write a page.
    if (!(await isComplete(beside))) rmSync(place, { recursive: true, force: true, maxRetries: 3 });
    await lock.release();
    // Only where nothing else lies in it: another one may have come.
    await removeEmpty(beside);
  };
  try {
    if (await isComplete(beside)) await explainWriteError(folder, HALFWAY)(() => bringIn(beside, target));
    await refuseForeign(folder, target, force);
    await explain(async () => {
      await rm(place, { recursive: true, force: true });
      await mkdir(place, { recursive: true });
      if (sign) parts = new Map((await readParts(target, sign)).map((part) => [part.key, part]));
    });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return {
    place,
    write: (name, chunks) =>
      explain(async () => {
        if (!isSafeName(name) || name === MANIFEST_NAME) throw new Error(`no name of a page: ${name}`);
        if (isClosed) throw new Error('troupe: write() after close()');
        files.push(await writeFile(place, name, chunks));
      }),
    adopt: (written) => {
      for (const { links: said, ...file } of written) {
        files.push(file);
        links.set(file.name, said);
      }
    },
    links: () => links,
    explain,
    names: () => files.map(({ name }) => name),
    async readPart(key) {
      const part = parts.get(key);
      if (!part) return undefined;
      for (const { name, sha256 } of part.files)
        if ((await hashOf(path.join(target, name))) !== sha256) return undefined;
      inPlace.push(...part.files);
      return part.facts;
    },
    publishPart: (key, facts) =>
      explain(async () => {
        const part = files.splice(0);
        for (const { name } of part) links.delete(name);
        await mkdir(target, { recursive: true });
        // First: whatever is in the folder then is known to be ours.
        await notePart(target, { key: key ?? '', files: part, facts }, sign);
        if (isClosed) return;
        for (const { name } of part) {
          putPage(place, target, name);
          removeFile(path.join(place, name));
        }
        inPlace.push(...part);
      }),
    async publish() {
      await explain(async () => {
        await createFile(path.join(place, MANIFEST_NAME), formatManifest([...inPlace, ...files]), 0o666);
        await createFile(path.join(beside, COMPLETE), '', 0o666);
      });
      return explainWriteError(folder, HALFWAY)(() => bringIn(beside, target));
    },
    close,
  };
}

/** Its presence says that every page beside it is whole. */
const COMPLETE = 'complete';

const HALFWAY = 'Run it again when that is mended: the new pages are whole, and lie beside it until then.';

async function isComplete(beside: string): Promise<boolean> {
  return (await readdir(beside)).includes(COMPLETE);
}

async function lockBeside(beside: string, folder: string): Promise<Lock | undefined> {
  try {
    return await takeLock(path.join(beside, 'lock'));
  } catch (error) {
    if (!(error instanceof UserError) || error.code === 'lock-unusable') throw error;
    throw new UserError(
      'export-target',
      `The file system of ${folder} has no hard links, which troupe needs to write there safely.`,
      'Export to another folder, and copy it.',
      { cause: error },
    );
  }
}

/** Links lead on, so that the pages go where the person meant, and lie on one disk with what is beside them. */
async function resolveTarget(folder: string): Promise<string> {
  const absolute = path.resolve(folder);
  try {
    return await realpath(absolute);
  } catch (error) {
    if (!isMissing(error)) return absolute;
    const parent = path.dirname(absolute);
    return parent === absolute ? absolute : path.join(await resolveTarget(parent), path.basename(absolute));
  }
}

async function refuseForeign(shown: string, target: string, force: boolean): Promise<void> {
  let names: readonly string[];
  try {
    names = await readdir(target);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') {
      throw new UserError('export-target', `${shown} is a file, not a folder.`, 'Name a folder with --out-dir.');
    }
    if (isMissing(error)) return;
    throw error;
  }
  if (names.length === 0 || force || names.includes(PARTS_NAME) || (await readManifest(target))) return;
  throw new UserError(
    'export-target',
    `${shown} is not empty, and not an export of troupe.`,
    'Name another folder, or add --force: pages of the same name are replaced, everything else stays.',
  );
}

/** Puts pages that are complete into their places. May be done again at any time. */
async function bringIn(beside: string, target: string): Promise<Published> {
  const place = path.join(beside, 'new');
  const next = await readManifest(place);
  if (!next) {
    await rm(path.join(beside, COMPLETE));
    return { files: [], removed: [], kept: [] };
  }
  const parts = (await readParts(target)).flatMap(({ files }) => files);
  const before = [...((await readManifest(target)) ?? []), ...parts];
  const inPlace = new Set(parts.map(({ name }) => name));
  await mkdir(target, { recursive: true });
  for (const { name } of next) if (!inPlace.has(name)) putPage(place, target, name);
  const names = new Set(next.map(({ name }) => name));
  const stale = new Map(before.flatMap((file) => (names.has(file.name) ? [] : [[file.name, file]]))).values();
  const gone = await removeStale(target, [...stale]);
  // Last: until then the folder counts as what it was, and the next run does all of this again.
  putPage(place, target, MANIFEST_NAME);
  await rm(path.join(target, PARTS_NAME), { force: true });
  await rm(path.join(beside, COMPLETE));
  return { files: next, ...gone };
}

async function removeStale(target: string, stale: readonly ManifestFile[]): Promise<Omit<Published, 'files'>> {
  const removed: string[] = [];
  const kept: string[] = [];
  for (const { name, sha256 } of stale) {
    const file = path.join(target, name);
    const now = await hashOf(file);
    if (now === undefined) continue;
    if (now !== sha256) {
      kept.push(name);
      continue;
    }
    await rm(file);
    removed.push(name);
    if (name.includes('/')) await removeEmpty(path.dirname(file));
  }
  return { removed, kept };
}

/**
 * Under a second name first, so that nobody ever sees half of it. The page beside stays: the next run may need it. Without leaving
 * the thread, as pages are written.
 */
function putPage(place: string, target: string, name: string): void {
  const file = path.join(target, name);
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.troupe-new`);
  if (name.includes('/')) mkdirSync(path.dirname(file), { recursive: true });
  removeFile(draft);
  try {
    linkSync(path.join(place, name), draft);
  } catch {
    // Another disk, or one without links.
    copyRegularSync(path.join(place, name), draft, 0o666);
  }
  renameSync(draft, file);
  // Renaming one name of a file to another of the very same file does nothing at all.
  removeFile(draft);
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** In the folder while not all of its parts are there: a signature and a part in each line. */
const PARTS_NAME = 'troupe-export.unfinished';

const PART = v.object({ key: v.string(), files: v.array(MANIFEST_FILE), facts: v.unknown() });
type Part = Readonly<v.InferOutput<typeof PART>>;

/** `sign`: only those with the right signature. */
async function readParts(target: string, sign?: (text: string) => string): Promise<readonly Part[]> {
  let text: string;
  try {
    text = await readText(path.join(target, PARTS_NAME), MAX_DOCUMENT_BYTES);
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [signature = ''] = line.split(' ', 1);
    const json = line.slice(signature.length + 1);
    if (sign && sign(json) !== signature) return [];
    const part = v.safeParse(PART, parseJson(json));
    return part.success ? [part.output] : [];
  });
}

async function notePart(target: string, part: Part, sign: (text: string) => string = () => '-'): Promise<void> {
  const file = path.join(target, PARTS_NAME);
  const json = JSON.stringify(part);
  // A line break before it: the last line of a run that was killed may be torn.
  const line = `\n${sign(json)} ${json}`;
  try {
    await createFile(file, line, 0o666);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await append(file, line);
  }
}

async function readManifest(folder: string): Promise<readonly ManifestFile[] | undefined> {
  try {
    return parseManifest(await readText(path.join(folder, MANIFEST_NAME), MAX_DOCUMENT_BYTES));
  } catch {
    return undefined;
  }
}

async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}
