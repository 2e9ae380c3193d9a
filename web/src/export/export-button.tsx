import { signal } from '@preact/signals';
import { useBackend } from '../backend.ts';

/** Nothing where there is nobody to make one: in a page that is an export itself. */
export function ExportButton({ session }: { readonly session: string }) {
  if (!useBackend().export) return null;
  return (
    <button type="button" class="export-open" onClick={() => openExport(session)} title="Export this session (x)">
      Export…
    </button>
  );
}

/** The session that the sheet in front of the page is about. Kept while it closes. */
export const exported = signal<string | undefined>(undefined);
export const isExporting = signal(false);

export function openExport(session: string | undefined): void {
  if (session === undefined) return;
  exported.value = session;
  isExporting.value = true;
}
