import { batch, effect, untracked } from '@preact/signals';
import { SESSION_GROUPS, SESSION_SORTS, type SessionGrouping, type SessionSort } from '../../src/core/index.ts';
import { type Filter, NO_FILTER, STATUS_WORDS } from './filter.ts';
import {
  type AgentRef,
  filter,
  graphZoom,
  grouping,
  message,
  pane,
  replayAt,
  type SearchIn,
  searchIn,
  selected,
  sort,
  timelineZoom,
  type ViewName,
  view,
} from './store.ts';

// Deep links: `#/race`, `#/graph/<session>`, `#/read/<session>/<agent>`, `#/read/<session>/<agent>/<message>`, and behind a `?` what the
// person chose: filters, order, the moment that is replayed, the zoom.

const VIEWS: readonly ViewName[] = ['race', 'graph', 'timeline', 'read', 'guard', 'cost'];

export interface Place {
  readonly view: ViewName;
  readonly ref: AgentRef | undefined;
  /** Only in the reader. */
  readonly message: number | undefined;
}

export interface Choices {
  readonly filter: Filter;
  readonly sort: SessionSort;
  readonly grouping: SessionGrouping;
  readonly searchIn: SearchIn;
  /** Epoch milliseconds. */
  readonly replayAt: number | undefined;
  /** Of the session of the place. */
  readonly timelineZoom: { readonly from: number; readonly to: number } | undefined;
  readonly graphZoom: { readonly x: number; readonly y: number; readonly k: number } | undefined;
}

/** Browsers let a page change its address about a hundred times in half a minute. */
const ADDRESS_MS = 400;

/** The address and the store follow each other. */
export function startRouting(target: Window): void {
  const take = (): void => {
    const place = placeIn(target.location.hash);
    const choices = choicesIn(target.location.hash);
    const session = place.ref?.session;
    // In one go: half of a step must not become an address of its own.
    batch(() => {
      view.value = place.view;
      selected.value = place.ref;
      message.value = place.message;
      pane.value = place.ref && place.view !== 'read' ? pane.value : 'view';
      filter.value = choices.filter;
      sort.value = choices.sort;
      grouping.value = choices.grouping;
      searchIn.value = choices.searchIn;
      replayAt.value = choices.replayAt;
      timelineZoom.value = choices.timelineZoom && { session, ...choices.timelineZoom };
      graphZoom.value = choices.graphZoom && { session, ...choices.graphZoom };
    });
  };
  take();
  target.addEventListener('hashchange', take);
  let before: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const replace = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const hash = untracked(addressNow);
    if (hash !== target.location.hash) target.history.replaceState(undefined, '', hash);
  };
  effect(() => {
    const hash = addressNow();
    const place = { view: view.value, ref: selected.value, message: undefined };
    // The first one only puts the address in order, and moving on within a transcript is no step of its own.
    const isStep = before !== undefined && hashOf(place) !== before;
    const isMoved = hashOf(place) !== hashOf({ ...placeIn(target.location.hash), message: undefined });
    before = hashOf(place);
    if (isStep && isMoved) {
      clearTimeout(timer);
      timer = undefined;
      target.history.pushState(undefined, '', hash);
    } else timer ??= setTimeout(replace, ADDRESS_MS);
  });
}

function addressNow(): string {
  const place = { view: view.value, ref: selected.value, message: message.value };
  const session = selected.value?.session;
  const [window, camera] = [timelineZoom.value, graphZoom.value];
  return `${hashOf(place)}${formatChoices({
    ...{ filter: filter.value, sort: sort.value, grouping: grouping.value, searchIn: searchIn.value },
    // The moment, the window and the camera are those of a session, which the address has to name.
    replayAt: session === undefined ? undefined : replayAt.value,
    timelineZoom: session !== undefined && window?.session === session ? window : undefined,
    graphZoom: session !== undefined && camera?.session === session ? camera : undefined,
  })}`;
}

export function hashOf({ view: name, ref, message: at }: Place): string {
  const isAt = name === 'read' && at !== undefined;
  const who = ref ? [ref.session, ...(ref.agent === ref.session && !isAt ? [] : [ref.agent])] : [];
  return `#/${[name, ...who, ...(ref && isAt ? [String(at)] : [])].map(encode).join('/')}`;
}

export function placeIn(hash: string): Place {
  const [path = ''] = hash.split('?', 1);
  const [name, session, agent, at] = path.slice(2).split('/').map(decode);
  const known = VIEWS.find((one) => one === name) ?? 'race';
  return {
    view: known,
    ref: session ? { session, agent: agent || session } : undefined,
    message: known === 'read' && at !== undefined && /^\d{1,9}$/.test(at) ? Number(at) : undefined,
  };
}

/** What is as at the beginning is left out. */
export function formatChoices(choices: Choices): string {
  const { text, host, project, status } = choices.filter;
  const [window, camera] = [choices.timelineZoom, choices.graphZoom];
  const given: readonly (readonly [string, string | undefined])[] = [
    ['q', text === '' ? undefined : text],
    ['host', host],
    ['project', project],
    ['status', status],
    ['sort', choices.sort === 'time' ? undefined : choices.sort],
    ['group', choices.grouping === 'day' ? undefined : choices.grouping],
    ['in', choices.searchIn === 'sessions' ? undefined : choices.searchIn],
    ['at', choices.replayAt === undefined ? undefined : String(Math.round(choices.replayAt))],
    ['window', window && `${Math.round(window.from)}-${Math.round(window.to)}`],
    ['camera', camera && [camera.x.toFixed(0), camera.y.toFixed(0), camera.k.toFixed(3)].join('_')],
  ];
  const query = new URLSearchParams();
  for (const [name, value] of given) if (value !== undefined) query.append(name, value);
  const written = query.toString();
  return written === '' ? '' : `?${written}`;
}

/** A hand-written address may hold anything: what cannot be is as if it were not there. */
export function choicesIn(hash: string): Choices {
  const at = hash.indexOf('?');
  const query = new URLSearchParams(at === -1 ? '' : hash.slice(at + 1));
  const word = (name: string): string | undefined => query.get(name) ?? undefined;
  const number = (name: string): number | undefined =>
    /^\d{1,15}$/.test(word(name) ?? '') ? Number(word(name)) : undefined;
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(word('window') ?? '') ?? [];
  const [, x, y, k] = /^(-?\d{1,9})_(-?\d{1,9})_(\d{1,3}\.\d{3})$/.exec(word('camera') ?? '') ?? [];
  const isWindow = from !== undefined && to !== undefined && Number(to) > Number(from);
  const isCamera = x !== undefined && y !== undefined && k !== undefined && Number(k) > 0;
  const status = (Object.keys(STATUS_WORDS) as (keyof typeof STATUS_WORDS)[]).find((one) => one === word('status'));
  return {
    filter: { ...NO_FILTER, text: word('q') ?? '', host: word('host'), project: word('project'), status },
    sort: SESSION_SORTS.find((one) => one === word('sort')) ?? 'time',
    grouping: SESSION_GROUPS.find((one) => one === word('group')) ?? 'day',
    searchIn: word('in') === 'messages' ? 'messages' : 'sessions',
    replayAt: number('at'),
    timelineZoom: isWindow ? { from: Number(from), to: Number(to) } : undefined,
    graphZoom: isCamera ? { x: Number(x), y: Number(y), k: Number(k) } : undefined,
  };
}

/** Ids come from files, and may hold half a character. */
function encode(part: string): string {
  return encodeURIComponent(
    part.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'),
  );
}

/** A hand-written address may hold anything. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
