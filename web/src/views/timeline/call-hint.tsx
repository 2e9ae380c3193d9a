import type { Row } from './rows.ts';
import { area, ROW_HEIGHT, range, rows, type Spot, scrollTop, shownWindow, spot, xOf } from './timeline-state.ts';
import { callText, callTitle, compactionText, nameText } from './timeline-words.ts';
import type { CallMark } from './track.ts';

const WIDTH = 320;
const ROOM_BELOW = 120;

/** What the mouse or the keyboard points at, in words. Screen readers are told by the list of rows. */
export function CallHint() {
  const at = spot.value;
  const row = at && rows.value[at.row];
  if (!at || !row || !(at.mark || at.compaction)) return null;
  return (
    <div class="timeline-hint" aria-hidden="true" style={placeFor(at)}>
      {at.mark && <CallWords mark={at.mark} />}
      {at.compaction && <strong>{compactionText(at.compaction)}</strong>}
      <span class="timeline-hint-who">
        {nameText(row)}, {new Date(at.mark?.from ?? at.compaction?.at ?? 0).toLocaleTimeString()}
      </span>
    </div>
  );
}

function CallWords({ mark }: { readonly mark: CallMark }) {
  const made = mark.call.spawned === null ? undefined : rowOf(mark.call.spawned);
  return (
    <>
      <strong>{callTitle(mark)}</strong>
      <span>{callText(mark, range.value)}</span>
      {made && <span>It asked {nameText(made)}</span>}
    </>
  );
}

function rowOf(agent: string): Row | undefined {
  return rows.value.find((row) => row.agent.id === agent);
}

/** Below the row, or above it where there is no room; never beyond the edges. */
function placeFor({ row, mark, compaction, x }: Spot) {
  const { left, width, height } = area.value;
  const own = xOf(mark?.from ?? compaction?.at ?? 0, shownWindow.value, width);
  const wish = left + (x ?? Math.max(0, own)) + 8;
  const top = (row + 1) * ROW_HEIGHT - scrollTop.value + 4;
  const wide = Math.min(WIDTH, left + width - 16);
  return {
    width: `${wide}px`,
    left: `${Math.max(8, Math.min(wish, left + width - wide - 8))}px`,
    ...(top > height - ROOM_BELOW ? { bottom: `${height - top + ROW_HEIGHT + 8}px` } : { top: `${top}px` }),
  };
}
