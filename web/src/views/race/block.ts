import {
  type AgentReport,
  cleanLine,
  isAtWork,
  plural,
  type SessionDetail,
  sessionKey,
  standingsText,
} from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';
import { type Car, type Folds, factsOf } from './facts.ts';
import { familyOf, type Kin, NOBODY, type Tally, tallyOf } from './family.ts';

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

/** The usual change: some agents went on, and nobody's standing is another. Then the lanes are where they were. */
export function refill(before: Block, session: SessionDetail): Block | undefined {
  const old = before.session;
  if (old.title !== session.title || old.project !== session.project) return undefined;
  if (old.subagents.length !== session.subagents.length) return undefined;
  const changed = new Map<AgentReport, AgentReport>();
  for (let at = -1; at < session.subagents.length; at++) {
    const [was, is] = at < 0 ? [old.main, session.main] : [old.subagents[at], session.subagents[at]];
    if (was === is) continue;
    if (!was || !is || !standsAlike(was, is)) return undefined;
    changed.set(was, is);
  }
  const lanes = before.lanes.map((lane) => {
    const agent = changed.get(lane.agent);
    return agent ? { ...lane, agent } : lane;
  });
  return { ...before, session, lanes };
}

function standsAlike(a: AgentReport, b: AgentReport): boolean {
  return (
    a.id === b.id &&
    a.host === b.host &&
    a.parentId === b.parentId &&
    a.label === b.label &&
    isAtWork(a.status) &&
    isAtWork(b.status) &&
    factsOf(a).standing === factsOf(b).standing
  );
}

/** The lane as it was, where it looks the same. */
export function sameOr(old: Lane | undefined, lane: Lane): Lane {
  return old !== undefined &&
    old.agent === lane.agent &&
    old.y === lane.y &&
    old.height === lane.height &&
    old.depth === lane.depth &&
    old.parent === lane.parent &&
    old.fold === lane.fold &&
    isSameChip(old.chip, lane.chip) &&
    isSameTally(old.below, lane.below) &&
    old.name === lane.name &&
    old.project === lane.project &&
    factsOf(lane.agent).standing !== 'silent'
    ? old
    : lane;
}

function isSameChip(a: Chip | undefined, b: Chip | undefined): boolean {
  return a === b || (a?.kind === b?.kind && a?.isOpen === b?.isOpen && isSameTally(a?.tally, b?.tally));
}

function isSameTally(a: Tally = NOBODY, b: Tally = NOBODY): boolean {
  return a.agents === b.agents && a.busy === b.busy && standingsText(a.standings) === standingsText(b.standings);
}

/** As it stands on the chip: each standing with its own mark and number. */
export function chipText({ kind, tally: { agents, busy, standings }, isOpen }: Chip): string {
  if (kind === 'finished') return `${isOpen ? '▾' : '▸'} ${standingsText(standings)}`;
  const needsYou = standings.get('needs you') ?? 0;
  const urgent = needsYou > 0 ? ` ◐ ${needsYou}` : busy > 0 ? ` ● ${busy}` : '';
  return `+${agents}${urgent}`;
}

/** The same, said. */
export function chipWords({ kind, tally: { agents, standings }, isOpen }: Chip): string {
  const what = kind === 'folded' ? plural(agents, 'more sub-agent') : plural(agents, 'sub-agent');
  return [what, standingsText(standings, { words: true }), isOpen ? 'shown' : 'folded'].join(', ');
}

/** What a picture was drawn from. Most of the time one lane of many is different in the next. */
export interface Drawn {
  /** What all of it depends on: size, colours, scrolling, … */
  readonly base: readonly unknown[];
  /** From top to bottom. */
  readonly looks: readonly Look[];
}

export interface Look {
  readonly lane: Lane;
  readonly car: Car;
  /** Pointed at, selected, blinking: a number for each mixture. */
  readonly accents: number;
}

/** The lanes that have to be drawn anew; `all` where something else changed, or one of them moved up or down. */
export function dirtyLooks(before: Drawn | undefined, now: Drawn): readonly Look[] | 'all' {
  if (!before || before.looks.length !== now.looks.length) return 'all';
  if (before.base.length !== now.base.length || before.base.some((part, at) => part !== now.base[at])) return 'all';
  const dirty: Look[] = [];
  for (const [at, look] of now.looks.entries()) {
    const old = before.looks[at];
    if (!old || old.lane.key !== look.lane.key || old.car.y !== look.car.y) return 'all';
    if (!isSame(old, look)) dirty.push(look);
  }
  return dirty;
}

function isSame(a: Look, b: Look): boolean {
  return (
    a.lane === b.lane &&
    a.accents === b.accents &&
    a.car.share === b.car.share &&
    a.car.alpha === b.car.alpha &&
    a.car.trail === b.car.trail
  );
}
