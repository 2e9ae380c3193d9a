import type { HookSettingsCapability } from '../../hosts/index.ts';
import { type Backup, hashOf } from './backups.ts';

/**
 * A settings text without our entries. Where nobody touched it since we wrote it, it is what we found, byte for byte;
 * undefined where there was no file. Otherwise ours are taken out of what is there now.
 */
export function oldText(
  text: string,
  backups: readonly Backup[],
  settings: Pick<HookSettingsCapability, 'inspect' | 'uninstall' | 'isOwnFile'>,
): string | undefined {
  const hasOurs = (one: string): boolean => settings.inspect(one).ours.length > 0;
  let current = text;
  // We may have written several times in a row, each over the last: back from the newest.
  for (const { before, written } of backups) {
    if (!hasOurs(current) || written !== hashOf(current)) continue;
    if (before === undefined) return undefined;
    current = before;
  }
  if (!hasOurs(current)) return current;
  if (settings.isOwnFile) return undefined;
  // One that we did not write: what stood there empty before us stays.
  const first = backups.find(({ before }) => before === undefined || !hasOurs(before));
  const left = settings.uninstall(text, first?.before);
  return left !== text && first && first.before === undefined && isNothing(left) ? undefined : left;
}

function isNothing(text: string): boolean {
  return /^\ufeff?\s*(\{\s*\})?\s*$/.test(text);
}
