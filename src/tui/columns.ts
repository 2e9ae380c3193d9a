import {
  type AgentReport,
  type Cell,
  callsText,
  cleanLine,
  contextText,
  cutTo,
  formatAge,
  formatCell,
  isBusy,
  isSessionBusy,
  linkText,
  outputText,
  type Paint,
  PLAIN,
  paintMark,
  paintWord,
  plural,
  runsText,
  type Standing,
  sessionStanding,
  sessionTimeText,
  shortId,
  standingOf,
  timeText,
  typeText,
  watchedDoing,
  widthOf,
} from '../core/index.ts';
import { padTo } from './paint.ts';
import type { AgentRow, SessionRow, WatchRow } from './rows.ts';

type ColumnName = keyof typeof COLUMNS;

export interface PlacedColumn {
  readonly name: ColumnName;
  readonly width: number;
}

interface Column {
  readonly width?: number;
  /** On a screen that is not wide: times without spaces («12m»), types cut off. */
  readonly narrow?: number;
  readonly isRight?: boolean;
}

/**
 * From left to right. Whoever has no width shares what the others leave. The type stands behind what is being done: who is
 * done does nothing, and so has room for a long label.
 */
const COLUMNS = {
  status: { width: 11 },
  agent: {},
  doing: {},
  type: { width: 17, narrow: 8 },
  model: { width: 20 },
  calls: { width: 5, isRight: true },
  context: { width: 9, isRight: true },
  output: { width: 6, isRight: true },
  time: { width: 6, narrow: 4, isRight: true },
  last: { width: 6, narrow: 4, isRight: true },
  id: { width: 8 },
  link: { width: 20 },
} satisfies Readonly<Record<string, Column>>;

/** Most wanted first; each with the room that «agent» and «doing» must keep between them for it to be shown. */
const WANTED: readonly (readonly [ColumnName, number])[] = [
  ['output', 20],
  ['time', 24],
  ['last', 28],
  ['type', 32],
  ['context', 48],
  ['calls', 60],
  ['model', 62],
  ['id', 64],
  ['link', 64],
];

const WIDE = 120;

export function isNarrow(screen: number): boolean {
  return screen < WIDE;
}

const AGENT_SHARE = 0.57;
const GAP = 2;
/** For the mark of the selected row. */
export const MARGIN = 1;

/** By the width of the screen alone: text that arrives never moves a column. */
export function placeColumns(screen: number): readonly PlacedColumn[] {
  const width = screen - MARGIN;
  // On a sliver of a screen the mark alone tells the status.
  const widths = new Map<ColumnName, number>([['status', width < 36 ? 1 : 11]]);
  let room = width - (widths.get('status') ?? 0) - GAP;
  for (const [name, needed] of WANTED) {
    const column: Column = COLUMNS[name];
    const own = (isNarrow(screen) ? column.narrow : undefined) ?? column.width ?? 0;
    if (room - own - GAP < needed) break;
    widths.set(name, own);
    room -= own + GAP;
  }
  if (room >= 24) {
    const agent = Math.ceil((room - GAP) * AGENT_SHARE);
    widths.set('agent', agent);
    widths.set('doing', room - GAP - agent);
  } else widths.set('agent', Math.max(0, room));
  return (Object.keys(COLUMNS) as ColumnName[]).flatMap((name) => {
    const own = widths.get(name);
    return own === undefined ? [] : { name, width: own };
  });
}

/** How wide a cell is that goes over all of these, as far as they are shown. They stand side by side. */
export function spanOf(columns: readonly PlacedColumn[], names: readonly ColumnName[]): number {
  const spanned = columns.filter(({ name }) => names.includes(name));
  return spanned.reduce((sum, { width }) => sum + width + GAP, -GAP);
}

