// Whether the person agreed that the text of their conversations is indexed, and what they left out.

import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { replaceFile } from '../lib/edit-file.ts';
import { readText } from '../lib/regular-file.ts';
import { inStateFolder } from '../lib/state-folder.ts';

const schema = v.object({
  isOn: v.boolean(),
  /** When it was said. */
  at: v.pipe(v.string(), v.isoTimestamp()),
  exclude: v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(4_096))),
});

export interface TextConsent {
  readonly state: 'undecided' | 'on' | 'off';
  /** Projects whose sessions are not indexed, as in `project:`. */
  readonly exclude: readonly string[];
}

const NOT_ASKED: TextConsent = { state: 'undecided', exclude: [] };

function consentFile(folder: string): string {
  return path.join(folder, 'history', 'text.json');
}

/** A file that cannot be read is no consent. */
export async function readConsent(folder: string): Promise<TextConsent> {
  try {
    const said = v.safeParse(schema, JSON.parse(await readText(consentFile(folder))));
    return said.success ? { state: said.output.isOn ? 'on' : 'off', exclude: said.output.exclude } : NOT_ASKED;
  } catch {
    return NOT_ASKED;
  }
}

export async function writeConsent(
  folder: string,
  isOn: boolean,
  exclude: readonly string[],
  at: number,
): Promise<void> {
  const file = consentFile(folder);
  await inStateFolder(folder, async () => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, `${JSON.stringify({ isOn, at: new Date(at).toISOString(), exclude }, null, 2)}\n`);
  });
}

export async function forgetConsent(folder: string): Promise<void> {
  await inStateFolder(folder, () => rm(consentFile(folder), { force: true }));
}
