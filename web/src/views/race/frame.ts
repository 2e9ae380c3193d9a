import type { Lane } from './block.ts';
import type { Fitted } from './fit-text.ts';
import type { Box, Columns, Side } from './geometry.ts';
import type { Layout } from './layout.ts';
import type { Car } from './motion.ts';
import type { Palette } from './palette.ts';

/** All that one picture is drawn from. */
export interface Frame {
  readonly ctx: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly columns: Columns;
  readonly layout: Layout;
  readonly pointers: Pointers;
  /** Of the lanes that are in sight, and their height. */
  readonly scrollTop: number;
  readonly viewHeight: number;
  /** The time that silences are counted to. */
  readonly now: number;
  readonly isBlinkOn: boolean;
  readonly carOf: (key: string) => Car | undefined;
  readonly sideOf: (key: string) => Side;
  readonly tracesOf: (lane: Lane) => Traces;
  readonly cut: (text: string, font: string, room: number) => Fitted;
}

/** What happened in a lane, in tokens. */
export interface Traces {
  /** Of its parent's context, when it was asked for. */
  readonly spawnedAt: number | undefined;
  readonly setBacks: readonly number[];
}

/** Keys of rows: see `rows.ts`. */
export interface Pointers {
  readonly hovered: string | undefined;
  readonly focused: string | undefined;
  readonly selected: string | undefined;
}

export function putText(
  { ctx, cut }: Frame,
  text: string,
  box: Box,
  {
    font,
    colour,
    align = 'left',
  }: { readonly font: string; readonly colour: string; readonly align?: 'left' | 'right' },
): number {
  const { text: shown, width } = cut(text, font, box.w);
  if (shown === '') return 0;
  ctx.font = font;
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = 'middle';
  ctx.fillText(shown, align === 'left' ? box.x : box.x + box.w, box.y + box.h / 2 + 0.5);
  return width;
}
