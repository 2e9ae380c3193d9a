import { type AgentReport, cleanLine, type SessionDetail, sessionKey } from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';
import { factsOf } from './facts.ts';
import { familyOf, type Kin, type Tally, tallyOf } from './family.ts';
import type { Folds } from './folds.ts';
import { refill } from './refill.ts';
import { sameOr } from './same-lane.ts';

/** The lanes of one session: its own, and below it those of its sub-agents. */
export interface Block {
  readonly key: string;
  readonly session: SessionDetail;
  readonly lanes: readonly Lane[];
  /** Who has lanes below their own: places in `lanes`. */
  readonly families: readonly Family[];
  readonly height: number;
  /** Until then it looks the same if nothing happens. */
  readonly expiresAt: number;
}

export interface Family {
  readonly parent: number;
  readonly children: readonly number[];
}

export interface Lane {
  readonly key: string;
  readonly agent: AgentReport;
  /** What it is called: a session by its title. */
  readonly name: string;
  /** Of a session; empty for its sub-agents. */
  readonly project: string;
  /** 0: the session's own. */
  readonly depth: number;
  readonly parent: string | undefined;
  /** From the top of the block. */
  readonly y: number;
  readonly height: number;
  readonly fold: 'leaf' | 'open' | 'folded';
  readonly chip: Chip | undefined;
  /** Of all below it, seen or not. */
  readonly below: Tally;
}

/** At the end of a lane: those below it that have none of their own. */
export interface Chip {
  /** `folded`: everyone below, by the person's choice or because they are too deep. `finished`: who left the track. */
  readonly kind: 'folded' | 'finished';
  readonly tally: Tally;
  /** Finished ones can be fetched back, and sent away again. */
  readonly isOpen: boolean;
}

export interface LaneHeights {
  readonly session: number;
  readonly sub: number;
}

export interface BlockOptions {
  readonly now: number;
  readonly folds: Folds;
  /** Keys of those who stay for now: selected, or with the focus. */
  readonly kept: ReadonlySet<string>;
  readonly heights: LaneHeights;
}

/** Deeper ones fold into their forebear of this depth, unless the person wants to see them. */
const DEEPEST = 3;
/** Silences are counted by the second. */
const SILENCE_MS = 1000;

export interface Blocks {
  (session: SessionDetail, options: BlockOptions): Block;
  /** Forgets the others. */
  keep(sessions: ReadonlySet<string>): void;
}

/** A block, and in it a lane, that looks as before is the same object as before. */
export function createBlocks(): Blocks {
  const known = new Map<string, { readonly block: Block; readonly options: BlockOptions }>();
  const blockOf = (session: SessionDetail, options: BlockOptions): Block => {
    const key = sessionKey(session);
    const before = known.get(key);
    const current = before && isCurrent(before, options) ? before.block : undefined;
    if (current?.session === session) return current;
    const block = (current && refill(current, session)) ?? layoutBlock(key, session, options, before?.block);
    known.set(key, { block, options });
    return block;
  };
  const keep = (sessions: ReadonlySet<string>): void => {
    for (const key of known.keys()) if (!sessions.has(key)) known.delete(key);
  };
  return Object.assign(blockOf, { keep });
}

function isCurrent(
  { block, options }: { readonly block: Block; readonly options: BlockOptions },
  { now, folds, kept, heights }: BlockOptions,
): boolean {
  return (
    options.folds === folds &&
    options.kept === kept &&
    options.heights === heights &&
    now >= options.now &&
    now < block.expiresAt
  );
}

function layoutBlock(key: string, session: SessionDetail, options: BlockOptions, before: Block | undefined): Block {
  const old = new Map(before?.lanes.map((lane) => [lane.key, lane]));
  const lanes: Lane[] = [];
  let y = 0;
  let expiresAt = Number.POSITIVE_INFINITY;
  const stack: { readonly kin: Kin; readonly depth: number; readonly parent?: string }[] = [
    { kin: familyOf(session), depth: 0 },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { kin, depth, parent } = next;
    const height = depth === 0 ? options.heights.session : options.heights.sub;
    const { shown, fold, chip, changesAt } = childrenOf(kin, depth, options);
    const place = { depth, parent, y, height, fold, chip, below: tallyOf(kin.children) };
    lanes.push(sameOr(old.get(kin.key), { key: kin.key, agent: kin.agent, ...namesOf(kin, session, depth), ...place }));
    y += height;
    expiresAt = Math.min(expiresAt, changesAt);
    if (factsOf(kin.agent).standing === 'silent') expiresAt = Math.min(expiresAt, options.now + SILENCE_MS);
    for (let at = shown.length - 1; at >= 0; at--) {
      const child = shown[at];
      if (child) stack.push({ kin: child, depth: depth + 1, parent: kin.key });
    }
  }
  return { key, session, lanes, families: familiesOf(lanes), height: y, expiresAt };
}

function familiesOf(lanes: readonly Lane[]): readonly Family[] {
  const places = new Map(lanes.map(({ key }, at) => [key, at]));
  const children = groupBy(lanes.keys(), (at) => places.get(lanes[at]?.parent ?? ''));
  return [...children].flatMap(([parent, list]) => (parent === undefined ? [] : [{ parent, children: list }]));
}

function namesOf({ agent }: Kin, { title, project }: SessionDetail, depth: number): Pick<Lane, 'name' | 'project'> {
  if (depth > 0) return { name: factsOf(agent).label, project: '' };
  return { name: cleanLine(title ?? '') || factsOf(agent).label, project: cleanLine(project ?? '') };
}

interface Children {
  readonly shown: readonly Kin[];
  readonly fold: Lane['fold'];
  readonly chip: Chip | undefined;
  /** When the next of them leaves. */
  readonly changesAt: number;
}

function childrenOf({ key, children }: Kin, depth: number, { now, folds, kept }: BlockOptions): Children {
  if (children.length === 0) return { shown: [], fold: 'leaf', chip: undefined, changesAt: Number.POSITIVE_INFINITY };
  const isGone = (kin: Kin): boolean => kin.fadesAt <= now && !isKept(kin, kept);
  const gone = children.filter(isGone);
  const staying = children.filter((kin) => !isGone(kin));
  const changesAt = staying.reduce((at, { fadesAt }) => (fadesAt > now ? Math.min(at, fadesAt) : at), Infinity);
  const isFolded = folds.folded.get(key) ?? depth >= DEEPEST;
  if (isFolded && staying.length > 0)
    return { shown: [], fold: 'folded', chip: { kind: 'folded', tally: tallyOf(children), isOpen: false }, changesAt };
  const isOpen = folds.finished.has(key);
  const chip = gone.length > 0 ? ({ kind: 'finished', tally: tallyOf(gone), isOpen } as const) : undefined;
  const shown = isOpen ? children : staying;
  return { shown, fold: shown.length > 0 ? 'open' : 'leaf', chip, changesAt };
}

function isKept({ key, children }: Kin, kept: ReadonlySet<string>): boolean {
  return kept.size > 0 && (kept.has(key) || children.some((child) => isKept(child, kept)));
}
