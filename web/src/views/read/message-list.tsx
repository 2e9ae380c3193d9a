import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { type AgentRef, message as wanted } from '../../store.ts';
import type { Book } from './book.ts';
import type { Finder } from './find.ts';
import { MessageRow, type Speakers } from './message-row.tsx';
import type { MessageVirtualizer, Reading } from './use-reading.ts';

interface ListProps {
  readonly at: AgentRef;
  readonly book: Book;
  readonly finder: Finder;
  readonly speakers: Speakers;
  readonly reading: Reading;
  readonly virtualizer: MessageVirtualizer;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

/** Messages that are read ahead on either side of those in sight. */
const AHEAD = 40;

export function MessageList({ at, book, finder, speakers, reading, virtualizer, scroller }: ListProps) {
  book.edition.value;
  const total = book.total.value ?? 0;
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  useEffect(() => {
    if (first && last) book.want(Math.max(0, first.index - AHEAD), last.index + AHEAD);
  });
  const takeFocus = ({ target }: FocusEvent): void => {
    const row = target instanceof Element ? target.closest('[data-message]') : null;
    if (row) reading.current.value = Number(row.getAttribute('data-message'));
  };
  // A feed has articles; before the first one it is none.
  const feed = items.length > 0 ? ({ role: 'feed', 'aria-label': 'Transcript' } as const) : {};
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys, too
    <div class="read-scroller" ref={scroller} tabIndex={0} onFocusIn={takeFocus}>
      <div class="read-length" style={{ height: `${virtualizer.getTotalSize()}px` }} {...feed}>
        <div class="read-window" role="none" style={{ transform: `translateY(${first?.start ?? 0}px)` }}>
          {items.map(({ index, size }) => {
            const message = book.at(index);
            return message ? (
              <div key={index} data-index={index} ref={virtualizer.measureElement} role="none">
                <MessageRow
                  message={message}
                  index={index}
                  total={total}
                  session={at.session}
                  agent={at.agent}
                  speakers={speakers}
                  finder={finder}
                  isMarked={wanted.value === index}
                  isCurrent={reading.current.value === index}
                  goesOn={book.at(index - 1)?.role === message.role}
                />
              </div>
            ) : (
              <Absent key={index} index={index} total={total} height={size} isLost={book.isLost(index)} />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface AbsentProps {
  readonly index: number;
  readonly total: number;
  readonly height: number;
  readonly isLost: boolean;
}

/** Keeps the place of a message that is on its way. */
function Absent({ index, total, height, isLost }: AbsentProps) {
  return (
    <article
      class="read-absent"
      style={{ height: `${height}px` }}
      aria-posinset={index + 1}
      aria-setsize={total}
      aria-label={`Message ${index + 1}`}
      aria-busy={!isLost}
    >
      {isLost ? `Message ${index + 1} could not be read.` : ''}
    </article>
  );
}
