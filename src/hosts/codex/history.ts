// A forked thread begins with a copy of another's lines: they are that one's, and count there.
import { asText } from '../../lib/json.ts';
import type { RolloutRecord } from './record.ts';
import type { ThreadHead } from './thread-head.ts';

/** Whether a line is a copy; to be asked for every line behind the header, in order. */
export type CopyCheck = (record: RolloutRecord) => boolean;

export function createCopyCheck({ id, forkedFrom, historyStart }: ThreadHead): CopyCheck {
  let isCopying = forkedFrom !== undefined;
  return (record) => {
    if (!isCopying) return false;
    const isOwn =
      historyStart !== undefined && record.ordinal !== undefined
        ? record.ordinal >= historyStart
        : beginsOwnTurn(record, id);
    isCopying = !isOwn;
    return isCopying;
  };
}

/** The seventh version: its text sorts by the time at which it was made. */
const TIMED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/**
 * Versions that do not say where the copy ends (up to 0.14x): threads and turns are named by the moment they began, and
 * the turns of the copy are older than the thread.
 */
function beginsOwnTurn({ type, payload }: RolloutRecord, thread: string): boolean {
  const isTurn = type === 'turn_context' || (type === 'event_msg' && payload['type'] === 'task_started');
  if (!isTurn) return false;
  const turn = asText(payload['turn_id']);
  return turn === undefined || !TIMED_ID.test(turn) || !TIMED_ID.test(thread) || turn > thread;
}
