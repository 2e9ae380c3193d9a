import {
  type AgentRef,
  connection,
  currentSession,
  picture,
  replayAt,
  selected,
  useBackend,
  message as wanted,
} from '../../store.ts';
import { type Book, keyOf, takeBook } from './book.ts';
import './read.css';
import './message.css';
import './blocks.css';
import './prose.css';
import { computed, effect, useComputed } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { cleanLine, plural } from '../../../../src/core/index.ts';
import { partsOf } from '../../../../src/core/transcript/index.ts';
import { read } from '../../actions.ts';
import { ExportButton } from '../../export/export-sheet.tsx';
import { hueOf } from '../../parts/marks.tsx';
import { Finder } from './find.ts';
import { FindBar } from './find-bar.tsx';
import { MessageList } from './message-list.tsx';
import { partKey, type Speakers } from './message-row.tsx';
import { chooseAll, toggleMessage } from './openness.ts';
import { ReaderHead } from './reader-head.tsx';
import { agentIn, isBusy, nameOf, ReaderState, sessionOf } from './reader-state.tsx';
import { isInSight, useMarks } from './use-marks.ts';
import { firstPlace, type Reading, useReading, useVirtualList } from './use-reading.ts';

/** The transcript of the agent that is selected; of the main agent of the session, where none is. */
export function ReadView() {
  const session = currentSession.value?.id;
  const ref = selected.value ?? (session === undefined ? undefined : { session, agent: session });
  if (!picture.value) return <p class="read-state">Reading…</p>;
  if (!ref)
    return (
      <p class="read-state">
        There is no transcript yet. When a coding agent works on this machine, what it says and does can be read here.
      </p>
    );
  return <Reader key={keyOf(ref)} session={ref.session} agent={ref.agent} />;
}

/** The transcript of one agent. For another agent, another one is made. */
export function Reader({ session, agent }: AgentRef) {
  const backend = useBackend();
  const at = useMemo((): AgentRef => ({ session, agent }), [session, agent]);
  const { book, isNew } = useMemo(() => takeBook(backend, at), [at]);
  const first = useMemo(() => firstPlace(at, wanted.peek(), isBusy(at)), [at]);
  const finder = useMemo(() => new Finder(book), [book]);
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
  useFollowing(at, book, () => finder.searchEnd());
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

/** A moment of the past is replayed: the transcript goes along. */
export function useReplay(book: Book, reading: Reading): void {
  const at = replayAt.value;
  const isThere = book.total.value !== undefined;
  useEffect(() => {
    if (at === undefined || !isThere) return;
    let isStale = false;
    lastMessageAt(book, at).then((index) => {
      if (!isStale && index !== undefined && index !== reading.current.peek()) reading.go(index, false);
    });
    return () => {
      isStale = true;
    };
  }, [at, isThere]);
}

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

/** Keys of the reader come before those of the page. */
export function useReaderKeys(isFinding: () => boolean, run: (act: ReaderAct) => boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const act = readerActOf({ key, ctrlKey, metaKey, altKey, isTyping: isField(target), isFinding: isFinding() });
      if (act && run(act)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  });
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** The last message that was said by then; the first one where none was. Messages stand nearly in the order of time. */
export async function lastMessageAt(
  book: Pick<Book, 'at' | 'load' | 'total'>,
  at: number,
): Promise<number | undefined> {
  let low = 0;
  let high = book.total.peek() ?? 0;
  if (high === 0) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (!book.at(middle)) await book.load(middle, middle + 1);
    if (timeOf(book, middle) <= at) low = middle;
    else high = middle;
  }
  return low;
}

/** One without a time stands where its neighbour does: the one before it, or else, of what was read, the one behind. */
function timeOf(book: Pick<Book, 'at'>, index: number): number {
  for (const step of [-1, 1]) {
    for (let at = index, message = book.at(at); message; at += step, message = book.at(at))
      if (message.timestamp !== null) return Date.parse(message.timestamp);
  }
  return Number.NEGATIVE_INFINITY;
}

export function useSpeakers(at: AgentRef): Speakers {
  const agent = useComputed(() => agentIn(at.session, at.agent)).value;
  const parent = useComputed(() =>
    agent?.parentId === null || agent === undefined ? undefined : agentIn(at.session, agent.parentId),
  ).value;
  const isSubAgent = agent ? agent.kind !== 'main' : at.agent !== at.session;
  const name = agent ? nameOf(agent) : isSubAgent ? 'sub-agent' : 'main';
  const asker = parent ? nameOf(parent) : 'asked by';
  const host = useComputed(() => cleanLine(sessionOf(at.session)?.hostTitle ?? 'the program')).value;
  const model = agent?.model ?? null;
  const [hue, askerHue] = [hueOf(agent?.hue ?? null), hueOf(parent?.hue ?? null)];
  return useMemo(
    () => ({
      isSubAgent,
      names: { person: 'you', parent: asker, agent: name, host },
      hues: { person: 'var(--text)', parent: askerHue, agent: hue, host: 'var(--text-faint)' },
      model,
    }),
    [isSubAgent, name, asker, host, model, hue, askerHue],
  );
}

/** What a key does in a transcript. */
export type ReaderAct = 'next' | 'previous' | 'fold' | 'door' | 'up' | 'beginning' | 'end' | 'find' | 'close-find';

export interface ReaderKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** It is being taken as text by a field. */
  readonly isTyping: boolean;
  readonly isFinding: boolean;
}

const ACTS: ReadonlyMap<string, ReaderAct> = new Map([
  ['j', 'next'],
  ['k', 'previous'],
  ['e', 'fold'],
  ['o', 'door'],
  ['u', 'up'],
  ['g', 'beginning'],
  ['G', 'end'],
  ['/', 'find'],
]);

export function readerActOf(press: ReaderKey): ReaderAct | undefined {
  const { key, ctrlKey, metaKey, altKey, isTyping, isFinding } = press;
  // Typed a second time, in our own field, it is the browser's.
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'f') return isTyping && isFinding ? undefined : 'find';
  if (ctrlKey || metaKey || altKey || isTyping) return undefined;
  if (key === 'Escape') return isFinding ? 'close-find' : undefined;
  return ACTS.get(key);
}

/** Between two looks at a transcript that grows. */
const PAUSE_MS = 400;

/** Reads the end again whenever the agent has done something. */
export function useFollowing(at: AgentRef, book: Book, onNews: () => void): void {
  useEffect(() => {
    const signs = computed(() => {
      const agent = agentIn(at.session, at.agent);
      if (!agent) return connection.value;
      const { messageCount, toolCallCount, lastActivityAt, status } = agent;
      return [connection.value, messageCount, toolCallCount, lastActivityAt, status].join(' ');
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let isFirst = true;
    const look = (): void => {
      timer = undefined;
      last = Date.now();
      void book.refresh().then(onNews);
    };
    const stop = effect(() => {
      signs.value;
      if (!isFirst && connection.peek() === 'connected')
        timer ??= setTimeout(look, Math.max(0, last + PAUSE_MS - Date.now()));
      isFirst = false;
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [at.session, at.agent, book]);
}
