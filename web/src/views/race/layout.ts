import { agentKey, isSessionBusy, type SessionDetail, sessionKey } from '../../../../src/core/index.ts';
import { type Block, type BlockOptions, createBlocks, type Lane, type LaneHeights } from './block.ts';

/** What the race shows, from top to bottom. */
export interface Layout {
  readonly blocks: readonly PlacedBlock[];
  /** The row that opens the sessions from before; undefined where there are none. */
  readonly earlier: EarlierRow | undefined;
  readonly height: number;
  /** Lanes by key. */
  readonly places: ReadonlyMap<string, Place>;
}

export interface PlacedBlock {
  readonly block: Block;
  readonly top: number;
}

export interface Place {
  readonly lane: Lane;
  readonly y: number;
}

export interface EarlierRow {
  readonly y: number;
  readonly height: number;
  readonly count: number;
  readonly isOpen: boolean;
}

export interface LayoutOptions extends Omit<BlockOptions, 'heights'> {
  readonly heights: LaneHeights & { readonly gap: number; readonly earlier: number };
  /** A moment of the past is shown: then all of it is current. */
  readonly isReplay: boolean;
  /** Whether the person opened the earlier sessions; undefined: as it comes. */
  readonly opensEarlier: boolean | undefined;
}

/** After this long without a word a session has left the race. */
const CURRENT_MS = 30 * 60_000;

/** The returned function keeps what did not change, so that the parts of the race can skip it. */
export function createLayout(): (sessions: readonly SessionDetail[], options: LayoutOptions) => Layout {
  const blockOf = createBlocks();
  let last: Layout | undefined;
  return (sessions, options) => {
    const { heights, isReplay, now } = options;
    const isCurrent = (session: SessionDetail): boolean => isReplay || isInRace(session, now);
    const current = newestFirst(sessions.filter(isCurrent), 'startedAt');
    const past = newestFirst(
      sessions.filter((session) => !isCurrent(session)),
      'lastActivityAt',
    );
    const isOpen = options.opensEarlier ?? current.length === 0;
    const blocks: PlacedBlock[] = [];
    let y = heights.gap;
    const place = (session: SessionDetail): void => {
      const block = blockOf(session, options);
      blocks.push({ block, top: y });
      y += block.height + heights.gap;
    };
    current.forEach(place);
    const earlier = past.length > 0 ? { y, height: heights.earlier, count: past.length, isOpen } : undefined;
    if (earlier) y += earlier.height + heights.gap;
    if (earlier && isOpen) past.forEach(place);
    blockOf.keep(new Set(sessions.map(sessionKey)));
    if (!last || !isSame(last, blocks, earlier)) last = layoutFrom(blocks, earlier, y);
    return last;
  };
}

function isSame(last: Layout, blocks: readonly PlacedBlock[], earlier: EarlierRow | undefined): boolean {
  return (
    last.blocks.length === blocks.length &&
    last.blocks.every(({ block, top }, at) => block === blocks[at]?.block && top === blocks[at]?.top) &&
    last.earlier?.y === earlier?.y &&
    last.earlier?.count === earlier?.count &&
    last.earlier?.isOpen === earlier?.isOpen
  );
}

export function isInRace(session: SessionDetail, now: number): boolean {
  if (isSessionBusy(session)) return true;
  return session.lastActivityAt !== null && now - Date.parse(session.lastActivityAt) < CURRENT_MS;
}

/** By a time that does not change while they live, so that nobody changes places. */
function newestFirst(sessions: readonly SessionDetail[], by: 'startedAt' | 'lastActivityAt'): readonly SessionDetail[] {
  return [...sessions].sort(
    (a, b) => (b[by] ?? '').localeCompare(a[by] ?? '') || agentKey(a.main).localeCompare(agentKey(b.main)),
  );
}

/** The index is made when somebody looks something up. */
function layoutFrom(blocks: readonly PlacedBlock[], earlier: EarlierRow | undefined, height: number): Layout {
  let places: ReadonlyMap<string, Place> | undefined;
  return {
    blocks,
    earlier,
    height,
    get places() {
      places ??= placesOf(blocks);
      return places;
    },
  };
}

function placesOf(blocks: readonly PlacedBlock[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { block, top } of blocks) for (const lane of block.lanes) places.set(lane.key, { lane, y: top + lane.y });
  return places;
}

/** Those that a window onto the lanes shows, at least in part. */
export function placesWithin({ blocks }: Layout, from: number, to: number): readonly Place[] {
  const found: Place[] = [];
  for (const { block, top } of blocks) {
    if (top > to) break;
    if (top + block.height < from) continue;
    for (let at = firstBelow(block.lanes, from - top); at < block.lanes.length; at++) {
      const lane = block.lanes[at];
      if (!lane || top + lane.y > to) break;
      found.push({ lane, y: top + lane.y });
    }
  }
  return found;
}

/** The first lane whose lower edge is below `y`. */
function firstBelow(lanes: readonly Lane[], y: number): number {
  let [low, high] = [0, lanes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const lane = lanes[middle];
    if (lane && lane.y + lane.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}
