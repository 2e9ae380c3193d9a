import { clearFilter } from '../actions.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import type { EmptyText } from './counts.ts';

export function EmptyState({ text }: { readonly text: EmptyText }) {
  return (
    <div class="empty" role="status">
      <h2>{text.head}</h2>
      {text.lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {text.places.length > 0 && (
        <ul class="empty-places">
          {text.places.map((place) => (
            <li key={place}>
              <code>{place}</code>
            </li>
          ))}
        </ul>
      )}
      {text.kind === 'no-sessions' && <p>To see what it looks like:</p>}
      {text.command !== undefined && (
        <p class="empty-command">
          <code>{text.command}</code> <CopyButton text={text.command} what="the command" />
        </p>
      )}
      {text.kind === 'no-match' && (
        <button type="button" onClick={clearFilter}>
          Clear the filter
        </button>
      )}
    </div>
  );
}
