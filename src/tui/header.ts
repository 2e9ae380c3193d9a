import {
  cleanLine,
  clockText,
  countStandings,
  type FeedSource,
  type LiveSnapshot,
  type Paint,
  paintMark,
  paintWord,
  type Standing,
  widthOf,
} from '../core/index.ts';
import { spread, withoutColours } from './fit.ts';

export interface HeaderFacts {
  readonly source: FeedSource;
  readonly now: number;
}

/** The answer at a glance: how many work, does one need the person, is one stuck. */
export function formatHeader(
  picture: LiveSnapshot | undefined,
  { source, now }: HeaderFacts,
  columns: number,
  paint: Paint,
): string {
  const { urgent, others } = picture ? formatCounts(picture, paint) : { urgent: [], others: [] };
  // What is lost comes before everything else: all the rest may be old.
  const lost = source.isLost ? [paint.bold(paint.yellow(`⚠ ${cleanLine(source.text)}`))] : [];
  const isReading = picture?.isComplete === false;
  const clock = clockText(now);
  const from = source.isLost ? [] : [cleanLine(source.text)];
  const where = [...(isReading ? ['still reading'] : []), ...from, clock].join(' · ');
  return longest({ urgent: [...lost, ...urgent], others }, paint.bold('troupe'), [where, clock], columns, paint);
}

interface Counts {
  readonly urgent: readonly string[];
  readonly others: readonly string[];
}

/** Where it is narrow: first the source goes, then what is not urgent, then the clock, then our name. */
function longest({ urgent, others }: Counts, name: string, rights: readonly string[], columns: number, paint: Paint) {
  const clock = rights.at(-1) ?? '';
  const choices: readonly (readonly [left: readonly string[], right: string])[] = [
    ...rights.map((right) => [[name, ...urgent, ...others], right] as const),
    ...others.map((_, at) => [[name, ...urgent, ...others.slice(0, others.length - at - 1)], clock] as const),
    [[name, ...urgent], ''],
    [urgent, ''],
  ];
  const fits = ([left, right]: (typeof choices)[number]): boolean =>
    widthOf(withoutColours(left.join('  '))) + (right === '' ? 0 : right.length + 2) <= columns;
  const [left, right] = choices.find(fits) ?? [urgent, ''];
  return spread(left.join('  '), paint.dim(right), columns);
}

function formatCounts(picture: LiveSnapshot, paint: Paint): Counts {
  const counts = countStandings(picture);
  const parts = COUNTED.flatMap(({ standings, word, isUrgent }) => {
    const [first] = standings;
    const count = standings.reduce((sum, standing) => sum + (counts.get(standing) ?? 0), 0);
    const said = `${count} ${word === 'needs you' && count > 1 ? 'need you' : word}`;
    return count === 0 ? [] : { isUrgent, text: `${paintMark(first, paint)} ${paintWord(first, said, paint)}` };
  });
  const textsOf = (isUrgent: boolean) => parts.filter((part) => part.isUrgent === isUrgent).map(({ text }) => text);
  const urgent = textsOf(true);
  const isCalm = urgent.length === 0 && picture.isComplete;
  return { urgent: isCalm ? [paint.dim('nobody at work')] : urgent, others: textsOf(false) };
}

/** From left to right. */
const COUNTED: readonly {
  readonly standings: readonly [Standing, ...Standing[]];
  readonly word: string;
  readonly isUrgent: boolean;
}[] = [
  { standings: ['running', 'spawning'], word: 'working', isUrgent: true },
  { standings: ['needs you'], word: 'needs you', isUrgent: true },
  { standings: ['silent'], word: 'silent', isUrgent: true },
  { standings: ['failed'], word: 'failed', isUrgent: false },
  { standings: ['completed'], word: 'done', isUrgent: false },
  { standings: ['waiting'], word: 'waiting', isUrgent: false },
  { standings: ['idle'], word: 'idle', isUrgent: false },
];
