import { cleanLine } from '../../../src/core/index.ts';
import { narrow } from '../actions.ts';
import { type Filter, STATUS_WORDS } from '../filter.ts';

/** What is set, each part with a way to take it off. */
export function FilterChips({ now, onClear }: { readonly now: Filter; readonly onClear: () => void }) {
  const chips: readonly (readonly [text: string | undefined, without: Partial<Filter>])[] = [
    [now.text.trim() === '' ? undefined : `«${cleanLine(now.text)}»`, { text: '' }],
    [now.status && STATUS_WORDS[now.status], { status: undefined }],
    [now.project === undefined ? undefined : `project ${cleanLine(now.project)}`, { project: undefined }],
    [now.host === undefined ? undefined : `host ${cleanLine(now.host)}`, { host: undefined }],
  ];
  return (
    <ul class="filter-chips" aria-label="Active filters">
      {chips.map(
        ([text, without]) =>
          text !== undefined && (
            <li key={Object.keys(without)[0]}>
              <button
                type="button"
                class="chip"
                onClick={() => narrow(without)}
                aria-label={`Remove the filter ${text}`}
              >
                <span class="chip-text">{text}</span> <span aria-hidden="true">×</span>
              </button>
            </li>
          ),
      )}
      <li>
        <button type="button" class="quiet filter-clear" onClick={onClear}>
          clear
        </button>
      </li>
    </ul>
  );
}
