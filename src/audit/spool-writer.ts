// Goes into the small file that hosts run at each call: imports `node:fs` and nothing else.

import { closeSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { openNewSync } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';

/** Far more than can ever wait under one process number. */
const MAX_TRIES = 1_000_000;

/** Where the last one of this process was put: the next is free in all likelihood. */
let last = -1;

/**
 * Hands a hook's payload over to whoever drains the spool: the file appears under its name whole, or not at all.
 * `extra` is what we know beside it (`{"ppid":…}`, `{"decision":"none","ms":1.2}`). Throws where it cannot be written.
 *
 * Whoever made `.new-X` is the only one that may put something at `X.json`, so it can look first: a rename would
 * silently replace the event of an earlier process with the same number.
 */
export function putSpoolFile(folder: string, host: string, payload: Uint8Array, extra: object): void {
  const spool = `${folder}/spool`;
  const name = putDraft(folder, host, Buffer.concat([payload, Buffer.from(`\n${JSON.stringify(extra)}\n`)]));
  const draft = `${spool}/${name}`;
  try {
    renameSync(draft, `${spool}/${name.slice('.new-'.length)}.json`);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The payload of a call that somebody is to judge (`settle-spooled.ts`). Gives the name of the draft. */
export function putDraft(folder: string, host: string, content: Uint8Array): string {
  const spool = `${folder}/spool`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const name = `${host}.${process.pid}.${++last}`;
    const draft = `${spool}/.new-${name}`;
    const handle = openNew(spool, draft);
    if (handle === undefined) continue;
    try {
      if (existsSync(`${spool}/${name}.json`)) {
        rmSync(draft);
        continue;
      }
      writeFileSync(handle, content);
      return `.new-${name}`;
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
  }
  throw new Error(`troupe: no free name in ${spool}`);
}

/** Nothing where somebody has it already. */
function openNew(spool: string, draft: string): number | undefined {
  try {
    return openNewSync(draft);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    return openNewSync(draft);
  }
}
