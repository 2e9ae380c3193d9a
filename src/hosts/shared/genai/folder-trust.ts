// Folders that a person does not trust: `trustedFolders.json` beside the settings, which both hosts write.

import path from 'node:path';
import { asObject, asText, parseObject } from '../../../lib/json.ts';
import { readText } from '../../../lib/regular-file.ts';
import { readTolerantly } from '../hooks/read-groups.ts';

export interface TrustQuestion {
  /** `trustedFolders.json`. */
  readonly file: string;
  /** The person's own; they switch the whole matter on or off (`security.folderTrust.enabled`). */
  readonly settings: string;
  /** Where they do not say. */
  readonly isOnByDefault: boolean;
  readonly folder: string;
}

/** The folder that the nearest entry says not to trust. What is not listed is asked about by the host itself. */
export async function findDistrust(question: TrustQuestion): Promise<string | undefined> {
  const { file, folder, isOnByDefault } = question;
  const textOf = (place: string): Promise<string> => readText(place).catch(() => '');
  const settings = asObject(readTolerantly(await textOf(question.settings)));
  const isOn = asObject(asObject(settings?.['security'])?.['folderTrust'])?.['enabled'] ?? isOnByDefault;
  if (isOn !== true) return undefined;
  const rules = parseObject(await textOf(file)) ?? {};
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const rule = asText(rules[at]);
    if (rule === 'DO_NOT_TRUST') return at;
    if (rule !== undefined || at === path.dirname(at)) return undefined;
  }
}
