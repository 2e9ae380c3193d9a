import { useBackend } from '../backend-context.ts';
import { openExport } from './exported.ts';

/** Nothing where there is nobody to make one: in a page that is an export itself. */
export function ExportButton({ session }: { readonly session: string }) {
  if (!useBackend().export) return null;
  return (
    <button type="button" class="export-open" onClick={() => openExport(session)} title="Export this session (x)">
      Export…
    </button>
  );
}
