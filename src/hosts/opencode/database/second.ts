// The tables of OpenCode 2. Where `session_v2` is, the older ones are frozen copies. A message is one row, rewritten in place until it is over;
// `event_sequence` counts what happened in each session.

import { setImmediate } from 'node:timers/promises';
import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { asAmount, asText, isEqual, type JsonObject, known, parseJson, parseObject } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, type SqlRow, type SqlValue, textOf } from '../../../lib/sqlite.ts';
import type { LocatedSession, LocatedSource } from '../../index.ts';
import { type RecordContext, type SessionInfo, sessionInfo } from '../record.ts';
import { secondInfo } from '../second/messages.ts';
import { createTeller, type Teller } from '../second/tell.ts';
import { LIST } from './rows.ts';
import { columnsOf, type SecondSchema, type SessionPosition } from './schema.ts';

const TREE = `with recursive tree(id) as materialized (
  select ?1 union select session_v2.id from session_v2 join tree on session_v2.parent_id = tree.id
)`;

export function readSecondTree(database: ReadOnlyDatabase, schema: SecondSchema, root: string): readonly SessionInfo[] {
  const columns = schema.sessionColumns.map((name) =>
    NUMBERS.test(name) ? `session_v2.${name}` : `${textOf(`session_v2.${name}`)} as ${name}`,
  );
  const sql = `${TREE} select ${columns.join(', ')} from session_v2 where id in (select id from tree)`;
  return database.all(sql, root).flatMap((row) => toInfo(row) ?? []);
}

const NUMBERS = /^(?:time|cost|tokens)/;

function toInfo(row: SqlRow): SessionInfo | undefined {
  const id = asText(row['id']);
  if (id === undefined) return undefined;
  const { time_created: created, time_updated: updated, time_idle: idle } = row;
  const latest = Math.max(asAmount(updated) ?? 0, asAmount(idle) ?? 0);
  const info = sessionInfo(id, row, {
    parent: row['parent_id'],
    permission: parseJson(row['permission']),
    created,
    updated: latest === 0 ? updated : latest,
  });
  const { tokens_input: input, tokens_output: output, tokens_reasoning: reasoning } = row;
  const cache = { read: row['tokens_cache_read'], write: row['tokens_cache_write'] };
  // Of a session that was copied, these are sums of OpenCode 1, which counted otherwise.
  const isCopied = /^[01]\./.test(info.version ?? '');
  const tokens = isCopied || asAmount(input) === undefined ? undefined : { input, output, reasoning, cache };
  return secondInfo(info, {
    fork: row['fork_session_id'],
    cost: row['cost'],
    tokens,
    outcome: row['idle_outcome'],
    idle,
  });
}

/** `time_updated` of a session stays behind while it works. */
export function listSecondSessions(database: ReadOnlyDatabase, schema: SecondSchema): readonly SessionPosition[] {
  const newest = '(select max(time_created) from session_message where session_id = session_v2.id)';
  const idle = schema.sessionColumns.includes('time_idle') ? 'time_idle' : 'null as time_idle';
  const ids = `${textOf('id')} as id, ${textOf('parent_id')} as parent_id`;
  return database.all(`select ${ids}, time_updated, ${idle}, ${newest} as newest from session_v2`).flatMap((row) => {
    const id = asText(row['id']);
    if (id === undefined) return [];
    const times = [row['time_updated'], row['time_idle'], row['newest']];
    const modifiedAt = Math.max(...times.map((time) => asAmount(time) ?? 0));
    return [
      { id, modifiedAt, ...known({ parent: asText(row['parent_id']), isEmpty: row['newest'] === null || undefined }) },
    ];
  });
}

/** How far the tree was read. */
export interface SecondProgress {
  readonly teller: Teller;
  readonly sessions: Map<string, string>;
  /** Rows that may still be rewritten, and the last of each session. */
  readonly open: Map<string, JsonObject>;
  /** The counter of each session when it was last read. */
  counters: string;
  seq: Map<string, number>;
  updatedAt: number;
  messages: number;
  modifiedAt: number;
}

export type SecondLook = {
  readonly look: 'nothing' | 'news' | 'replaced' | 'gone';
  readonly next: SecondProgress | undefined;
};

export function createSecondProgress({ id }: LocatedSession, source: LocatedSource): () => SecondProgress {
  return () => {
    const context: RecordContext = { session: id, source: source.id, begun: {}, settings: new Map() };
    return {
      teller: createTeller(context),
      sessions: new Map(),
      open: new Map(),
      counters: '',
      seq: new Map(),
      updatedAt: 0,
      messages: 0,
      modifiedAt: 0,
    };
  };
}

