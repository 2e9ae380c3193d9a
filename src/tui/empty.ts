import {
  agentsOf,
  cleanLine,
  cutTo,
  type FeedSource,
  isBusy,
  type LiveSnapshot,
  type Paint,
  plural,
  type WatchView,
} from '../core/index.ts';

export interface EmptyFacts {
  readonly source: FeedSource;
  /** Only this session was asked for. */
  readonly session?: string;
}

/** Instead of rows, where there is none: what is the matter, and what to do. */
export function formatEmpty(
  picture: LiveSnapshot | undefined,
  view: WatchView,
  { source, session }: EmptyFacts,
  paint: Paint,
): readonly string[] {
  const [head, ...rest] = textOf(picture, view, cleanLine(source.text), session);
  return ['', `  ${paint.bold(head ?? '')}`, '', ...rest.map((line) => `  ${line}`)];
}

function textOf(
  picture: LiveSnapshot | undefined,
  view: WatchView,
  source: string,
  session: string | undefined,
): readonly string[] {
  if (!picture) return ['Waiting for the first picture.', `It comes from: ${source}`];
  const older = picture.olderTotal > 0 ? [`${plural(picture.olderTotal, 'older session')}: troupe ls`] : [];
  if (picture.sessions.length === 0) {
    const places = picture.places.map((place) => `  ${cleanLine(place)}`);
    if (!picture.isComplete) return ['Still reading.', 'Looking in:', ...places];
    if (session !== undefined) return unknownSession(picture, session);
    return [
      'No session here yet.',
      'Looked in:',
      ...(places.length > 0 ? places : ['  nowhere: no data folder of a host was found']),
      '',
      'Start a coding agent in any project, and it appears here by itself.',
      'To see what it looks like: troupe watch --demo',
      ...older,
    ];
  }
  if (view.filter !== '') {
    return [`Nothing matches «${cutTo(cleanLine(view.filter), 40)}».`, 'Press esc to clear the filter.'];
  }
  const hidden = picture.sessions.flatMap(agentsOf).filter((agent) => !isBusy(agent)).length;
  return ['Nobody is at work.', `${plural(hidden, 'finished agent')} hidden: press a to see them.`];
}

function unknownSession({ older, places }: LiveSnapshot, session: string): readonly string[] {
  const wanted = cutTo(cleanLine(session), 40);
  if (older.some(({ id }) => id.startsWith(session))) {
    return [
      `Session «${wanted}» is one of the older ones, and not followed.`,
      `Look at it with: troupe tree ${wanted}`,
    ];
  }
  return [
    `No session begins with «${wanted}».`,
    'Looked in:',
    ...places.map((place) => `  ${cleanLine(place)}`),
    '',
    'It appears here as soon as it is there. See all of them: troupe ls',
  ];
}
