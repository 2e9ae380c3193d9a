import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkLinks, readLinks } from '../render/pages/check-links.ts';

/** Follows every link of the pages as they lie there. In words, what is wrong with them; nothing should be. */
export async function checkExport(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const ending of ['html', 'md']) {
    const pages = [];
    for (const name of names) {
      if (name.endsWith(`.${ending}`)) pages.push(readLinks(name, await readFile(path.join(folder, name), 'utf8')));
    }
    if (pages.length === 0) continue;
    for (const { file, text } of checkLinks(pages, `index.${ending}`)) problems.push(`${file} ${text}`);
  }
  return problems;
}
