import { type Box, CARD_WIDTH, type Placed } from './tree-layout.ts';

export interface HuePath {
  readonly hue: number | null;
  readonly path: string;
}

/** All cards as one path for each colour: a thousand of them are thirteen shapes. Cards of one colour that touch at this size flow into one. */
export function huePaths(placed: readonly Placed[]): readonly HuePath[] {
  const paths = new Map<number | null, string>();
  for (const { item, x, y, height } of placed) {
    const hue = item.kind === 'agent' ? item.agent.hue : null;
    paths.set(hue, `${paths.get(hue) ?? ''}M${x},${y}h${CARD_WIDTH}v${height}h${-CARD_WIDTH}z`);
  }
  return [...paths].map(([hue, path]) => ({ hue, path }));
}

/** Where a point of the map is in the picture. The map is drawn as large as fits, in the middle. */
export function pointOnMap(
  at: { readonly x: number; readonly y: number },
  map: { readonly width: number; readonly height: number },
  bounds: Box,
): { x: number; y: number } {
  const scale = Math.min(map.width / bounds.width, map.height / bounds.height);
  return {
    x: bounds.x + bounds.width / 2 + (at.x - map.width / 2) / scale,
    y: bounds.y + bounds.height / 2 + (at.y - map.height / 2) / scale,
  };
}
