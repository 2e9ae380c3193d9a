/** Where a car stands in its lane. */
export interface Position {
  /**
   * `share`: of the context window. `open`: the window is not known, the lane has no end, and tokens are placed on a
   * logarithmic scale. `none`: nothing is known; the car stands at the start, hollow.
   */
  readonly kind: 'share' | 'open' | 'none';
  /** Of the way from the start to the right edge of the lane, 0 to 1. */
  readonly share: number;
}

/** An open lane goes from a thousand tokens to ten million. */
const OPEN_FROM = 1_000;
const OPEN_TO = 10_000_000;

export function positionOf(tokens: number | null, window: number | null): Position {
  if (tokens === null) return { kind: 'none', share: 0 };
  if (window !== null && window > 0) return { kind: 'share', share: within(tokens / window) };
  return { kind: 'open', share: within(Math.log(Math.max(tokens, 1) / OPEN_FROM) / Math.log(OPEN_TO / OPEN_FROM)) };
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}
