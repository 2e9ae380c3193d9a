import { cleanLine } from '../../../../src/core/index.ts';
import { PlaceLink } from '../../parts/place-link.tsx';
import type { AgentRef } from '../../store.ts';
import type { Book } from './book.ts';
import { isBusy } from './who.ts';

/** What there is to say about a transcript that is not there, or not all of it. */
export function ReaderState({ book, at }: { readonly book: Book; readonly at: AgentRef }) {
  const state = book.state.value;
  const isEmpty = book.total.value === undefined || book.total.value === 0;
  switch (state.kind) {
    case 'reading':
      return (
        <p class="read-state" role="status">
          Reading…
        </p>
      );
    case 'missing':
      return (
        <div class="read-state">
          <p>
            {isBusy(at)
              ? 'It has not said anything yet.'
              : 'There is no transcript of this agent. Its files may be gone, or were never written.'}
          </p>
          {at.agent !== at.session && (
            <PlaceLink in="read" to={{ session: at.session, agent: at.session }}>
              Read the main agent
            </PlaceLink>
          )}
        </div>
      );
    case 'failed':
      return (
        <div class="read-state read-state-failed" role="alert">
          <p>
            {isEmpty ? 'The transcript' : 'A part of the transcript'} could not be read: {cleanLine(state.reason)}
          </p>
          <button type="button" onClick={() => void book.refresh()}>
            Try again
          </button>
        </div>
      );
    case 'ready':
      return isEmpty ? <p class="read-state">Nothing has been said here yet.</p> : null;
  }
}
