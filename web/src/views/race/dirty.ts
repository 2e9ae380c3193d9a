import type { Lane } from './block.ts';
import type { Car } from './motion.ts';

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
