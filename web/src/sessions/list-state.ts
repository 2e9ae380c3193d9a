import { batch, computed, effect, signal, untracked } from '@preact/signals';
import {
  isSessionBusy,
  type ListedSession,
  type SessionDetail,
  type SessionListReport,
  type SessionListRequest,
  sessionKey,
} from '../../../src/core/index.ts';
import { selectSession } from '../actions.ts';
import type { Backend } from '../backend.ts';
import { filter, grouping, picture, selected, sessions, sort } from '../store.ts';
import { groupsWithin, type Layout, placeGroups, type SeenGroup, topOfRow } from './list-layout.ts';

// What the page has of the list of all sessions: how many there are, and those rows that are in sight or were lately.

export type ListReport = Omit<SessionListReport, 'sessions' | 'from'>;

interface Loaded {
  /** What was asked for. */
  readonly wanted: string;
  readonly report: ListReport;
  readonly rows: ReadonlyMap<number, ListedSession>;
}

export const loaded = signal<Loaded | undefined>(undefined);
/** Why the last request failed. */
export const listFailure = signal<string | undefined>(undefined);
export const folded = signal<ReadonlySet<string>>(new Set());
export const scrollTop = signal(0);
export const viewHeight = signal(0);
/** The number of the row that has the keyboard: it stays on the page when it is scrolled away. */
export const focusedRow = signal<number | undefined>(undefined);

/** Fingers need higher rows. */
export const rowPx = signal(66);

export const layout = computed<Layout>(() => placeGroups(loaded.value?.report.groups ?? [], folded.value, rowPx.value));

/** Beyond the edges, so that a quick hand finds rows there. */
const OVERSCAN_PX = 500;

let lastSeen: readonly SeenGroup[] = [];

/** What is drawn. The same object while the person scrolls within one row. */
export const seen = computed<readonly SeenGroup[]>(() => {
  const step = rowPx.value;
  const top = Math.floor((scrollTop.value - OVERSCAN_PX) / step) * step;
  const bottom = Math.ceil((scrollTop.value + viewHeight.value + OVERSCAN_PX) / step) * step;
  const next = groupsWithin(layout.value, top, bottom);
  const isSame =
    next.length === lastSeen.length &&
    next.every(({ group, from, to }, index) => {
      const last = lastSeen[index];
      return last?.group === group && last.from === from && last.to === to;
    });
  if (!isSame) lastSeen = next;
  return lastSeen;
});

/** What is followed is drawn as it is now, and not as it was when the list was asked for. */
export const followed = computed<ReadonlyMap<string, SessionDetail>>(
  () => new Map(sessions.value.map((session) => [session.id, session])),
);

/** `query`: as the person typed it. */
type Wanted = Omit<SessionListRequest, 'from' | 'limit' | 'at'>;

const wantedList = computed<Wanted>(() => {
  const { text, host, project, status } = filter.value;
  return {
    ...{ query: text.trim(), sort: sort.value, group: grouping.value },
    ...(host !== undefined && { host }),
    ...(project !== undefined && { project }),
    ...(status !== undefined && { state: status }),
  };
});

const PAGE = 100;
/** Rows that were asked for and are far away by now are forgotten. */
const KEPT_PAGES = 30;
const TYPING_MS = 120;
const CHANGE_MS = 400;
const UNREAD_MS = 3_000;

