import path from 'node:path';
import { MAX_DOCUMENT_BYTES, readRegularSync } from '../lib/regular-file.ts';
import { checkDocument } from './document-json.ts';

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

// Whether finished pages hold together: every link alive, every page reached from the first, titled, and not empty.

/** What a page says of itself, and where it points. */
interface PageLinks {
  readonly file: string;
  readonly title: string;
  readonly anchors: ReadonlySet<string>;
  /** Inside of the pages only. */
  readonly targets: ReadonlySet<string>;
  readonly isEmpty: boolean;
}

/** The same, to be kept of hundreds of pages. */
export interface PackedLinks extends Pick<PageLinks, 'file' | 'title' | 'isEmpty'> {
  /** One a line, and a line break before the first and behind the last. */
  readonly anchors: string;
  /** Without those into the page itself that lead somewhere. */
  readonly targets: readonly string[];
}

interface LinkProblem {
  readonly file: string;
  /** In words for people. */
  readonly text: string;
}

/** Works on finished text, not on how it was made: what the checker reads is what a reader gets. */
export function readLinks(file: string, text: string): PageLinks {
  return file.endsWith('.md') ? readMarkdown(file, text) : readHtml(file, text);
}

/** Markup is all that begins with `<`: text has none. */
function readHtml(file: string, page: string): PageLinks {
  const anchors = new Set(Array.from(page.matchAll(/<[a-z][^>]*?\sid="([^"]*)"/g), ([, id]) => id ?? ''));
  const targets = Array.from(page.matchAll(/<a\s[^>]*?\bhref="([^"]*)"/g), ([, href]) => href ?? '');
  const title = /<title>([^<]*)<\/title>/.exec(page)?.[1] ?? '';
  const content = page.slice(page.indexOf('<main '), page.lastIndexOf('</main>'));
  const isEmpty = !/<(?:article|li)[\s>]/.test(content) && !anchors.has('map');
  return { file, title, anchors, targets: insideOf(targets), isEmpty };
}

/** What stands in a fence is text. */
function readMarkdown(file: string, page: string): PageLinks {
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
  return { file, title, anchors: new Set(anchors), targets: insideOf(targets), isEmpty: content === 0 };
}

/** Anything with a scheme leads elsewhere, and nobody follows it here. */
function insideOf(targets: readonly string[]): ReadonlySet<string> {
  return new Set(targets.filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target)));
}

function packLinks({ file, title, isEmpty, anchors, targets }: PageLinks): PackedLinks {
  const isOpen = (target: string): boolean => {
    const [to, anchor] = resolveLink(file, target);
    return to !== file || (anchor !== '' && !anchors.has(anchor));
  };
  return { file, title, isEmpty, anchors: `\n${[...anchors].join('\n')}\n`, targets: [...targets].filter(isOpen) };
}

/** `first` is where a reader begins. */
export function checkLinks(pages: readonly PageLinks[], first: string): readonly LinkProblem[] {
  return checkPacked(pages.map(packLinks), first);
}

function checkPacked(pages: readonly PackedLinks[], first: string): readonly LinkProblem[] {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const problems: LinkProblem[] = [];
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

function unreached(byFile: ReadonlyMap<string, PackedLinks>, first: string): readonly string[] {
  const reached = new Set([first]);
  for (const file of reached)
    for (const target of byFile.get(file)?.targets ?? []) reached.add(resolveLink(file, target)[0]);
  return [...byFile.keys()].filter((file) => !reached.has(file));
}

/** Files are named from the folder of the export. */
function resolveLink(from: string, target: string): readonly [file: string, anchor: string] {
  if (target.startsWith('#')) return [from, target.slice(1)];
  const [path = '', anchor = ''] = target.split('#', 2);
  if (path === '') return [from, anchor];
  const steps = [...from.split('/').slice(0, -1), ...path.split('/')];
  const kept: string[] = [];
  for (const step of steps) {
    if (step === '..') kept.pop();
    else if (step !== '.') kept.push(step);
  }
  return [kept.join('/'), anchor];
}
