/** A car on its way. What is not on the screen is not moved: `at` says when it last was, and it catches up. */
export interface Car {
  /** Of the way along its lane. */
  readonly share: number;
  /** Of the top of its lane. */
  readonly y: number;
  readonly alpha: number;
  /** Length of the trail, 0 to 1. */
  readonly trail: number;
  readonly at: number;
}

export type Goal = Omit<Car, 'at'>;

/** How fast it gets there: after this many milliseconds two thirds of the way are done. */
const PACE = { share: 220, setBack: 520, y: 90, alpha: 140, trail: 300 } as const;
/** Nearer than this is there. */
const NEAR = { share: 0.0004, y: 0.4, alpha: 0.01, trail: 0.01 } as const;
/** A fall by more than this is a set-back that people should see. */
const FALL = 0.01;

/** Where it is now. It slows down as it gets near and never goes too far, however often the goal changes. */
export function advance(car: Car, goal: Goal, now: number, isStill = false): Car {
  if (isStill || isThere(car, goal)) return { ...goal, at: now };
  const ms = Math.max(0, now - car.at);
  const pace = goal.share < car.share - FALL ? PACE.setBack : PACE.share;
  return {
    share: approach(car.share, goal.share, ms, pace, NEAR.share),
    y: approach(car.y, goal.y, ms, PACE.y, NEAR.y),
    alpha: approach(car.alpha, goal.alpha, ms, PACE.alpha, NEAR.alpha),
    trail: approach(car.trail, goal.trail, ms, PACE.trail, NEAR.trail),
    at: now,
  };
}

export function isThere(car: Car, goal: Goal): boolean {
  return car.share === goal.share && car.y === goal.y && car.alpha === goal.alpha && car.trail === goal.trail;
}

function approach(value: number, goal: number, ms: number, pace: number, near: number): number {
  const next = goal + (value - goal) * Math.exp(-ms / pace);
  return Math.abs(next - goal) <= near ? goal : next;
}
