import { nowShown } from '../../store.ts';
import { camera, viewSize } from './camera-state.ts';
import { layout, pointed } from './graph-state.ts';
import { askerText, evidenceText, kindText, nameText, nowText, statusText, tokensText } from './graph-words.ts';
import { CARD_WIDTH, type Placed } from './tree-layout.ts';

const WIDTH = 300;

/** Who is pointed at, in full, and how its link is known. Screen readers have it from the card. */
export function Hint() {
  const placed = layout.value?.placed;
  const one = placed?.find(({ item }) => item.key === pointed.value?.key);
  if (!placed || !one || one.item.kind !== 'agent') return null;
  const { agent } = one.item;
  const parent = placed.find(({ item }) => item.key === one.parent);
  const doing = nowText(agent);
  return (
    <div class="graph-hint" aria-hidden="true" style={placeFor(one, parent)}>
      <strong>{nameText(agent)}</strong>
      <span class="graph-hint-facts">
        {kindText(agent)} · {statusText(agent, nowShown.value)} · context {tokensText(agent)}
      </span>
      {doing !== '' && <span class="graph-hint-doing">{doing}</span>}
      <span class="graph-hint-evidence">
        {evidenceText(agent.evidence, parent?.item.kind === 'agent' ? askerText(parent.item.agent) : undefined)}
      </span>
    </div>
  );
}

/** Below the card, or at the middle of the line; never beyond the edge. */
function placeFor({ x, y, height }: Placed, parent: Placed | undefined) {
  const view = viewSize.value;
  const isLine = pointed.value?.isLine === true && parent !== undefined;
  const at = isLine ? { x: (parent.x + CARD_WIDTH + x) / 2, y: (parent.y + y + height) / 2 + 8 } : { x, y: y + height };
  const left = at.x * camera.value.k + camera.value.x;
  const top = at.y * camera.value.k + camera.value.y + 8;
  const isLow = top > view.height - 130;
  return {
    width: `${Math.min(WIDTH, view.width - 16)}px`,
    left: `${Math.max(8, Math.min(left, view.width - WIDTH - 8))}px`,
    ...(isLow
      ? { bottom: `${Math.max(8, view.height - top + (isLine ? 24 : height * camera.value.k + 16))}px` }
      : { top: `${Math.max(8, top)}px` }),
  };
}
