import type { Chip, Lane } from './block.ts';
import { factsOf } from './facts.ts';
import { NOBODY, type Tally } from './family.ts';

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
  return (
    a.agents === b.agents &&
    a.busy === b.busy &&
    a.needsYou === b.needsYou &&
    a.failed === b.failed &&
    a.unknown === b.unknown
  );
}
