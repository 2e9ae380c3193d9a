// dist/hook.cjs: what a hook runs if no server answers it. It delays every tool call: the file is small, and its parts are loaded with
// their machine code. An exit code other than 0 is not an answer: the stub answers then.

import path from 'node:path';
import { loadCompiled } from '../lib/load-compiled.ts';
import type { Parts } from './main.ts';

/** Of hook-NAME.cjs, by scripts/build.mjs. */
declare const PART_DIGESTS: Readonly<Record<keyof AllParts, string>>;

interface AllParts extends Parts {
  main: typeof import('./main.ts');
}

const own = path.dirname(process.argv[1] ?? '');
const loaded = new Map<string, { readonly exports: unknown; readonly isKept: boolean; keep(): void }>();

/**
 * Another part of the hook, from the same folder. Its machine code is kept there, too: who may change that may change the program as well,
 * but the state folder is where agents write first.
 */
function load<Name extends keyof AllParts>(name: Name): AllParts[Name] {
  const part =
    loaded.get(name) ??
    loadCompiled<AllParts[Name]>(
      { file: path.join(own, `hook-${name}.cjs`), digest: PART_DIGESTS[name], folder: path.join(own, 'code') },
      require,
    );
  loaded.set(name, part);
  return part.exports as AllParts[Name];
}

const runProgram = async (file: string): Promise<void> => {
  const { pathToFileURL } = await import('node:url');
  await import(pathToFileURL(file).href);
};

load('main').runHook({ load, runProgram }, (rehearse) => {
  const fresh = [...loaded.values()].filter(({ isKept }) => !isKept);
  if (fresh.length > 0) rehearse();
  for (const part of fresh)
    try {
      part.keep();
    } catch {
      // A package that belongs to another user: it takes a little longer each time.
    }
});
