import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { PLAIN, paintMark } from '../../../src/core/index.ts';
import { clearFilter, goTo } from '../actions.ts';
import type { Backend } from '../backend.ts';
import { CopyButton, Since, wallTime } from '../parts/marks.tsx';
import { lostSince, type Pane, pane, picture, useBackend } from '../store.ts';
import { counts } from './counts.ts';
import type { EmptyText } from './empty-text.ts';

const PANES: readonly { readonly name: Pane; readonly title: string }[] = [
  { name: 'sessions', title: 'Sessions' },
  { name: 'view', title: 'View' },
  { name: 'detail', title: 'Detail' },
];

/** On a phone: one part of the page at a time. */
export function PaneTabs() {
  const urgent = counts.value.find(({ name }) => name === 'needs-you');
  return (
    <nav class="pane-tabs" aria-label="Parts of the page">
      {PANES.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-current={pane.value === name ? 'page' : undefined}
          onClick={() => goTo(name)}
        >
          {title}
          {name === 'sessions' && urgent && (
            <span class="pane-badge">
              {' '}
              {paintMark(urgent.standing, PLAIN)} {urgent.count}
              <span class="visually-hidden"> {urgent.word}</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}

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
      {text.kind === 'no-sessions' && text.command !== undefined && <p>To see what it looks like:</p>}
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

/** A server that is started anew is back at once: no need to worry anybody. */
const GRACE_MS = 1500;
const ASK_MS = 4000;

/** Above everything else, as long as there is no connection. */
export function Banner() {
  const backend = useBackend();
  const since = lostSince.value;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    setShown(false);
    if (since === undefined) {
      isTokenMissing.value = false;
      return;
    }
    askWhyLost(backend);
    const timer = setTimeout(() => setShown(true), GRACE_MS);
    const asking = setInterval(() => askWhyLost(backend), ASK_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(asking);
    };
  }, [since, backend]);
  if (since === undefined || !isShown || !picture.value) return null;
  return (
    <div class="banner" role="alert">
      <span aria-hidden="true">⚠</span>{' '}
      {isTokenMissing.value ? (
        <span>This browser is no longer logged in. Type `troupe open` in a terminal.</span>
      ) : (
        <span>
          No connection since {wallTime(since)} (<Since at={since} isLive />
          ). You see what was known then; it goes on by itself when troupe is back.
        </span>
      )}
    </div>
  );
}

/** The server is there, but does not know us: the page was opened without its token, or it is another server by now. */
export const isTokenMissing = signal(false);

/** A lost stream of events does not say why: so the server is asked. */
export async function askWhyLost(backend: Backend): Promise<void> {
  if (backend.kind !== 'live') return;
  try {
    const { status } = await fetch('api/status');
    isTokenMissing.value = status === 401;
  } catch {
    // Nobody answers at all: that is what the banner says.
    isTokenMissing.value = false;
  }
}
