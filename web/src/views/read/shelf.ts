import type { Backend } from '../../backend.ts';
import type { AgentRef } from '../../store.ts';
import { type Book, createBook } from './book.ts';

// Transcripts that were opened lately, and where in them the person was: going through a door and back costs nothing.

/** Where the person was when they left. */
export interface Place {
  readonly index: number;
  /** Pixels of that message above the upper edge. */
  readonly above: number;
  readonly isAtEnd: boolean;
}

const KEPT = 4;
const books = new Map<string, Book>();
const places = new Map<string, Place>();

export function keyOf({ session, agent }: AgentRef): string {
  return `${session} ${agent}`;
}

/** `isNew`: nothing of it was read yet. */
export function takeBook(backend: Backend, ref: AgentRef): { readonly book: Book; readonly isNew: boolean } {
  const key = keyOf(ref);
  const before = books.get(key);
  const isNew = before?.state.value.kind !== 'ready';
  const book = isNew || !before ? createBook((range) => backend.transcript(ref.agent, ref.session, range)) : before;
  if (before && book !== before) before.close();
  books.delete(key);
  books.set(key, book);
  for (const [oldest, other] of books) {
    if (books.size <= KEPT) break;
    books.delete(oldest);
    other.close();
  }
  return { book, isNew };
}

export function rememberPlace(ref: AgentRef, place: Place): void {
  places.set(keyOf(ref), place);
}

export function placeIn(ref: AgentRef): Place | undefined {
  return places.get(keyOf(ref));
}