/** One line: every cell in its column. A cell may span the columns behind its own, up to the next that has a cell. */
export function formatColumns(columns: readonly PlacedColumn[], cells: Cells): string {
  const parts: string[] = [];
  for (let at = 0; at < columns.length; ) {
    const { name, width } = columns[at] as PlacedColumn;
    let end = at + 1;
    let own = width;
    for (let next = columns[end]; next && cells[next.name] === undefined; next = columns[++end])
      own += GAP + next.width;
    const { isRight }: Column = COLUMNS[name];
    parts.push(formatCell(cells[name] ?? { text: '' }, own, isRight ? 'right' : 'left'));
    at = end;
  }
  return parts.join(' '.repeat(GAP));
}

type Cells = Partial<Readonly<Record<ColumnName, Cell>>>;

interface CellOptions {
  readonly paint: Paint;
  readonly now: number;
  /** The status is a mark without a word. */
  readonly isMarkOnly: boolean;
  /** There is little room: times are written without spaces. */
  readonly isNarrow: boolean;
  /** Columns that the heading of a session may take: those of agent, doing and type. */
  readonly headWidth: number;
  /** There is a column for the time since the last word; where not, a silence stands with what is being done. */
  readonly hasLast: boolean;
}

const same = (text: string): string => text;

export function cellsOf(row: WatchRow, options: CellOptions): Cells {
  return row.kind === 'session' ? sessionCells(row, options) : agentCells(row, options);
}

function agentCells({ agent, stem, fold, inside }: AgentRow, options: CellOptions): Cells {
  const { paint, now } = options;
  const fade = isBusy(agent) ? same : paint.dim;
  // How many are hidden stands first: the end of a long label is cut off.
  const indent = `  ${stem}${fold === 'folded' ? `▸ +${inside} ` : ''}`;
  // A dotted line alone is easily overlooked.
  const isDoubtful = agent.evidence?.rank === 'guess' || agent.evidence?.rank === 'none';
  const name = agent.kind === 'main' ? 'main' : `${isDoubtful ? '? ' : ''}${cleanLine(agent.label)}`;
  const doing = doingCell(agent, options);
  const time = timeText(agent, now);
  const inHue = agent.kind === 'main' ? paint.bold : (text: string) => fade(paint.agent(agent.hue, text));
  return {
    status: statusCell(standingOf(agent), options),
    agent: {
      text: `${indent}${name}${runsText(agent)}`,
      paint: (text) => paint.dim(text.slice(0, indent.length)) + inHue(text.slice(indent.length)),
    },
    // Who is done and has nothing more to say leaves the room to the label.
    ...((isBusy(agent) || doing.text !== '') && { doing }),
    ...(hasType(agent, options) && { type: { text: cleanLine(typeText(agent)), paint: paint.dim } }),
    model: { text: cleanLine(agent.model ?? '–'), paint: paint.dim },
    calls: { text: callsText(agent), paint: fade },
    context: contextCell(agent, paint),
    output: { text: outputText(agent), paint: fade },
    time: { text: shorten(isBusy(agent) ? wholeSeconds(time) : time, options), paint: fade },
    last: lastCell(agent, options),
    id: { text: cleanLine(shortId(agent.id)), paint: paint.dim },
    link: { text: linkText(agent), paint: paint.yellow },
  };
}

/** A main agent has none; and where there is little room, what the person is needed for comes first. */
function hasType(agent: AgentReport, { isNarrow }: CellOptions): boolean {
  return agent.kind !== 'main' && !(isNarrow && standingOf(agent) === 'needs you');
}

function sessionCells(row: SessionRow, options: CellOptions): Cells {
  const { session, fold } = row;
  const { paint, now } = options;
  const { main, usage, usageIsLowerBound, lastActivityAt } = session;
  const isAlone = fold === 'leaf';
  const isQuiet = !isSessionBusy(session);
  const fade = isQuiet ? paint.dim : same;
  const time = sessionTimeText(session, now);
  return {
    status: statusCell(sessionStanding(session), options),
    ...(isAlone && isBusy(main)
      ? { agent: headCell(row, [], options), doing: doingCell(main, options) }
      : { agent: headCell(row, factsOf(session, options), options) }),
    model: { text: cleanLine(`${session.host} ${session.hostVersion ?? ''}`), paint: paint.dim },
    calls: { text: isAlone ? callsText(main) : '', paint: fade },
    context: isAlone ? contextCell(main, paint) : { text: '' },
    output: { text: outputText({ usage, usageIsLowerBound }), paint: fade },
    time: { text: shorten(isQuiet ? time : wholeSeconds(time), options), paint: fade },
    last: { text: sinceText(lastActivityAt, options), paint: paint.dim },
    id: { text: cleanLine(shortId(session.id)), paint: paint.dim },
    link: { text: '' },
  };
}