export async function lookAtSecond(
  database: ReadOnlyDatabase,
  schema: SecondSchema,
  session: LocatedSession,
  before: SecondProgress | undefined,
  begin: () => SecondProgress,
  onFacts: (facts: readonly AgentEvent[]) => void,
): Promise<SecondLook> {
  const infos = readSecondTree(database, schema, nativeId(session.id));
  if (infos.length === 0) return { look: before ? 'gone' : 'nothing', next: undefined };
  if (before && infos.length < before.sessions.size) return { look: 'replaced', next: undefined };
  const next = before ?? begin();
  let hasChanges = false;
  const emit = (facts: readonly AgentEvent[]): void => {
    if (facts.length === 0) return;
    hasChanges = true;
    onFacts(facts);
  };
  const unread: string[] = [];
  const changed: string[] = [];
  for (const info of infos) {
    const said = JSON.stringify(info);
    if (!next.sessions.has(info.id)) unread.push(info.id);
    if (next.sessions.get(info.id) !== said) {
      emit(next.teller.session(info));
      changed.push(info.id);
    }
    next.sessions.set(info.id, said);
    next.modifiedAt = Math.max(next.modifiedAt, info.updatedAt ?? 0);
  }
  const ids = JSON.stringify([...next.sessions.keys()]);
  const counters = schema.hasSequence ? readCounters(database, ids) : undefined;
  if (unread.length > 0) await readRows(database, next, unread, emit, changed);
  if (before && (counters === undefined || counters !== next.counters || next.open.size > 0)) {
    const old = [...before.sessions.keys()].filter((id) => !unread.includes(id));
    await readRows(database, next, old, emit, changed);
    const [counted] = database.all(`select count(*) as messages from session_message where session_id in ${LIST}`, ids);
    // Rows were taken back: their facts cannot be separated from the others.
    if ((asAmount(counted?.['messages']) ?? 0) < next.messages) return { look: 'replaced', next: undefined };
  }
  next.counters = counters ?? '';
  for (const id of new Set(changed)) emit(next.teller.leftover(id));
  return { look: hasChanges ? 'news' : 'nothing', next };
}

function readCounters(database: ReadOnlyDatabase, ids: string): string {
  const sql = `select ${textOf('aggregate_id')} as id, seq from event_sequence where aggregate_id in ${LIST} order by aggregate_id`;
  return database
    .all(sql, ids)
    .map(({ id, seq }) => `${String(id)} ${String(seq)}`)
    .join('\n');
}

/** Rows at a time, to limit memory and to let other work run. */
const PAGE = 200;

/** New rows, those that are not over, and those that were written since. */
async function readRows(
  database: ReadOnlyDatabase,
  next: SecondProgress,
  sessions: readonly string[],
  emit: (facts: readonly AgentEvent[]) => void,
  changed: string[],
): Promise<void> {
  const since = next.updatedAt;
  for (const session of sessions) {
    for (const where of next.seq.has(session) ? CHANGED : []) {
      const value: SqlValue = where === BY_TIME ? since : JSON.stringify([...next.open.keys()]);
      take(database, next, session, `session_id = ? and seq <= ? and ${where} order by seq`, emit, changed, [
        next.seq.get(session) ?? -1,
        value,
      ]);
    }
    for (let count = PAGE; count === PAGE; ) {
      const from = next.seq.get(session) ?? -1;
      count = take(database, next, session, `session_id = ? and seq > ? order by seq limit ${PAGE}`, emit, changed, [
        from,
      ]);
      if (count === PAGE) await setImmediate();
    }
  }
}

const BY_TIME = 'time_updated >= ?';
const CHANGED = [BY_TIME, `id in ${LIST}`];

const COLUMNS = `${textOf('id')} as id, ${textOf('type')} as type, seq, time_created, time_updated, ${textOf('data')} as data`;

/** Returns how many rows there were. */
function take(
  database: ReadOnlyDatabase,
  next: SecondProgress,
  session: string,
  where: string,
  emit: (facts: readonly AgentEvent[]) => void,
  changed: string[],
  values: readonly SqlValue[],
): number {
  let count = 0;
  for (const row of database.each(`select ${COLUMNS} from session_message where ${where}`, session, ...values)) {
    count++;
    const seq = asAmount(row['seq']) ?? 0;
    const isNew = seq > (next.seq.get(session) ?? -1);
    if (isNew) {
      next.seq.set(session, seq);
      next.messages++;
    }
    const updatedAt = asAmount(row['time_updated']) ?? 0;
    next.updatedAt = Math.max(next.updatedAt, updatedAt);
    next.modifiedAt = Math.max(next.modifiedAt, updatedAt, asAmount(row['time_created']) ?? 0);
    const message = toMessage(row);
    if (!message) {
      if (isNew) emit(next.teller.damage(asText(row['id'])));
      continue;
    }
    const id = String(message['id']);
    if (!isNew && isEqual(next.open.get(id), message)) continue;
    if (isFinal(message)) next.open.delete(id);
    else next.open.set(id, message);
    emit(next.teller.message(session, message));
    changed.push(session);
  }
  return count;
}

/** With id and type, as exports have it. */
export function toMessage({ id, type, data }: SqlRow): JsonObject | undefined {
  const message = parseObject(data);
  return message && asText(id) !== undefined ? { ...message, id, type } : undefined;
}

function isFinal(message: JsonObject): boolean {
  const { type, time, status } = message;
  if (type === 'compaction' || type === 'shell') return status !== 'running';
  return type !== 'assistant' || asAmount((time as JsonObject | undefined)?.['completed']) !== undefined;
}

/** Who has news since the last look: the counters that moved, and new sessions. */
export function secondCounters(database: ReadOnlyDatabase): ReadonlyMap<string, string> {
  const sequence = columnsOf(database, 'event_sequence').has('aggregate_id');
  const sql = sequence
    ? `select ${textOf('session_v2.id')} as id, ${textOf('parent_id')} as parent, seq as number, session_v2.time_updated as at
        from session_v2 left join event_sequence on aggregate_id = session_v2.id`
    : `select ${textOf('id')} as id, ${textOf('parent_id')} as parent, time_updated as at,
        (select max(time_updated) from session_message where session_id = session_v2.id) as number from session_v2`;
  return new Map(
    database.all(sql).flatMap(({ id, number, at }) => {
      const session = asText(id);
      return session === undefined ? [] : [[session, `${String(number)} ${String(at)}`] as const];
    }),
  );
}
