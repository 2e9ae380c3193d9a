import type { Lane } from './block.ts';
import { factsOf } from './facts.ts';
import type { Pointers, Traces } from './frame.ts';
import type { Columns } from './geometry.ts';
import type { Layout } from './layout.ts';
import type { Palette } from './palette.ts';
import { laneOfRow } from './rows.ts';

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
export function accentsOf(lane: Lane, { hovered, focused, selected }: Pointers, isOn: boolean): number {
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
