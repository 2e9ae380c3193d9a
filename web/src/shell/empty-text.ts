import { cleanLine, type LiveSnapshot } from '../../../src/core/index.ts';

/** Why there is nothing to see, and what to do. */
export interface EmptyText {
  readonly kind: 'no-token' | 'no-server' | 'connecting' | 'reading' | 'no-sessions' | 'no-match';
  readonly head: string;
  readonly lines: readonly string[];
  readonly places: readonly string[];
  /** To type into a terminal. */
  readonly command?: string;
}

export interface EmptyFacts {
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
