import { ExportButton } from '../../export/export-button.tsx';
import type { Finder } from './find.ts';
import { chooseAll } from './openness.ts';

/** What one can do with all of a transcript. */
export function ReaderTools({ finder, session }: { readonly finder: Finder; readonly session: string }) {
  return (
    <div class="read-tools">
      <button type="button" onClick={() => chooseAll(true)} title="Open everything (e: this message only)">
        Expand all
      </button>
      <button type="button" onClick={() => chooseAll(false)} title="Close everything (e: this message only)">
        Collapse all
      </button>
      <button type="button" onClick={finder.show} title="Find in this transcript (/)">
        Find
      </button>
      <ExportButton session={session} />
    </div>
  );
}
