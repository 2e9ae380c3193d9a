/**
 * Context windows by model, as of 2026-11: what Claude Code itself said in recordings, and the model list for older ones.
 * Data, not knowledge: a model that is not here has an unknown window, and a face draws a lane without an end. The first
 * prefix that fits counts.
 */
const WINDOWS: readonly (readonly [prefix: string, tokens: number])[] = [
  ['claude-opus-4-8', 1_000_000],
  ['claude-haiku-5-5', 1_000_000],
  ['claude-opus-4-5', 200_000],
  ['claude-opus-4-1', 200_000],
  ['claude-opus-4-2025', 200_000],
  ['claude-sonnet-4', 200_000],
  ['claude-haiku-4', 200_000],
  ['claude-3', 200_000],
];

/** A request beyond the table's window was made with a larger one that nobody wrote down. */
export function contextWindowOf(model: string | undefined, contextTokens: number | undefined): number | null {
  const window = WINDOWS.find(([prefix]) => model?.startsWith(prefix))?.[1];
  return window === undefined || (contextTokens ?? 0) > window ? null : window;
}
