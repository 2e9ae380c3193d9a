import { useState } from 'preact/hooks';
import { cleanLine, type OlderSession, plural } from '../../../src/core/index.ts';
import { useBackend } from '../backend-context.ts';
import { matchesOlder } from '../filter.ts';
import { Ago } from '../parts/ago.tsx';
import { filter, picture } from '../store.ts';
import { readOlder } from './read-older.ts';

const FIRST = 10;
const MORE = 50;

/** Sessions from before the window: known by their files only, and read when somebody asks. */
export function OlderList() {
  const [limit, setLimit] = useState(FIRST);
  const { older = [], olderTotal = 0 } = picture.value ?? {};
  if (olderTotal === 0) return null;
  const fitting = older.filter((session) => matchesOlder(session, filter.value));
  return (
    <section class="sessions-group" aria-label="Older">
      <h2 class="sessions-head">
        Older <span class="dim">{olderTotal}, not read yet</span>
      </h2>
      <ul>
        {fitting.slice(0, limit).map((session) => (
          <OlderRow key={`${session.host}:${session.id}`} session={session} />
        ))}
      </ul>
      {fitting.length > limit && (
        <button type="button" class="quiet sessions-more" onClick={() => setLimit(limit + MORE)}>
          show {Math.min(MORE, fitting.length - limit)} more
        </button>
      )}
      {fitting.length <= limit && (fitting.length < older.length || older.length < olderTotal) && (
        <p class="sessions-none">
          {fitting.length < older.length
            ? 'Of these only id and host are known, so the filter finds no more.'
            : `${olderTotal - older.length} more are not listed here: troupe ls`}
        </p>
      )}
    </section>
  );
}

type State = 'listed' | 'reading' | { readonly failure: string };

function OlderRow({ session: { id, host, modifiedAt, files } }: { readonly session: OlderSession }) {
  const backend = useBackend();
  const [state, setState] = useState<State>('listed');
  const onClick = (): void => {
    setState('reading');
    readOlder(backend, id).then(
      (isThere) => setState(isThere ? 'reading' : { failure: 'It is not there any more.' }),
      (error: unknown) => setState({ failure: error instanceof Error ? error.message : String(error) }),
    );
  };
  return (
    <li class="sessions-older">
      <span class="sessions-older-text">
        <span class="sessions-line">
          <code>{cleanLine(id.slice(0, 8))}</code>
          <span class="sessions-age">
            <Ago at={modifiedAt} isLive />
          </span>
        </span>
        <span class="sessions-host">
          {cleanLine(host)} · {plural(files, 'file')}
        </span>
      </span>
      {typeof state === 'object' ? (
        <span class="sessions-failure" role="alert">
          {cleanLine(state.failure)}
        </span>
      ) : (
        <button type="button" class="quiet" disabled={state === 'reading'} onClick={onClick}>
          {state === 'reading' ? 'reading…' : 'read it'}
          <span class="visually-hidden"> (session {cleanLine(id.slice(0, 8))})</span>
        </button>
      )}
    </li>
  );
}
