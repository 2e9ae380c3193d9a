import { signal } from '@preact/signals';

/** The session that the sheet in front of the page is about. Kept while it closes. */
export const exported = signal<string | undefined>(undefined);
export const isExporting = signal(false);

export function openExport(session: string | undefined): void {
  if (session === undefined) return;
  exported.value = session;
  isExporting.value = true;
}
