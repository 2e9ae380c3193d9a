import type { AgentId } from '../ids.ts';
import type { AgentNode } from '../tree.ts';

/** How many colours a face keeps for agents; `cli/format/paint.ts` and the page have one list each of this length. */
export const HUES = 12;

/** Far apart on the wheel, one after the other: what a sibling takes whose own colour is gone. */
const STEP = 5;

/**
 * One colour per agent, the same on every face and after a restart: from its id, and where an elder sibling has that
 * one already, the next that is free. The main agent is neutral.
 */
export function computeHues(agents: readonly AgentNode[]): ReadonlyMap<AgentId, number> {
  const hues = new Map<AgentId, number>();
  const takenBelow = new Map<AgentId | undefined, Set<number>>();
  for (const { id, kind, link } of agents) {
    if (kind === 'main') continue;
    const taken = takenBelow.get(link.parent) ?? new Set();
    takenBelow.set(link.parent, taken);
    let hue = hash(id) % HUES;
    for (let tries = 0; taken.has(hue) && tries < HUES; tries++) hue = (hue + STEP) % HUES;
    taken.add(hue);
    hues.set(id, hue);
  }
  return hues;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 2166136261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
}
