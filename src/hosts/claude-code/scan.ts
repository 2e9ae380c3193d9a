import type { AgentScan } from '../index.ts';

/** What a scan has found already is not looked for again. */
export function once(
  scan: AgentScan,
  key: string,
  look: () => Promise<ReadonlyMap<string, readonly string[]>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = scan.get(key) ?? look();
  scan.set(key, known);
  return known;
}
