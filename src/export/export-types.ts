import type { ExportFormat, ExportReport, RedactionReport } from '../core/index.ts';
import type { Where } from '../sessions/index.ts';

export interface ExportRequest {
  readonly where: Where;
  /** By the beginning of its id; the newest where none is given. */
  readonly session?: string;
  /** Every session that fits, instead of one. */
  readonly selection?: {
    readonly project?: string;
    /** Epoch milliseconds. */
    readonly since?: number;
  };
  /** Left out: the one format goes to `write`. */
  readonly outDir?: string;
  readonly force: boolean;
  readonly options: {
    readonly formats: readonly ExportFormat[];
    readonly isSingleFile: boolean;
    readonly isCompact: boolean;
    readonly withImages: boolean;
    readonly messagesPerPage?: number;
    /** Left out: nothing is looked for. */
    readonly redact?: { readonly pii: boolean };
  };
  write(text: string): void | Promise<void>;
  onProgress(progress: { readonly done: number; readonly doing: 'searching' | 'writing' }): void;
  /** Asked before anything is written, with all that was found. */
  readonly approve?: (redactions: RedactionReport) => Promise<boolean>;
}

export type ExportOutcome = { readonly isWritten: false } | { readonly isWritten: true; readonly report: ExportReport };

/** `page`: one file that holds everything; `md`: the main agent's conversation; `json`: all conversations, for programs. */
export type DownloadForm = 'page' | 'md' | 'json';

export interface DownloadRequest {
  readonly session: { readonly id: string; readonly cwd: string | null };
  readonly as: DownloadForm;
  /** Also e-mail addresses and the like. Secrets are redacted in any case. */
  readonly pii: boolean;
}

/** What the server hands sessions out with. */
export interface ServedExport {
  /** When there is something to send. Throws a `UserError` where the person has to do something first. */
  begin(request: DownloadRequest, signal: AbortSignal): Promise<Download>;
  /** Where `troupe export` finds the session: as this server was told, or as it was not. */
  whereOf(session: DownloadRequest['session']): Where;
}

export interface Download {
  /** What to call the file: letters, digits and dashes. */
  readonly stem: string;
  /** Made as they are read. Throws where they could not be made to the end. */
  readonly bytes: AsyncIterable<Uint8Array>;
}
