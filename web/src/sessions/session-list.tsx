import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { cleanLine, plural } from '../../../src/core/index.ts';
import { width } from '../shell/commands.ts';
import { clock, picture, useBackend } from '../store.ts';
import type { PlacedGroup, SeenGroup } from './list-layout.ts';
import {
  focusedRow,
  folded,
  layout,
  listFailure,
  loaded,
  reveal,
  rowPx,
  scrollTop,
  seen,
  startList,
  takeWantedTop,
  viewHeight,
} from './list-state.ts';
import { SessionRow } from './session-row.tsx';
import './session-list.css';

/** All sessions. Only rows in sight are on the page; the others are room. */
export function SessionList() {
  const backend = useBackend();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => startList(backend), [backend]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      // `clientHeight` may round up, which would leave a part of a pixel of the last row out of sight.
      viewHeight.value = Math.floor(element.getBoundingClientRect().height);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  rowPx.value = width.value === 'phone' ? 76 : 66;
  const { height } = layout.value;
  const groups = seen.value;
  useLayoutEffect(() => {
    const top = takeWantedTop();
    if (top !== undefined && box.current) box.current.scrollTop = top;
  });
  useFocus(box, groups);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links in it
    <div
      ref={box}
      class="sessions-scroll"
      tabIndex={-1}
      onScroll={({ currentTarget }) => {
        scrollTop.value = currentTarget.scrollTop;
      }}
      onKeyDown={onKey}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !box.current?.contains(relatedTarget)) focusedRow.value = undefined;
      }}
    >
      <ListNote />
      <div class="sessions-all" style={{ height }}>
        {groups.map((one) => (
          <Group key={one.group.key} seen={one} />
        ))}
      </div>
      <EmptyNote />
    </div>
  );
}

/** After a key has moved on to a row that was not on the page. */
function useFocus(box: { readonly current: HTMLElement | null }, groups: readonly SeenGroup[]): void {
  const index = focusedRow.value;
  useLayoutEffect(() => {
    if (index === undefined) return;
    const active = document.activeElement;
    if (active !== document.body && !box.current?.contains(active)) return;
    const link = box.current?.querySelector<HTMLElement>(`[data-index="${index}"] > a`);
    if (link !== active) link?.focus({ preventScroll: true });
  }, [index, groups]);
}

/** The arrows go from row to row, over all that match. */
function onKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-index]') : null;
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = Number(row.dataset['index']);
  const last = (loaded.value?.report.matching ?? 1) - 1;
  const page = Math.max(1, Math.floor(viewHeight.value / rowPx.value) - 1);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  const next = steps[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const index = Math.max(0, Math.min(last, next));
  focusedRow.value = index;
  reveal(index);
}

function Group({ seen: { group, from, to } }: { readonly seen: SeenGroup }) {
  const { rows = new Map(), report } = loaded.value ?? {};
  const focused = focusedRow.value;
  const isFocusedHere =
    focused !== undefined && focused >= group.first && focused < group.first + group.count && !group.isFolded;
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  if (isFocusedHere && (focused < from || focused >= to)) numbers.push(focused);
  const name = nameOf(group, clock.value);
  return (
    <section class="sessions-group" aria-label={name} style={{ top: group.top, height: group.height }}>
      {group.headPx > 0 && (
        <h2 class="sessions-head">
          <button type="button" aria-expanded={!group.isFolded} onClick={() => fold(group)}>
            <span class="sessions-fold" aria-hidden="true">
              {group.isFolded ? '▸' : '▾'}
            </span>
            <span class="sessions-head-name">{name}</span> <span class="dim">{group.count}</span>
          </button>
        </h2>
      )}
      <ul>
        {numbers.map((index) => (
          <li
            key={index}
            class="sessions-row"
            data-index={index}
            aria-setsize={report?.matching}
            aria-posinset={index + 1}
            style={{ top: group.headPx + (index - group.first) * rowPx.value, height: rowPx.value }}
          >
            <SessionRow key={rows.get(index)?.id} row={rows.get(index)} index={index} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function fold({ key, isFolded }: PlacedGroup): void {
  const next = new Set(folded.value);
  if (isFolded) next.delete(key);
  else next.add(key);
  folded.value = next;
}

const DAY_MS = 86_400_000;

function nameOf({ kind, name }: PlacedGroup, now: number): string {
  if (kind === 'all') return 'All sessions';
  if (kind === 'at-work') return 'At work';
  if (kind === 'project') return name === null ? 'No project known' : cleanLine(name);
  return name === null ? 'No time known' : dayText(name, now);
}

/** `day`: as in 2026-11-15. */
export function dayText(day: string, now: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const at = new Date(year, month - 1, date);
  const today = new Date(now).setHours(0, 0, 0, 0);
  const days = Math.round((today - at.getTime()) / DAY_MS);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const isThisYear = year === new Date(now).getFullYear();
  return at.toLocaleDateString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  });
}

/** What else there is to say of the list: that nothing is in it, or that it is not all. */
function ListNote() {
  const { report } = loaded.value ?? {};
  const failure = listFailure.value;
  if (failure !== undefined)
    return (
      <p class="sessions-none sessions-failure" role="alert">
        The list cannot be read: {cleanLine(failure)}
      </p>
    );
  if (report?.problem) {
    const { message, remedy } = report.problem;
    return (
      <p class="sessions-none sessions-problem" role="status">
        {cleanLine(message)} {cleanLine(remedy)}
      </p>
    );
  }
  if (!picture.value || !report) return null;
  if (report.total === 0)
    return <p class="sessions-none">{picture.value.isComplete ? 'No session yet.' : 'Still reading…'}</p>;
  if (report.matching === 0) return <p class="sessions-none">No session matches.{unreadText(report.unread)}</p>;
  return null;
}

function unreadText(unread: number): string {
  return unread === 0 ? '' : ` ${plural(unread, 'session has', 'sessions have')} not been read yet.`;
}

/** Sessions without a conversation, such as terminals that were opened and closed again. */
export function EmptyNote() {
  const { emptySessions = 0 } = picture.value ?? {};
  if (emptySessions === 0) return null;
  return (
    <p class="sessions-none" title="Sessions in which nobody asked anything. To list them: troupe ls --empty">
      {plural(emptySessions, 'empty session')} not listed
    </p>
  );
}
