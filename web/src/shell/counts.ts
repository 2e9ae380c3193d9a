import { computed, effect } from '@preact/signals';
import {
  agentsOf,
  cleanLine,
  countStandings,
  type LiveSnapshot,
  PLAIN,
  paintMark,
  type SessionDetail,
  type Standing,
  standingOf,
} from '../../../src/core/index.ts';
import { type AgentRef, lostSince, picture } from '../store.ts';

export type CountName = 'working' | 'needs-you' | 'silent';

/** One part of the answer at a glance. */
export interface Count {
  readonly name: CountName;
  readonly mark: string;
  readonly count: number;
  /** Behind the number. */
  readonly word: string;
}

const COUNTED: readonly { readonly name: CountName; readonly standings: readonly [Standing, ...Standing[]] }[] = [
  { name: 'working', standings: ['running', 'spawning'] },
  { name: 'needs-you', standings: ['needs you'] },
  { name: 'silent', standings: ['silent'] },
];

/** How many work, does one need the person, is one stuck. Whom nobody is counted for is left out. */
export function countsOf(picture: LiveSnapshot | undefined): readonly Count[] {
  if (!picture) return [];
  const standings = countStandings(picture);
  return COUNTED.map(({ name, standings: those }) => {
    const count = those.reduce((sum, standing) => sum + (standings.get(standing) ?? 0), 0);
    return { name, mark: paintMark(those[0], PLAIN), count, word: wordOf(name, count) };
  }).filter(({ count }) => count > 0);
}

function wordOf(name: CountName, count: number): string {
  if (name === 'needs-you') return count === 1 ? 'needs you' : 'need you';
  return name;
}

/** The next one behind `from` who stands so, in the order of the list; from the last one on to the first. */
export function nextOf(
  name: CountName,
  sessions: readonly SessionDetail[],
  from: AgentRef | undefined,
): AgentRef | undefined {
  const wanted: readonly Standing[] = COUNTED.find((one) => one.name === name)?.standings ?? [];
  const agents = sessions.flatMap((session) => agentsOf(session));
  const at = agents.findIndex(({ id, sessionId }) => id === from?.agent && sessionId === from.session);
  const found = [...agents.slice(at + 1), ...agents.slice(0, at + 1)].find(
    (agent) => agent.kind !== 'internal' && wanted.includes(standingOf(agent)),
  );
  return found && { session: found.sessionId, agent: found.id };
}

export const counts = computed(() => countsOf(picture.value));

const NEEDS_YOU = '#ffb000';

/** The title and the icon of the page say it, too: the page is mostly behind another one. */
export function startPageHead(page: Document): void {
  const link = page.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const plain = link?.href;
  effect(() => {
    page.title = titleText(counts.value, lostSince.value !== undefined);
  });
  const needsYou = computed(() => counts.value.some(({ name }) => name === 'needs-you'));
  effect(() => {
    if (link && plain !== undefined) link.href = needsYou.value ? iconWithDot(NEEDS_YOU) : plain;
  });
}

/** The icon of the page with a dot on it, where somebody needs the person. Nothing of a transcript is in it. */
function iconWithDot(colour: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#20242c"/><g fill="none" stroke="#8b93a1" stroke-width="1.5"><path d="M8 16h6M14 16V9h4M14 16v7h4"/></g><circle cx="8" cy="16" r="3.2" fill="#d8dce3"/><circle cx="21" cy="23" r="3.2" fill="#e69f00"/><circle cx="23" cy="9" r="8.5" fill="${colour}" stroke="#20242c" stroke-width="2"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** What a person sees of the page while another one is in front: who needs them, else who is stuck, else who works. */
export function titleText(counts: readonly Count[], isLost: boolean): string {
  if (isLost) return 'no connection · troupe';
  const count = (['needs-you', 'silent', 'working'] as const)
    .map((name) => counts.find((one) => one.name === name))
    .find((one) => one !== undefined);
  return count ? `${count.mark} ${count.count} ${count.word} · troupe` : 'troupe';
}

/** Why there is nothing to see, and what to do. */
export interface EmptyText {
  readonly kind: 'no-token' | 'no-server' | 'connecting' | 'reading' | 'no-sessions' | 'no-match';
  readonly head: string;
  readonly lines: readonly string[];
  readonly places: readonly string[];
  /** To type into a terminal. */
  readonly command?: string;
}

interface EmptyFacts {
  readonly picture: LiveSnapshot | undefined;
  readonly visible: number;
  readonly isLost: boolean;
  readonly isTokenMissing: boolean;
}

/** Nothing where there is something to see. */
export function emptyText({ picture, visible, isLost, isTokenMissing }: EmptyFacts): EmptyText | undefined {
  if (!picture) {
    if (isTokenMissing) return NO_TOKEN;
    return isLost ? NO_SERVER : CONNECTING;
  }
  const places = picture.places.map(cleanLine);
  if (picture.sessions.length === 0) return picture.isComplete ? noSessions(picture, places) : reading(places);
  if (visible === 0) return NO_MATCH;
  return undefined;
}

const NO_TOKEN: EmptyText = {
  kind: 'no-token',
  head: 'This browser is not logged in.',
  lines: ['To log in, type this in a terminal:'],
  places: [],
  command: 'troupe open',
};

const NO_SERVER: EmptyText = {
  kind: 'no-server',
  head: 'No connection to troupe.',
  lines: ['It is tried again and again. If the server was ended, start it:'],
  places: [],
  command: 'troupe',
};

const CONNECTING: EmptyText = { kind: 'connecting', head: 'Connecting…', lines: [], places: [] };

const NO_MATCH: EmptyText = {
  kind: 'no-match',
  head: 'Nothing matches the filter.',
  lines: ['Clear it with the button or with escape.'],
  places: [],
};

function reading(places: readonly string[]): EmptyText {
  return { kind: 'reading', head: 'Still reading…', lines: ['Sessions appear as they are read. Looking in:'], places };
}

function noSessions({ olderTotal }: LiveSnapshot, places: readonly string[]): EmptyText {
  const older = olderTotal > 0 ? ['There are older ones: see «Older» in the list of sessions.'] : [];
  return {
    kind: 'no-sessions',
    head: 'No session here yet.',
    lines: [
      'Start a coding agent in any project, and it appears here by itself.',
      ...older,
      places.length > 0 ? 'Looked in:' : 'Looked nowhere: no data folder of a host was found.',
    ],
    places,
    command: 'troupe --demo',
  };
}
