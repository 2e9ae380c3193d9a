import type { Finder } from './find.ts';
import { chooseAll } from './openness.ts';

/** What one can do with all of a transcript. */
export function ReaderTools({ finder }: { readonly finder: Finder }) {
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
    </div>
  );
}
