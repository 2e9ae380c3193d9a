// Loads one of our own CommonJS files with the machine code of an earlier run: to compile a large one takes a hook longer
// than to decide. (`module.enableCompileCache` does the same from Node 22 on, and only there.)
import { mkdirSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { createFileSync, readRegularSync } from './regular-file.ts';

export interface CodePlace {
  readonly file: string;
  /** Of the bytes of the file: V8 itself compares nothing but their number. */
  readonly digest: string;
  /** Where machine code is kept. */
  readonly folder: string;
}

export interface LoadedFile<Exports> {
  readonly exports: Exports;
  /** Its machine code was there. */
  readonly isKept: boolean;
  /** Keeps the machine code of all that ran so far, where it was not there yet. May throw: there may be no disk. */
  keep(): void;
}

/** Throws as `require` would. */
export function loadCompiled<Exports>(place: CodePlace, requireOf: NodeJS.Require): LoadedFile<Exports> {
  const { Script } = requireOf('node:vm') as typeof import('node:vm');
  const { file, digest, folder } = place;
  const kept = path.join(folder, `${digest}-${process.version}-${process.arch}.code`);
  // Our bundles are functions in plain ASCII (scripts/build.mjs): such a text need not be decoded, or copied into another.
  const source = readRegularSync(file).toString('latin1');
  const cachedData = readIfThere(kept);
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const loaded = { exports: {} as Exports };
  script.runInThisContext()(loaded.exports, requireOf, loaded);
  const isKept = cachedData !== undefined && script.cachedDataRejected === false;
  return {
    exports: loaded.exports,
    isKept,
    keep() {
      if (!isKept) keepCode(kept, script.createCachedData());
    },
  };
}

function readIfThere(file: string): Buffer | undefined {
  try {
    // No exception for what is usual at first: to make one takes longer than to look.
    if (!statSync(file, { throwIfNoEntry: false })) return undefined;
    const bytes = readRegularSync(file);
    return bytes.length > 0 ? bytes : undefined;
  } catch {
    // Without it, it takes a little longer.
    return undefined;
  }
}

/** Two files of ours, each of as many versions of node, or of troupe, as may be in use at once. */
const MAX_KEPT = 8;

function keepCode(file: string, code: Buffer): void {
  const draft = `${file}.${process.pid}`;
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    createFileSync(draft, code);
    renameSync(draft, file);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
  const others = readdirSync(folder)
    .map((name) => path.join(folder, name))
    .filter((place) => place !== file)
    .map((place) => ({ place, at: statSync(place).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  for (const { place } of others.slice(MAX_KEPT - 1)) unlinkSync(place);
}
