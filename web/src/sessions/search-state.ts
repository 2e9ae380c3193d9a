import { computed, effect, signal } from '@preact/signals';
import type { SearchReport } from '../../../src/core/index.ts';
import type { TextSearch } from '../backend.ts';
import { filter, searchIn } from '../store.ts';

// Messages that match what is in the search box.

export const found = signal<SearchReport | undefined>(undefined);
export const isSearching = signal(false);
export const searchFailure = signal<string | undefined>(undefined);
const STEP = 20;
const limit = signal(STEP);
/** Bumped to search again for the same words. */
const again = signal(0);

/** The text, with the choices of the filter as words of the query. */
const query = computed(() => {
  const { text, host, project } = filter.value;
  const quoted = (value: string): string => `"${value.replaceAll('"', '')}"`;
  return [
    text.trim(),
    ...(host === undefined ? [] : [`host:${quoted(host)}`]),
    ...(project === undefined ? [] : [`project:${quoted(project)}`]),
  ]
    .filter((part) => part !== '')
    .join(' ');
});

const TYPING_MS = 250;
/** While the index is being made, more is found each time. */
const GROWING_MS = 2_000;

export function showMore(): void {
  limit.value += STEP;
}

export function searchAgain(): void {
  again.value++;
}

/** While messages are looked at. Returns how to stop. */
export function startSearch(search: TextSearch): () => void {
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = '';
  const find = async (text: string, sessions: number): Promise<void> => {
    current?.abort();
    current = new AbortController();
    const { signal: isOver } = current;
    isSearching.value = true;
    try {
      const report = await search.find(text, sessions, isOver);
      if (isOver.aborted) return;
      found.value = report;
      searchFailure.value = undefined;
      const { state, isComplete } = report.index;
      if (state === 'on' && !isComplete && !report.problem)
        timer = setTimeout(() => void find(text, sessions), GROWING_MS);
    } catch (error) {
      if (isOver.aborted) return;
      searchFailure.value = error instanceof Error ? error.message : String(error);
    } finally {
      if (!isOver.aborted) isSearching.value = false;
    }
  };
  const stop = effect(() => {
    again.value;
    const [text, isWanted, sessions] = [query.value, searchIn.value === 'messages', limit.value];
    clearTimeout(timer);
    if (!isWanted || text === '') {
      current?.abort();
      isSearching.value = false;
      if (text === '') found.value = undefined;
      return;
    }
    const isTyped = last !== '' && last !== text;
    last = text;
    timer = setTimeout(() => void find(text, sessions), isTyped ? TYPING_MS : 0);
  });
  return () => {
    stop();
    clearTimeout(timer);
    current?.abort();
  };
}
