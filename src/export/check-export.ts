import path from 'node:path';
import { MAX_DOCUMENT_BYTES, readRegularSync } from '../lib/regular-file.ts';
import { checkDocument } from './document-json.ts';

/** Follows every link of the pages, and every reference of the JSON, as they lie there. In words, what is wrong with them; nothing should be. */
export async function checkExport(
  folder: string,
  names: readonly string[],
  /** Of pages that were looked at already, as they lie there. */
  known: ReadonlyMap<string, PageLinks> = new Map(),
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const ending of ['html', 'md']) {
    const pages = [];
    for (const name of names)
      if (name.endsWith(`.${ending}`)) pages.push(known.get(name) ?? (await linksIn(folder, name)));
    if (pages.length === 0) continue;
    for (const { file, text } of checkLinks(pages, `index.${ending}`)) problems.push(`${file} ${text}`);
  }
  for (const name of names)
    if (path.posix.basename(name) === 'index.json')
      for (const text of await checkDocument(path.join(folder, name))) problems.push(`${name} ${text}`);
  return problems;
}

/** Tags of HTML are found in its bytes: of a page of megabytes, only links and names need to become text. */
export async function linksIn(folder: string, name: string): Promise<PageLinks> {
  const bytes = readRegularSync(path.join(folder, name), MAX_DOCUMENT_BYTES);
  if (name.endsWith('.md')) return readLinks(name, bytes.toString('utf8'));
  const links = readLinks(name, bytes.toString('latin1'));
  return { ...links, anchors: toText(links.anchors), targets: links.targets.map(toText) };
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

// Whether finished pages hold together: every link alive, every page reached from the first, titled, and not empty.

/** What a page says of itself, and where it points: to be kept of hundreds of pages. */
export interface PageLinks {
  readonly file: string;
  readonly title: string;
  /** One a line, and a line break before the first and behind the last. */
  readonly anchors: string;
  /** Inside of the pages only, without those into the page itself that lead somewhere. */
  readonly targets: readonly string[];
  readonly isEmpty: boolean;
}

/** Works on finished text, not on how it was made: what the checker reads is what a reader gets. */
export function readLinks(file: string, text: string): PageLinks {
  const { title, anchors, targets, isEmpty } = file.endsWith('.md') ? readMarkdown(text) : readHtml(text);
  const names = new Set(anchors);
  const isOpen = (target: string): boolean => {
    // Anything with a scheme leads elsewhere, and nobody follows it here.
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return false;
    const [to, anchor] = resolveLink(file, target);
    return to !== file || (anchor !== '' && !names.has(anchor));
  };
  return {
    file,
    title,
    isEmpty,
    anchors: `\n${[...names].join('\n')}\n`,
    targets: [...new Set(targets)].filter(isOpen),
  };
}

/** Markup is all that begins with `<`: text has none. */
function readHtml(page: string) {
  const anchors = Array.from(page.matchAll(/<[a-z][^>]*?\sid="([^"]*)"/g), ([, id]) => id ?? '');
  const targets = Array.from(page.matchAll(/<a\s[^>]*?\bhref="([^"]*)"/g), ([, href]) => href ?? '');
  const title = /<title>([^<]*)<\/title>/.exec(page)?.[1] ?? '';
  const content = page.slice(page.indexOf('<main '), page.lastIndexOf('</main>'));
  const isEmpty = !/<(?:article|li)[\s>]/.test(content) && !anchors.includes('map');
  return { title, anchors, targets, isEmpty };
}

/** What stands in a fence is text. */
function readMarkdown(page: string) {
  const [anchors, targets]: [string[], string[]] = [[], []];
  let title = '';
  let content = 0;
  let fence = '';
  for (const line of page.split('\n')) {
    const [, marks = '', behind = ''] = /^\s*(?:> ?)*(`{3,})(.*)$/.exec(line) ?? [];
    if (fence !== '') {
      if (marks.startsWith(fence) && behind.trim() === '') fence = '';
      continue;
    }
    if (marks !== '' && !behind.includes('`')) {
      fence = marks;
      continue;
    }
    if (title === '' && line.startsWith('# ')) title = line.slice(2).trim();
    else if (line.startsWith('### ') || line.startsWith('- ')) content++;
    anchors.push(...Array.from(line.matchAll(/<a id="([^"]*)"><\/a>/g), ([, id]) => id ?? ''));
    targets.push(...Array.from(line.matchAll(/(?<!\\)\]\(<?([^<>)\s]*)>?\)/g), ([, href]) => href ?? ''));
  }
  return { title, anchors, targets, isEmpty: content === 0 };
}

/** `first` is where a reader begins. What is wrong is said in words for people. */
export function checkLinks(pages: readonly PageLinks[], first: string) {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const problems: { readonly file: string; readonly text: string }[] = [];
  if (!byFile.has(first)) problems.push({ file: first, text: 'is missing' });
  for (const { file, title, targets, isEmpty } of pages) {
    if (title.trim() === '') problems.push({ file, text: 'has no title' });
    if (isEmpty) problems.push({ file, text: 'is empty' });
    for (const target of targets) {
      const [to, anchor] = resolveLink(file, target);
      const page = byFile.get(to);
      if (!page) problems.push({ file, text: `points to ${to}, which is not there` });
      else if (anchor !== '' && !page.anchors.includes(`\n${anchor}\n`))
        problems.push({ file, text: `points to ${to}#${anchor}, and there is no such place` });
    }
  }
  for (const file of unreached(byFile, first)) problems.push({ file, text: `is not reached from ${first}` });
  return problems;
}

function unreached(byFile: ReadonlyMap<string, PageLinks>, first: string): readonly string[] {
  const reached = new Set([first]);
  for (const file of reached)
    for (const target of byFile.get(file)?.targets ?? []) reached.add(resolveLink(file, target)[0]);
  return [...byFile.keys()].filter((file) => !reached.has(file));
}

/** Files are named from the folder of the export. */
function resolveLink(from: string, target: string): readonly [file: string, anchor: string] {
  const [to = '', anchor = ''] = target.split('#', 2);
  return [to === '' ? from : path.posix.join(path.posix.dirname(from), to), anchor];
}
