import { asAmount, asObject, asText } from '../lib/json.ts';

/** Lies beside the pages: by it a folder is known as ours, and what of it is ours to replace. */
export const MANIFEST_NAME = 'troupe-export.json';

export interface Manifest {
  /** In the order in which they were written. */
  readonly files: readonly ManifestFile[];
}

export interface ManifestFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export function formatManifest({ files }: Manifest): string {
  return `${JSON.stringify({ format: FORMAT, version: 1, files }, null, 1)}\n`;
}

const FORMAT = 'troupe-export';

/** Nothing where it is not one of ours. A name that would lead out of the folder makes it none. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const raw = asObject(JSON.parse(text));
    if (raw?.['format'] !== FORMAT) return undefined;
    const listed: unknown = raw['files'];
    if (!Array.isArray(listed)) return undefined;
    const files = listed.map(parseFile);
    return files.every((file) => file !== undefined) ? { files } : undefined;
  } catch {
    return undefined;
  }
}

function parseFile(value: unknown): ManifestFile | undefined {
  const raw = asObject(value);
  const name = asText(raw?.['name']);
  const bytes = asAmount(raw?.['bytes']);
  const sha256 = asText(raw?.['sha256']);
  if (name === undefined || bytes === undefined || sha256 === undefined || !isSafeName(name)) return undefined;
  return { name, bytes, sha256 };
}

/** At most one folder deep, and nothing that a file system or a shell could take for something else. */
export function isSafeName(name: string): boolean {
  return name.length <= 240 && /^(?:\w[\w@.-]*\/)?\w[\w@.-]*$/.test(name);
}
