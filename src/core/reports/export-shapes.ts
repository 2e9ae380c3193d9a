// What an export is asked for and what came of it, as JSON. The names are a contract (docs/JSON.md): add, never rename.

export type ExportFormat = 'html' | 'md' | 'json';

export const EXPORT_FORMATS: readonly ExportFormat[] = ['html', 'md', 'json'];

/** What came of an export. */
export interface ExportReport {
  /** Null where it went to standard output. */
  readonly folder: string | null;
  readonly sessions: readonly ExportedSession[];
  readonly files: number;
  readonly bytes: number;
  /** Pages of an earlier export that are no more. */
  readonly removed: readonly string[];
  /** The same, but somebody changed them: they were left. */
  readonly kept: readonly string[];
  /** Null where nothing was looked for. */
  readonly redactions: RedactionReport | null;
  /** Links that lead nowhere and the like. There should be none. */
  readonly problems: readonly string[];
}

export interface ExportedSession {
  readonly id: string;
  readonly title: string | null;
  /** Where to begin to read, from the folder. */
  readonly start: string;
  /** Agents with a transcript of their own, main included. */
  readonly agents: number;
  readonly skipped: readonly { readonly agentId: string; readonly reason: string }[];
}

/** What was found and replaced. Holds nothing of what was found. */
export interface RedactionReport {
  readonly total: number;
  /** Different ones. */
  readonly secrets: number;
  readonly findings: readonly RedactionFinding[];
}

export interface RedactionFinding {
  readonly kind: string;
  readonly what: string;
  readonly placeholder: string;
  readonly count: number;
  /** The first few. */
  readonly places: readonly string[];
}
