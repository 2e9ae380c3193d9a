import { cleanLine, type LiveSnapshot } from '../../../src/core/index.ts';

/** Why there is nothing to see, and what to do. */
export interface EmptyText {
  readonly kind: 'no-token' | 'no-server' | 'connecting' | 'reading' | 'no-sessions' | 'no-match' | 'choose';
  readonly head: string;
  readonly lines: readonly string[];
  readonly places: readonly string[];
  /** To type into a terminal. */
  readonly command?: string;
}

export interface EmptyFacts {
  readonly picture: LiveSnapshot | undefined;
  /** Of those that are followed, how many match; and of all that there are. */
  readonly visible: number;
  readonly matching: number;
  readonly selection: 'none' | 'read' | 'being-read';
  readonly isLost: boolean;
  readonly isTokenMissing: boolean;
}

/** Nothing where there is something to see. */
export function emptyText({
  picture,
  visible,
  matching,
  selection,
  isLost,
  isTokenMissing,
}: EmptyFacts): EmptyText | undefined {
  if (!picture) {
    if (isTokenMissing) return NO_TOKEN;
    return isLost ? NO_SERVER : CONNECTING;
  }
  const places = [...new Set(picture.places)].map(cleanLine);
  if (selection === 'being-read') return READING_ONE;
  if (picture.sessions.length === 0) return picture.isComplete ? noSessions(picture, places) : reading(places);
  if (visible === 0 && selection === 'none') return matching > 0 ? CHOOSE : NO_MATCH;
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

const CHOOSE: EmptyText = {
  kind: 'choose',
  head: 'Choose a session.',
  lines: ['Those that match the filter are not followed at the moment. Choose one in the list to read it.'],
  places: [],
};
const READING_ONE: EmptyText = { kind: 'reading', head: 'Reading this session…', lines: [], places: [] };

function reading(places: readonly string[]): EmptyText {
  return { kind: 'reading', head: 'Still reading…', lines: ['Sessions appear as they are read. Looking in:'], places };
}

function noSessions({ olderTotal }: LiveSnapshot, places: readonly string[]): EmptyText {
  const start = 'Start a coding agent in any project, and it appears here by itself.';
  if (olderTotal > 0)
    return {
      kind: 'no-sessions',
      head: 'No session in the last day.',
      lines: [start, 'To read an older one, choose it in the list of sessions.'],
      places: [],
    };
  return {
    kind: 'no-sessions',
    head: 'No session here yet.',
    lines: [start, places.length > 0 ? 'Looked in:' : 'Looked nowhere: no data folder of a host was found.'],
    places,
    command: 'troupe --demo',
  };
}
