import path from 'node:path';
import { MAX_DOCUMENT_BYTES, readRegularSync } from '../lib/regular-file.ts';
import { checkDocument } from './check-document.ts';
import { checkPacked, type PackedLinks, packLinks, readLinks } from './pages/check-links.ts';

/** Follows every link of the pages, and every reference of the JSON, as they lie there. In words, what is wrong with them; nothing should be. */
export async function checkExport(
  folder: string,
  names: readonly string[],
  /** Of pages that were looked at already, as they lie there. */
  known: ReadonlyMap<string, PackedLinks> = new Map(),
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const ending of ['html', 'md']) {
    const pages = [];
    for (const name of names)
      if (name.endsWith(`.${ending}`)) pages.push(known.get(name) ?? (await linksIn(folder, name)));
    if (pages.length === 0) continue;
    for (const { file, text } of checkPacked(pages, `index.${ending}`)) problems.push(`${file} ${text}`);
  }
  for (const name of names)
    if (path.posix.basename(name) === 'index.json')
      for (const text of await checkDocument(path.join(folder, name))) problems.push(`${name} ${text}`);
  return problems;
}

/** Tags of HTML are found in its bytes: of a page of megabytes, only links and names need to become text. */
export async function linksIn(folder: string, name: string): Promise<PackedLinks> {
  const bytes = readRegularSync(path.join(folder, name), MAX_DOCUMENT_BYTES);
  if (name.endsWith('.md')) return packLinks(readLinks(name, bytes.toString('utf8')));
  const links = packLinks(readLinks(name, bytes.toString('latin1')));
  return { ...links, anchors: toText(links.anchors), targets: links.targets.map(toText) };
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
