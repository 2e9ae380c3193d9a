/**
 * Patches as OpenAI's models write them, in more than one host: `*** Begin Patch`, then a part for each file. A minus
 * stands before lines that go, a plus before lines that come, a blank before those that stay.
 */
export interface FilePatch {
  readonly kind: 'add' | 'update' | 'delete';
  readonly path: string;
  /** Each place in the file that changes, with a few lines around it. */
  readonly hunks: readonly Hunk[];
  readonly added: number;
  /** Null where the whole file goes: what it held, a patch does not say. */
  readonly removed: number | null;
}

export interface Hunk {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface Draft {
  readonly kind: FilePatch['kind'];
  readonly path: string;
  readonly hunks: { readonly before: string[]; readonly after: string[] }[];
  added: number;
  removed: number | null;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const KINDS: Readonly<Record<string, FilePatch['kind']>> = { Add: 'add', Update: 'update', Delete: 'delete' };

/** Empty where the text holds no patch. */
export function parsePatch(text: string): readonly FilePatch[] {
  const files: Draft[] = [];
  const begin = text.indexOf(BEGIN);
  const lines = begin === -1 ? [] : text.slice(begin).split(/\r?\n/);
  for (const line of lines) {
    if (line.startsWith(END)) break;
    const [, word = '', path] = FILE.exec(line.trimEnd()) ?? [];
    const kind = KINDS[word];
    if (kind && path !== undefined)
      files.push({ kind, path, hunks: [], added: 0, removed: kind === 'delete' ? null : 0 });
    else addLine(line, files.at(-1));
  }
  return files;
}

function addLine(line: string, file: Draft | undefined): void {
  if (!file || line.startsWith('*** ')) return;
  const isHeader = line.startsWith('@@');
  if (isHeader || file.hunks.length === 0) file.hunks.push({ before: [], after: [] });
  const hunk = file.hunks.at(-1);
  if (isHeader || !hunk) return;
  const [sign, rest] = [line[0], line.slice(1)];
  if (sign !== '+') hunk.before.push(rest);
  if (sign !== '-') hunk.after.push(rest);
  if (sign === '+') file.added++;
  if (sign === '-' && file.removed !== null) file.removed++;
}

const MOVED = /^\*\*\* Move to: (.+)$/gm;

/** Every file that a patch writes, those that it moves others to as well. */
export function filesInPatch(text: string): readonly string[] {
  const moved = [...text.matchAll(MOVED)].map(([, file = '']) => file.trimEnd());
  return [...new Set([...parsePatch(text).map(({ path }) => path), ...moved])];
}
