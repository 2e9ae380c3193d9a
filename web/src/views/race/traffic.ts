import type { Lane } from './block.ts';
import { factsOf } from './facts.ts';
import { advance, type Car, type Goal, isThere, type Pointers, type Traces } from './frame.ts';
import { type Columns, type Side, sideOf } from './geometry.ts';
import { type Layout, laneOfRow, placesWithin } from './layout.ts';
import type { Palette } from './palette.ts';

/** The cars that are in sight. Of the others nothing is kept: they stand where they belong when they come into sight. */
interface Traffic {
  /** Another scene than the last one: notices who came and who left. */
  turnTo(scene: Scene, scrollTop: number): void;
  /** Everybody to where they are at a time, from top to bottom. */
  move(scene: Scene, scrollTop: number, time: number, isBlinkOn: boolean): readonly Look[];
  readonly ghosts: readonly Ghost[];
  isMoving(): boolean;
  /** Nothing happened, but somebody slows down by the clock. */
  isSlower(scene: Scene): boolean;
  carOf(key: string): Car | undefined;
  sideOf(key: string): Side;
}

/** One that has just left its lane for the chip of its parent. */
export interface Ghost {
  readonly lane: Lane;
  readonly car: Car;
  readonly goal: Goal;
}

interface Rider {
  readonly lane: Lane;
  readonly car: Car;
  readonly goal: Goal;
  readonly side: Side;
}

/** A new goal counts from one frame ago, however long nothing was drawn before. */
const FRAME_MS = 16;
const GONE = 0.02;

export function createTraffic(): Traffic {
  let riders: ReadonlyMap<string, Rider> = new Map();
  let ghosts: readonly Ghost[] = [];
  let last: Layout | undefined;
  let entering: ReadonlySet<string> = new Set();

  const ride = (scene: Scene, lane: Lane, y: number, time: number): Rider => {
    const goal = goalOf(scene, lane, y);
    const before = riders.get(lane.key);
    const start = before ? turned(before, goal, time) : enter(scene, lane, goal, time);
    const car = advance(start, goal, time, scene.isStill);
    return { lane, car, goal, side: sideOf(car.share, before?.side) };
  };

  const enter = ({ isNew }: Scene, lane: Lane, goal: Goal, at: number): Car =>
    entering.has(lane.key)
      ? { ...goal, share: isNew(lane) ? 0 : goal.share, alpha: 0, at: at - FRAME_MS }
      : { ...goal, at };

  return {
    turnTo({ layout, viewHeight }, scrollTop) {
      if (layout === last) return;
      const before = last;
      last = layout;
      if (!before) return;
      const inSight = placesWithin(layout, scrollTop, scrollTop + viewHeight).map(({ lane }) => lane.key);
      // Most changes bring nobody and take nobody away: then nothing is looked up.
      const unseen = inSight.filter((key) => !riders.has(key));
      if (unseen.length > 0) entering = new Set([...entering, ...unseen.filter((key) => !before.places.has(key))]);
      const seen = new Set(inSight);
      const missed = [...riders.values()].filter(({ lane }) => !seen.has(lane.key));
      if (missed.length > 0) ghosts = [...ghosts, ...leavers(missed, layout)];
    },
    move(scene, scrollTop, time, isBlinkOn) {
      const { layout, viewHeight, isStill, pointers } = scene;
      const inSight = placesWithin(layout, scrollTop, scrollTop + viewHeight);
      riders = new Map(inSight.map(({ lane, y }) => [lane.key, ride(scene, lane, y, time)]));
      entering = new Set();
      ghosts = isStill ? [] : ghosts.flatMap((ghost) => faded(ghost, time));
      return [...riders.values()].map(({ lane, car }) => ({
        lane,
        car,
        accents: accentsOf(lane, pointers, isBlinkOn),
      }));
    },
    get ghosts() {
      return ghosts;
    },
    isMoving: () => ghosts.length > 0 || [...riders.values()].some(({ car, goal }) => !isThere(car, goal)),
    isSlower: ({ trailOf }) => [...riders.values()].some(({ lane, goal }) => trailOf(lane) !== goal.trail),
    carOf: (key) => riders.get(key)?.car,
    sideOf: (key) => riders.get(key)?.side ?? 'ahead',
  };
}

function goalOf({ trailOf }: Scene, lane: Lane, y: number): Goal {
  return { share: factsOf(lane.agent).position.share, y, alpha: 1, trail: trailOf(lane) };
}

function turned({ car, goal: before }: Rider, goal: Goal, time: number): Car {
  const isSame = isThere({ ...before, at: 0 }, goal);
  return isSame ? car : advance(car, before, Math.max(car.at, time - FRAME_MS));
}

/** Who was in sight and has no lane any more, but a parent with a chip to go into. */
function leavers(riders: readonly Rider[], { places }: Layout): readonly Ghost[] {
  return riders.flatMap(({ lane, car }) => {
    const parent = lane.parent === undefined ? undefined : places.get(lane.parent);
    if (places.has(lane.key) || !parent?.lane.chip) return [];
    return [{ lane, car, goal: { share: 1, y: parent.y, alpha: 0, trail: 0 } }];
  });
}

function faded(ghost: Ghost, time: number): readonly Ghost[] {
  // It stood still until now.
  const car = advance({ ...ghost.car, at: Math.max(ghost.car.at, time - 4 * FRAME_MS) }, ghost.goal, time);
  return car.alpha > GONE ? [{ ...ghost, car }] : [];
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

/** What the stage is told whenever something changed. */
export interface Scene {
  readonly layout: Layout;
  readonly columns: Columns;
  readonly viewHeight: number;
  readonly pointers: Pointers;
  readonly now: number;
  /** Cars jump, and hazard lights stay on. */
  readonly isStill: boolean;
  readonly palette: Palette;
  readonly trailOf: (lane: Lane) => number;
  /** It appeared while somebody looked: it comes from the start. */
  readonly isNew: (lane: Lane) => boolean;
  readonly tracesOf: (lane: Lane) => Traces;
  /** What `tracesOf` knows from elsewhere than the lanes: another object, where it knows more. */
  readonly traces: unknown;
}

/** Whether it has to be drawn, whatever its cars do. */
export function isDifferent(a: Scene, b: Scene): boolean {
  return (
    a.layout !== b.layout ||
    a.columns !== b.columns ||
    a.viewHeight !== b.viewHeight ||
    a.palette !== b.palette ||
    a.isStill !== b.isStill ||
    a.traces !== b.traces ||
    a.pointers.hovered !== b.pointers.hovered ||
    a.pointers.focused !== b.pointers.focused ||
    a.pointers.selected !== b.pointers.selected
  );
}

/** How a lane is set apart, as a number for each mixture. */
function accentsOf(lane: Lane, { hovered, focused, selected }: Pointers, isOn: boolean): number {
  return (
    (hovered === lane.key ? 1 : 0) +
    (selected === lane.key ? 2 : 0) +
    (focused === lane.key ? 4 : 0) +
    (focused !== undefined && focused !== lane.key && laneOfRow(focused) === lane.key ? 8 : 0) +
    (isOn && isSilent(lane) ? 16 : 0)
  );
}

export function isSilent({ agent }: Lane): boolean {
  return factsOf(agent).standing === 'silent';
}
