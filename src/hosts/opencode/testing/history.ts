// The history of a recorded database, statement by statement, as its own log of events tells it.

import { asObject, asText, type JsonObject, parseObject } from '../../../lib/json.ts';
import { readDatabase } from '../../../lib/sqlite.ts';

export interface History {
  readonly schema: readonly string[];
  /** One transaction each. */
  readonly steps: readonly string[];
}

/** `withEvents: false`: as versions write it that keep no such log. */
export function historyOf(file: string, { withEvents }: { readonly withEvents: boolean }): Promise<History> {
  return readDatabase(file, (database) => {
    const schema = database.all("select sql from sqlite_schema where sql is not null and name not like 'sqlite_%'");
    const project = database.all('select id, worktree, time_created, time_updated, sandboxes from project');
    const events = database.all('select id, aggregate_id, seq, type, data from event order by rowid');
    return {
      schema: [
        'pragma foreign_keys = off',
        ...schema.flatMap(({ sql }) => asText(sql) ?? []).filter((sql) => withEvents || !/\bevent/.test(sql)),
        ...project.map((row) => insert('project', row)),
      ],
      steps: events.map((event) => {
        const logged = withEvents ? [insert('event', event)] : [];
        const statements = [...stepOf(asText(event['type']) ?? '', parseObject(event['data']) ?? {}), ...logged];
        return ['begin', ...statements, 'commit'].join(';\n');
      }),
    };
  });
}

function stepOf(type: string, data: JsonObject): readonly string[] {
  const info = asObject(data['info']) ?? {};
  if (type.startsWith('session.')) return [insert('session', sessionRow(info))];
  if (type.startsWith('message.part.updated')) {
    const { id, messageID, sessionID, ...part } = asObject(data['part']) ?? {};
    const time = Number(data['time'] ?? 0);
    const keys = { id, message_id: messageID, session_id: sessionID, time_created: time, time_updated: time };
    return [upsert('part', { ...keys, data: JSON.stringify(part) })];
  }
  const { id, sessionID, ...message } = info;
  const created = Number(asObject(message['time'])?.['created'] ?? 0);
  const keys = { id, session_id: sessionID, time_created: created, time_updated: created };
  return [upsert('message', { ...keys, data: JSON.stringify(message) })];
}

function sessionRow(info: JsonObject): JsonObject {
  const time = asObject(info['time']);
  return {
    id: info['id'],
    project_id: info['projectID'],
    parent_id: info['parentID'] ?? null,
    slug: info['slug'],
    directory: info['directory'],
    title: info['title'],
    version: info['version'],
    agent: info['agent'] ?? null,
    permission: info['permission'] === undefined ? null : JSON.stringify(info['permission']),
    time_created: time?.['created'] ?? 0,
    time_updated: time?.['updated'] ?? 0,
  };
}

const insert = (table: string, row: JsonObject): string => `insert or replace into ${table} ${valuesOf(row)}`;

/** In place, as the program does it: the row keeps its number. */
function upsert(table: string, row: JsonObject): string {
  return `insert into ${table} ${valuesOf(row)} on conflict (id) do update set data = excluded.data, time_updated = excluded.time_updated`;
}

function valuesOf(row: JsonObject): string {
  const values = Object.values(row).map((value) =>
    typeof value === 'number' ? String(value) : value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`,
  );
  return `(${Object.keys(row).join(', ')}) values (${values.join(', ')})`;
}
