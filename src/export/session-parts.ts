// Sessions of an export of many: each is checked and brought to its place when it is written, and a run that was interrupted goes on
// behind those that are there.

import type { ExportedSession, ExportFormat, RedactionFinding, RedactionReport } from '../core/index.ts';
import { getOrAdd } from '../lib/group.ts';
import type { Finding } from '../redact/index.ts';
import { checkExport, type PageLinks } from './check-export.ts';
import type { ListedSession } from './pages/sessions-page.ts';
import type { StagedFolder } from './staged-folder.ts';

/** What came of one session. */
interface SessionPart {
  readonly exported: ExportedSession;
  readonly listed: ListedSession;
  readonly found: FindingSum;
}

interface StoredPart extends SessionPart {
  readonly problems: readonly string[];
}

interface PartOptions {
  readonly options: { readonly formats: readonly ExportFormat[]; readonly isSingleFile: boolean };
  readonly build?: string;
}

export class SessionParts {
  readonly #staged: StagedFolder;
  readonly #request: PartOptions;
  readonly #sign: ((text: string) => string) | undefined;
  readonly #folders: string[] = [];
  readonly #problems: string[] = [];
  /** In their places, and those of them that an earlier run wrote. */
  count = 0;
  kept = 0;

  /** `sign`: of a text; left out, nothing can be told from what somebody else wrote. */
  constructor(staged: StagedFolder, request: PartOptions, sign: ((text: string) => string) | undefined) {
    this.#staged = staged;
    this.#request = request;
    this.#sign = sign;
  }

  /** Undefined unless it was written from the same. */
  async find(from: readonly unknown[]): Promise<SessionPart | undefined> {
    const key = this.#keyOf(from);
    const part = key === undefined ? undefined : ((await this.#staged.readPart(key)) as StoredPart | undefined);
    if (!part) return undefined;
    this.kept++;
    this.#take(part);
    return part;
  }

  /** `from`: undefined if another run could not tell whether it would come out the same. */
  async add(from: readonly unknown[] | undefined, part: SessionPart): Promise<void> {
    const { folder } = part.listed;
    const overview = this.#pages('').map(({ file, ...rest }) => ({ ...rest, file, targets: [`${folder}/${file}`] }));
    const problems = await checkPages(this.#staged, this.#request.options.isSingleFile, overview);
    const stored: StoredPart = { ...part, problems };
    await this.#staged.publishPart(from && this.#keyOf(from), stored);
    this.#take(stored);
  }

  /** When the index is written, too. In words, what is wrong; nothing should be. */
  async checkAll(): Promise<readonly string[]> {
    const starts = this.#folders.flatMap((folder) => this.#pages(`${folder}/`));
    return [...this.#problems, ...(await checkPages(this.#staged, this.#request.options.isSingleFile, starts))];
  }

  #take({ listed, problems }: StoredPart): void {
    this.count++;
    this.#folders.push(listed.folder);
    this.#problems.push(...problems);
  }

  #keyOf(from: readonly unknown[]): string | undefined {
    const { build } = this.#request;
    return build && this.#sign?.(JSON.stringify([build, ...from]));
  }

  /** The first page of each format in a folder, as if nothing was wrong with it. */
  #pages(folder: string): readonly PageLinks[] {
    return this.#request.options.formats.flatMap((format) =>
      format === 'json'
        ? []
        : [{ file: `${folder}index.${format}`, title: '-', anchors: '', targets: [], isEmpty: false }],
    );
  }
}

/** `known`: pages that are not there to be looked at. */
export async function checkPages(
  staged: StagedFolder,
  isSingleFile: boolean,
  others: readonly PageLinks[],
): Promise<readonly string[]> {
  if (isSingleFile) return [];
  const known = new Map([...staged.links(), ...others.map((page) => [page.file, page] as const)]);
  return checkExport(staged.place, [...staged.names(), ...others.map(({ file }) => file)], known);
}

type FindingSum = Omit<RedactionReport, 'decisions' | 'secrets'>;

const MAX_PLACES = 20;

/** One entry for each secret, with the places of the first few. Nothing of what was found is in it. */
export class RedactionTotals {
  readonly #findings = new Map<string, { -readonly [K in keyof RedactionFinding]: RedactionFinding[K] }>();
  #total = 0;

  add({ total, findings }: FindingSum): void {
    this.#total += total;
    for (const { count, places, ...finding } of findings) {
      const key = `${finding.placeholder} ${finding.kind}`;
      const known = getOrAdd(this.#findings, key, () => ({ ...finding, count: 0, places: [] }));
      known.count += count;
      if (known.places.length < MAX_PLACES) known.places = [...known.places, ...places].slice(0, MAX_PLACES);
    }
  }

  sum(): FindingSum {
    return { total: this.#total, findings: [...this.#findings.values()] };
  }

  report(): Omit<RedactionReport, 'decisions'> {
    const { total, findings } = this.sum();
    return { total, secrets: new Set(findings.map(({ placeholder }) => placeholder)).size, findings };
  }
}

export function summariseFindings(findings: readonly Finding[]): FindingSum {
  const totals = new RedactionTotals();
  for (const { rule, what, why, placeholder, count, ...place } of findings) {
    const finding = { kind: rule, what, why, placeholder, count, places: [placeText(place)] };
    totals.add({ total: count, findings: [finding] });
  }
  return totals.sum();
}

/** Where in the transcripts, from the outside in. */
export function placeText({
  agent,
  message,
  field,
  line,
}: Pick<Finding, 'agent' | 'message' | 'field' | 'line'>): string {
  const parts = [agent && `agent ${agent}`, message && `message ${message}`, field, line > 1 && `line ${line}`];
  return parts.filter(Boolean).join(', ');
}
