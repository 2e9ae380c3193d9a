import { CARD_WIDTH, FRAME, type Frame, type Placed } from './tree-layout.ts';

/** Around siblings that belong to one workflow or team. */
export function framesOf(placed: readonly Placed[]): readonly Frame[] {
  const frames = new Map<string, Frame>();
  for (const one of placed) {
    const { group } = one.item;
    if (!group) continue;
    const key = `${one.parent ?? ''} ${group.id}`;
    const before = frames.get(key);
    frames.set(key, { key, kind: group.kind, name: group.name, ...around(one, before) });
  }
  return [...frames.values()];
}

function around({ x, y, height }: Placed, before: Frame | undefined) {
  const { padding, heading } = FRAME;
  const left = Math.min(before?.x ?? Number.POSITIVE_INFINITY, x - padding);
  const top = Math.min(before?.y ?? Number.POSITIVE_INFINITY, y - padding - heading);
  const right = Math.max(before ? before.x + before.width : 0, x + CARD_WIDTH + padding);
  const bottom = Math.max(before ? before.y + before.height : Number.NEGATIVE_INFINITY, y + height + padding);
  return { x: left, y: top, width: right - left, height: bottom - top };
}