/** Fetches what is in sight, and again when sessions come, go, or begin or end work. Returns how to stop. */
export function startList(backend: Backend): () => void {
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The selected session whose row was last brought into sight. */
  let shown: string | undefined;

  const fetchRows = async (wanted: Wanted, from: number, limit: number, isAnew: boolean): Promise<void> => {
    if (isAnew) current?.abort();
    current = isAnew ? new AbortController() : (current ?? new AbortController());
    const { signal } = current;
    const key = JSON.stringify(wanted);
    const at = selected.peek()?.session;
    try {
      const { sessions: rows, ...report } = await backend.list(
        { ...wanted, from, limit, ...(at !== undefined && { at }) },
        signal,
      );
      if (signal.aborted) return;
      take(key, report, rows, isAnew);
      if (at !== undefined && at !== shown && report.at !== null) show(at, report.at);
    } catch (error) {
      if (!signal.aborted) listFailure.value = error instanceof Error ? error.message : String(error);
    }
  };
  const show = (session: string, index: number): void => {
    shown = session;
    reveal(index);
  };
  const take = (
    wanted: string,
    { from, ...report }: ListReport & { readonly from: number },
    list: readonly ListedSession[],
    isAnew: boolean,
  ): void => {
    const before = loaded.peek();
    const isOther = before?.wanted !== wanted;
    const kept = isAnew || isOther ? [] : [...before.rows].slice(-PAGE * KEPT_PAGES);
    const rows = new Map([...kept, ...list.map((row, index) => [from + index, row] as const)]);
    batch(() => {
      loaded.value = { wanted, report, rows };
      listFailure.value = undefined;
      if (isOther && before) scrollTo(0);
    });
    clearTimeout(timer);
    if (report.unread > 0) timer = setTimeout(refresh, UNREAD_MS);
  };
  const refresh = (): void => {
    const { from, to } = untracked(seenRange);
    const begin = Math.floor(from / PAGE) * PAGE;
    void fetchRows(wantedList.peek(), begin, Math.min(1_000, Math.max(PAGE, to - begin)), true);
  };

  let wishTimer: ReturnType<typeof setTimeout> | undefined;
  const stops = [
    effect(() => {
      const wanted = wantedList.value;
      clearTimeout(wishTimer);
      wishTimer = setTimeout(() => void fetchRows(wanted, 0, PAGE, true), loaded.peek() ? TYPING_MS : 0);
    }),
    // A link or another view may select a session whose row is out of sight, or not loaded.
    effect(() => {
      const session = selected.value?.session;
      if (session === undefined || session === shown || !untracked(() => loaded.value)) return;
      const index = indexOf(session);
      if (index === undefined) untracked(refresh);
      else untracked(() => show(session, index));
    }),
    effect(() => {
      const { from, to } = seenRange();
      const now = loaded.value;
      if (!now || now.wanted !== JSON.stringify(wantedList.peek())) return;
      const missing = missingPage(now, from, to);
      if (missing !== undefined) void fetchRows(wantedList.peek(), missing, PAGE, false);
    }),
    effect(() => {
      if (changes.value === undefined || !untracked(() => loaded.value)) return;
      clearTimeout(timer);
      timer = setTimeout(refresh, CHANGE_MS);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    clearTimeout(wishTimer);
    current?.abort();
  };
}

/** What moves rows, or adds some. */
const changes = computed(() => {
  const now = picture.value;
  if (!now) return undefined;
  const { emptySessions, olderTotal, isComplete } = now;
  const busy = now.sessions.map((session) => `${sessionKey(session)} ${isSessionBusy(session)}`).join();
  return `${busy} ${emptySessions} ${olderTotal} ${isComplete}`;
});

function seenRange(): { readonly from: number; readonly to: number } {
  const groups = seen.value.filter(({ from, to }) => to > from);
  return { from: groups[0]?.from ?? 0, to: groups.at(-1)?.to ?? 0 };
}

const asked = new Set<string>();

/** The first row that is in sight and not there; each is asked for once at a time. */
function missingPage({ rows, wanted, report }: Loaded, from: number, to: number): number | undefined {
  for (let page = Math.floor(from / PAGE) * PAGE; page < Math.min(to, report.matching); page += PAGE) {
    let index = Math.max(page, from);
    const end = Math.min(page + PAGE, to, report.matching);
    while (index < end && rows.has(index)) index++;
    if (index >= end) continue;
    const key = `${wanted} ${page}`;
    if (asked.has(key)) continue;
    asked.add(key);
    setTimeout(() => asked.delete(key), 1_000);
    return page;
  }
  return undefined;
}

let wantedTop: number | undefined;

/** Where the list is to be scrolled to, once its rows are there. */
export function takeWantedTop(): number | undefined {
  const top = wantedTop;
  wantedTop = undefined;
  return top;
}

function scrollTo(top: number): void {
  wantedTop = top;
  scrollTop.value = top;
}

/** Brings a row into sight, if it is not. */
export function reveal(index: number): void {
  const { headPx = 0 } = layout.value.groups.find(({ first, count }) => index < first + count) ?? {};
  const top = topOfRow(layout.value, index);
  if (top === undefined) return;
  if (top - headPx < scrollTop.peek()) scrollTo(Math.max(0, top - headPx));
  else if (top + rowPx.peek() > scrollTop.peek() + viewHeight.peek()) scrollTo(top + rowPx.peek() - viewHeight.peek());
}

/** The number of a session among the rows that are there. */
export function indexOf(session: string): number | undefined {
  for (const [index, row] of loaded.peek()?.rows ?? []) if (row.id === session) return index;
  return undefined;
}

/** Goes to the next session of the list, or the one before. */
export function stepSession(step: 1 | -1): void {
  const now = loaded.peek();
  const id = selected.peek()?.session;
  const at = (id === undefined ? undefined : indexOf(id)) ?? -1;
  const index = at === -1 ? 0 : Math.max(0, Math.min((now?.report.matching ?? 1) - 1, at + step));
  const next = now?.rows.get(index);
  reveal(index);
  if (next) selectSession(next.id);
}
