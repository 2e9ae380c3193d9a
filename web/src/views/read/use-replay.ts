import { useEffect } from 'preact/hooks';
import { replayAt } from '../../store.ts';
import type { Book } from './book.ts';
import { lastMessageAt } from './message-times.ts';
import type { Reading } from './use-reading.ts';

/** A moment of the past is replayed: the transcript goes along. */
export function useReplay(book: Book, reading: Reading): void {
  const at = replayAt.value;
  useEffect(() => {
    if (at === undefined) return;
    let isStale = false;
    lastMessageAt(book, at).then((index) => {
      if (!isStale && index !== undefined && index !== reading.current.peek()) reading.go(index, false);
    });
    return () => {
      isStale = true;
    };
  }, [at]);
}
