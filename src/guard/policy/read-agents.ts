import path from 'node:path';
import { isScalar } from 'yaml';
import type { AgentSelector } from '../policy.ts';
import { listOrOne, nameOf, oneOf, type Reader, readFields, resolveAlias, textOf, wrong } from './fields.ts';
import { DEPTH, expandKind, KINDS, LINE, MAX_TEXT } from './words.ts';

export interface FolderContext {
  readonly home: string;
  /** What relative folders are relative to; null: they say nothing. */
  readonly root: string | null;
  /** Where a folder really is, links followed: calls are told by that. */
  readonly resolve: (folder: string) => string;
}

export function readAgents(folders: FolderContext): Reader<AgentSelector> {
  const read: Reader<AgentSelector> = (walk, node, what) => {
    const fields = readFields<AgentFields>(walk, node, what, {
      ...TEXTS,
      project: listOrOne(projectOf(folders)),
      under: read,
    });
    if (!fields) return undefined;
    if (fields.keys.size === 0)
      return wrong(walk, node, `${what} names nobody.`, `Remove ${what}: then it is about everybody.`);
    const { kind, project, ...rest } = fields.values;
    return {
      ...rest,
      ...(kind ? { kind: [...new Set(kind.flatMap(expandKind))] } : {}),
      ...(project ? { project: [...new Set(project.flat())] } : {}),
    };
  };
  return read;
}

type AgentFields = {
  kind: readonly (typeof KINDS)[number][];
  type: readonly string[];
  name: readonly string[];
  depth: NonNullable<AgentSelector['depth']>;
  host: readonly string[];
  project: readonly (readonly string[])[];
  under: AgentSelector;
};

/** May hold `*`. */
const pattern = textOf<string>((text) =>
  text.length <= MAX_TEXT && LINE.test(text) ? text : { wrong: 'must be one short line.' },
);

const depth: Reader<NonNullable<AgentSelector['depth']>> = (walk, node, what) => {
  const scalar = resolveAlias(walk, node);
  if (!scalar) return undefined;
  const value = isScalar(scalar) ? scalar.value : undefined;
  const text = typeof value === 'number' ? String(value) : value;
  const range = typeof text === 'string' && DEPTH.test(text) ? toRange(text) : undefined;
  if (range && (range.max === null || range.max >= range.min)) return range;
  const remedy = 'Main is at 0: write 1, "1-3", ">=2" or "<3".';
  if (range) return wrong(walk, node, `No agent is at the depth \`${text}\`.`, remedy);
  return wrong(
    walk,
    node,
    `${what} cannot be ${typeof text === 'string' ? `\`${text.slice(0, 60)}\`` : nameOf(scalar)}.`,
    remedy,
  );
};

function toRange(text: string): { readonly min: number; readonly max: number | null } {
  const [first = 0, second] = (text.match(/\d+/g) ?? []).map(Number);
  if (second !== undefined) return { min: first, max: second };
  if (text.startsWith('>=')) return { min: first, max: null };
  if (text.startsWith('>')) return { min: first + 1, max: null };
  if (text.startsWith('<=')) return { min: 0, max: first };
  return text.startsWith('<') ? { min: 0, max: first - 1 } : { min: first, max: first };
}

const TEXTS = {
  kind: listOrOne(oneOf(KINDS)),
  type: listOrOne(pattern),
  name: listOrOne(pattern),
  depth,
  host: listOrOne(pattern),
} as const;

/** As it was written, and where it really is. */
function projectOf({ home, root, resolve }: FolderContext): Reader<readonly string[]> {
  return textOf<readonly string[]>((text) => {
    if (text.length > MAX_TEXT || !LINE.test(text)) return { wrong: 'must be the path of a folder.' };
    const folder = toAbsolute(text, home, root);
    if (folder === undefined)
      return { wrong: `\`${text}\` could be anywhere.`, remedy: 'Begin it with `~/`, `/` or `**/`.' };
    return folder.startsWith('**') ? [folder] : [folder, resolve(folder)];
  });
}

function toAbsolute(text: string, home: string, root: string | null): string | undefined {
  if (text.startsWith('**')) return text;
  if (text === '~' || text.startsWith('~/')) return path.join(home, text.slice(1));
  if (path.isAbsolute(text)) return path.normalize(text);
  return root === null ? undefined : path.join(root, text);
}
