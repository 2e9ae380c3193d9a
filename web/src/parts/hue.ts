/** The colour of an agent, the same on every face; the main agent is neutral. */
export function hueOf(hue: number | null): string {
  return hue === null ? 'var(--text-dim)' : `var(--hue-${hue % 12})`;
}
