import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { plural } from '../../../../src/core/index.ts';
import { partsOf } from '../../../../src/core/transcript/index.ts';
import { read } from '../../actions.ts';
import { useBackend } from '../../backend-context.ts';
import { type AgentRef, message as wanted } from '../../store.ts';
import { createFinder } from './find.ts';
import { FindBar } from './find-bar.tsx';
import { MessageList } from './message-list.tsx';
import { partKey } from './message-row.tsx';
import { toggleMessage } from './openness.ts';
import { ReaderHead } from './reader-head.tsx';
import type { ReaderAct } from './reader-keys.ts';
import { ReaderState } from './reader-state.tsx';
import { ReaderTools } from './reader-tools.tsx';
import { takeBook } from './shelf.ts';
import { useFollowing } from './use-following.ts';
import { isInSight, useMarks } from './use-marks.ts';
import { useReaderKeys } from './use-reader-keys.ts';
import { firstPlace, type Reading, useReading } from './use-reading.ts';
import { useReplay } from './use-replay.ts';
import { useSpeakers } from './use-speakers.ts';
import { useVirtualList } from './use-virtual-list.ts';
import { isBusy } from './who.ts';

/** The transcript of one agent. For another agent, another one is made. */
export function Reader({ session, agent }: AgentRef) {
  const backend = useBackend();
  const at = useMemo((): AgentRef => ({ session, agent }), [session, agent]);
  const { book, isNew } = useMemo(() => takeBook(backend, at), [at]);
  const first = useMemo(() => firstPlace(at, wanted.peek(), isBusy(at)), [at]);
  const finder = useMemo(() => createFinder(book), [book]);
  const scroller = useRef<HTMLDivElement>(null);
  const total = book.total.value;
  const virtualizer = useVirtualList(total ?? 0, scroller);
  const reading = useReading(at, book, virtualizer, scroller, first);
  const speakers = useSpeakers(at);

  useEffect(() => {
    if (isNew) void book.open(first === undefined ? 'beginning' : first === 'end' ? 'end' : first.index);
    else void book.refresh();
    return () => finder.close();
  }, [book]);
  useFollowing(at, book, finder.lookAgain);
  useMarks(finder, reading, scroller);
  useGoing(reading, scroller);
  useReplay(book, reading);
  useFocus(scroller);
  useReaderKeys(
    () => finder.isShown.value,
    (act) => run(act, at, reading),
  );

  const closeFind = (): void => {
    finder.hide();
    scroller.current?.focus({ preventScroll: true });
  };
  const run = (act: ReaderAct, { session: id }: AgentRef, { current }: Reading): boolean => {
    const here = current.value ?? reading.top();
    const last = (book.total.value ?? 0) - 1;
    const message = book.at(here);
    switch (act) {
      case 'next':
        reading.go(Math.max(0, Math.min(last, current.value === undefined ? here : here + 1)));
        return true;
      case 'previous':
        reading.go(Math.max(0, here - 1));
        return true;
      case 'beginning':
        reading.go(0);
        return true;
      case 'end':
        reading.goToEnd();
        return true;
      case 'fold':
        if (message) toggleMessage((part) => partKey(at, message, part), message);
        return true;
      case 'door': {
        const door = message && partsOf(message).find((part) => part.kind === 'call' && part.call.ref);
        if (door?.kind === 'call' && door.call.ref) read({ session: id, agent: door.call.ref.agent_id });
        return true;
      }
      case 'up':
        scroller.current?.closest('.read')?.querySelector<HTMLElement>('[data-asked-by]')?.click();
        return true;
      case 'find':
        finder.show();
        // Where it is shown already.
        scroller.current?.closest('.read')?.querySelector<HTMLInputElement>('.read-find input')?.select();
        return true;
      case 'close-find':
        closeFind();
        return true;
    }
  };

  return (
    <div class="read">
      <div class="read-top">
        <ReaderHead at={at} title={book.title.value} total={total} />
        <ReaderTools finder={finder} session={at.session} />
      </div>
      {finder.isShown.value && <FindBar finder={finder} total={total ?? 0} near={reading.top} close={closeFind} />}
      <ReaderState book={book} at={at} />
      <MessageList
        at={at}
        book={book}
        finder={finder}
        speakers={speakers}
        reading={reading}
        virtualizer={virtualizer}
        scroller={scroller}
      />
      {reading.unseen.value > 0 && (
        <button type="button" class="read-news" onClick={reading.goToEnd}>
          {plural(reading.unseen.value, 'new message')} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  );
}

/** The address names another message of the same transcript. One that is in sight need not move. */
function useGoing(reading: Reading, scroller: RefObject<HTMLDivElement | null>): void {
  const index = wanted.value;
  useEffect(() => {
    if (index === undefined) return;
    if (isInSight(scroller.current, index)) reading.current.value = index;
    else reading.go(index);
  }, [index]);
}

let hasRead = false;

/** Who came through a door goes on reading: the link that they followed is not on the page any more. */
function useFocus(scroller: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    if (hasRead && document.activeElement === document.body) scroller.current?.focus({ preventScroll: true });
    hasRead = true;
  }, []);
}