/** Project and title, and at the right edge as many of the facts as leave the title readable. */
function headCell({ session, fold }: SessionRow, facts: readonly string[], { paint, headWidth }: CellOptions): Cell {
  const mark = { open: '▾ ', folded: '▸ ', leaf: '· ' }[fold];
  const name = mark + cleanLine(session.project ?? shortId(session.id));
  const whole = session.title === null ? name : `${name}  ${cleanLine(session.title)}`;
  const fitting = facts
    .map((_, dropped) => `  ${facts.slice(0, facts.length - dropped).join(' · ')}`)
    .find((text) => widthOf(text) + MIN_HEAD <= headWidth);
  const head = fitting === undefined ? whole : cutTo(whole, headWidth - widthOf(fitting));
  return {
    text: fitting === undefined ? head : padTo(head, headWidth - widthOf(fitting)) + fitting,
    paint: (text) =>
      paint.dim(text.slice(0, mark.length)) +
      paint.bold(text.slice(mark.length, name.length)) +
      text.slice(name.length, head.length) +
      paint.dim(text.slice(head.length)),
  };
}

const MIN_HEAD = 26;

/** How many agents, when they were last heard of, and of which host: the most telling first. */
function factsOf(session: SessionRow['session'], { now, hasLast }: CellOptions): readonly string[] {
  const { agents, running } = session;
  const host = cleanLine(session.host);
  if (running > 0) return [`${running} of ${agents} at work`, host];
  return [...(hasLast ? [] : [formatAge(session.lastActivityAt, now)]), plural(agents, 'agent'), host];
}

/** What still grows is not shown in tenths: they would only flicker. */
function wholeSeconds(duration: string): string {
  return duration.replace(/\.\d s$/, ' s');
}

function sinceText(iso: string | null, options: CellOptions): string {
  return shorten(formatAge(iso, options.now).replace(/ ago$/, ''), options);
}

/** 12 min, or where there is little room 12m. */
function shorten(duration: string, { isNarrow }: CellOptions): string {
  return isNarrow ? duration.replace(/ ([smhd])(?:in)?$/, '$1') : duration;
}

function statusCell(standing: Standing, { paint, isMarkOnly }: CellOptions): Cell {
  const mark = paintMark(standing, PLAIN);
  return {
    text: isMarkOnly ? mark : `${mark} ${standing}`,
    paint: (text) => paintMark(standing, paint) + paintWord(standing, text.slice(mark.length), paint),
  };
}

function doingCell(agent: AgentReport, { paint, now, hasLast }: CellOptions): Cell {
  const standing = standingOf(agent);
  const text = cleanLine(watchedDoing(agent, hasLast ? undefined : now));
  const isLoud = standing === 'needs you' || standing === 'silent';
  return { text, paint: isLoud ? paint.yellow : isBusy(agent) && standing !== 'waiting' ? same : paint.dim };
}

/** What is said of a context that is nearly full. */
const NEARLY_FULL = 0.85;

function contextCell(agent: AgentReport, paint: Paint): Cell {
  const { contextTokens, contextWindow } = agent;
  const isFull = contextTokens !== null && contextWindow !== null && contextTokens > NEARLY_FULL * contextWindow;
  return { text: contextText(agent), paint: isFull && isBusy(agent) ? paint.yellow : paint.dim };
}

/** Only of those at work: of the others, the time they took says it. */
function lastCell(agent: AgentReport, options: CellOptions): Cell {
  const { paint } = options;
  if (!isBusy(agent) || agent.lastActivityAt === null) return { text: '' };
  return {
    text: sinceText(agent.lastActivityAt, options),
    paint: agent.stalled ? (it) => paint.bold(paint.yellow(it)) : paint.dim,
  };
}
