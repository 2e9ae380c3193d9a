// One tree of sessions in a database that many share. A row that is over is not written again, so a look reads what came
// (rows are numbered as they come), the few that were open, and the records of the sessions, which are small.

import { setImmediate } from 'node:timers/promises';
import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { atMost } from '../../../lib/clock.ts';
import { asAmount } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, readDatabase, UnreadableDatabase } from '../../../lib/sqlite.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../index.ts';
import { sessionFacts } from '../facts/session-facts.ts';
import type { Door } from '../record.ts';
import { type FirstLook, takeFirstLook } from './first-look.ts';
import { copyProgress, createProgress, type MessageNote, type Progress } from './progress.ts';
import { type Looking, readWhole, takeMessages, takeParts } from './read-whole.ts';
import { LIST } from './row-batches.ts';
import { PART_COLUMNS } from './rows.ts';
import { readSchema } from './schema.ts';
import { NUMBERS, readTree } from './session-rows.ts';

/** What is made of a long session takes room: many are asked for side by side, and these are read in twos. */
const longOnes = atMost(2);

export function openDatabase({ id }: LocatedSession, source: LocatedSource): TableCursor {
  const door: Door = { session: id, source: source.id, told: new Map() };
  const root = nativeId(id);
  let progress: Progress | undefined;
  return {
    get modifiedAt() {
      return progress?.modifiedAt ?? 0;
    },
    async look(onFacts) {
      try {
        const { look, next } = await readDatabase(source.path, async (database) => {
          const first = progress ? undefined : await takeFirstLook(database, root);
          return lookAt(database, first ?? lookBitByBit(database, source.path, root), door, progress, onFacts);
        });
        progress = next;
        return look;
      } catch (error) {
        // Somebody is in the middle of something; what was read before still holds.
        if (progress && error instanceof UnreadableDatabase && error.isBusy) return 'later';
        throw error;
      }
    },
  };
}

function lookBitByBit(database: ReadOnlyDatabase, file: string, root: string): FirstLook {
  const infos = readTree(database, readSchema(database, file), root);
  const [numbers] = database.all(`select ${NUMBERS}`);
  const [messageRow, partRow] = [asAmount(numbers?.['last_message']) ?? 0, asAmount(numbers?.['last_part']) ?? 0];
  return { infos, numbers: [messageRow, partRow], text: undefined };
}

type Looked = { readonly look: 'nothing' | 'news' | 'replaced' | 'gone'; readonly next: Progress | undefined };

async function lookAt(
  database: ReadOnlyDatabase,
  { infos, numbers: [messageRow, partRow], text }: FirstLook,
  door: Door,
  before: Progress | undefined,
  onFacts: (facts: readonly AgentEvent[]) => void,
): Promise<Looked> {
  if (infos.length === 0) return before ? { look: 'gone', next: undefined } : { look: 'nothing', next: undefined };
  // Rows went, or the file was made anew with other numbers.
  if (before && (messageRow < before.messageRow || partRow < before.partRow))
    return { look: 'replaced', next: undefined };
  const next = before ? copyProgress(before) : createProgress();
  Object.assign(next, { messageRow, partRow });
  let hasNews = false;
  const tell = (facts: readonly AgentEvent[]): void => {
    if (facts.length === 0) return;
    hasNews = true;
    onFacts(facts);
  };
  const unread: string[] = [];
  for (const info of infos) {
    const said = JSON.stringify(info);
    if (next.sessions.get(info.id) !== said) tell(sessionFacts(info, door));
    if (!next.sessions.has(info.id)) unread.push(info.id);
    next.sessions.set(info.id, said);
    next.modifiedAt = Math.max(next.modifiedAt, info.updatedAt ?? 0);
  }
  const look: Looking = { database, door, next, tell };
  if (unread.length > 0) {
    if (text) await readWhole(look, unread, text);
    else await longOnes(() => readWhole(look, unread));
    // Somebody else may want to go on.
    await setImmediate();
  }
  if (before) readNews(look, before);
  if (!before) return { look: hasNews ? 'news' : 'nothing', next };
  const ids = JSON.stringify([...next.sessions.keys()]);
  const [counted] = database.all(`select count(*) as messages from message where session_id in ${LIST}`, ids);
  const messages = asAmount(counted?.['messages']) ?? 0;
  // Somebody took back what was said: the facts of it cannot be told apart from the others.
  if (messages < next.messages || infos.length < before.sessions.size) return { look: 'replaced', next: undefined };
  next.messages = messages;
  return { look: hasNews ? 'news' : 'nothing', next };
}

/** `+` keeps SQLite from going by session: what came since the last look is the shorter way. */
function readNews(look: Looking, before: Progress): void {
  const notes = new Map<string, MessageNote>(look.next.open);
  const ids = JSON.stringify([...before.sessions.keys()]);
  takeMessages(look, notes, `rowid > ? and +session_id in ${LIST}`, before.messageRow, ids);
  takeMessages(look, notes, `id in ${LIST}`, JSON.stringify([...before.open.keys()]));
  const parts = `select ${PART_COLUMNS} from part where`;
  takeParts(look, notes, `${parts} rowid > ? and +session_id in ${LIST}`, before.partRow, ids);
  takeParts(look, notes, `${parts} id in ${LIST}`, JSON.stringify([...before.openParts.keys()]));
}
