// The database behind the search: which message of which agent holds which words. The words alone are in it, not the texts:
// a hit is shown from the host's own file, by the byte ranges that are kept with it.

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { matcherOf, type Query, type QueryFilter, type QuerySubject, type QueryWord, spaceOut } from '../core/index.ts';
import type { DriverConnection, DriverStatement, SqlValue } from '../lib/sqlite-driver.ts';
import { closeDatabase, openOwnDatabase } from './own-database.ts';

const SCHEMA = {
  version: 1,
  sql: `
  create table if not exists session (
    key integer primary key, id text not null, root text not null, stamp text not null, subject text not null, unique (id, root)
  );
  create table if not exists part (
    key integer primary key, session integer not null, agent text not null, sources text not null, unique (session, agent)
  );
  create table if not exists message (
    doc integer primary key, part integer not null, pos integer not null, at integer, id text not null, place text not null
  );
  create index if not exists message_part on message (part);
  create table if not exists name (key integer primary key, kind text not null, value text not null, unique (kind, value));
  create table if not exists used (name integer not null, doc integer not null, primary key (name, doc)) without rowid;
  create index if not exists used_doc on used (doc);
  create virtual table if not exists words using fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );`,
};

export function textFile(folder: string): string {
  return path.join(folder, 'history', 'text.db');
}

export interface KnownText {
  readonly key: number;
  readonly id: string;
  readonly root: string;
  /** Of its files and of what is known beside them. */
  readonly stamp: string;
}

export interface KnownPart {
  readonly key: number;
  readonly agent: string;
  /** JSON: the state of each file that it was read from. */
  readonly sources: string;
}

/** Where a message is: byte ranges in one of the sources of its part, or a digest of it if it has none. */
export interface MessageRow {
  readonly id: string;
  /** Its number in the conversation of its agent. */
  readonly pos: number;
  readonly at: number | null;
  readonly place: string;
}

export interface NewMessage extends MessageRow {
  readonly text: string;
  readonly tools: readonly string[];
  readonly files: readonly string[];
}

export interface PartHits {
  readonly part: number;
  readonly session: number;
  readonly agent: string;
  readonly sources: string;
  readonly hits: number;
}

export interface FoundMessage extends MessageRow {
  readonly part: number;
  /** Less is better. */
  readonly rank: number;
}

interface SubjectRow extends KnownText {
  readonly subject: QuerySubject;
}

export class TextRows {
  readonly #connection: DriverConnection;
  readonly #statements = new Map<string, DriverStatement>();
  readonly #names = new Map<string, number>();

  private constructor(connection: DriverConnection) {
    this.#connection = connection;
    // Large values are cheap in a file that only one writes to at a time, and a reader must not wait for long.
    connection.exec('pragma cache_size = -16000; pragma temp_store = memory;');
  }

  /** Throws if it cannot be used. */
  static async open(folder: string): Promise<TextRows> {
    const file = textFile(folder);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return new TextRows(await openOwnDatabase(file, SCHEMA));
  }

  static isThere(folder: string): boolean {
    return existsSync(textFile(folder));
  }

  close(): void {
    closeDatabase(this.#connection);
  }

  /** All of it, or nothing. */
  inOneStep<T>(write: () => T): T {
    this.#connection.exec('begin immediate');
    try {
      const result = write();
      this.#connection.exec('commit');
      return result;
    } catch (error) {
      this.#names.clear();
      try {
        this.#connection.exec('rollback');
      } catch {
        // SQLite has done it itself: a full disk.
      }
      throw error;
    }
  }

  /** Changes when another process writes. */
  version(): number {
    return (this.#all('pragma data_version')[0] as { readonly data_version: number } | undefined)?.data_version ?? 0;
  }

  sessions(): readonly KnownText[] {
    return this.#all('select key, id, root, stamp from session') as KnownText[];
  }

  putSession(id: string, root: string, stamp: string, subject: QuerySubject): number {
    this.#run(
      `insert into session (id, root, stamp, subject) values (?, ?, ?, ?)
       on conflict (id, root) do update set stamp = excluded.stamp, subject = excluded.subject`,
      id,
      root,
      stamp,
      JSON.stringify(subject),
    );
    return this.#key('select key from session where id = ? and root = ?', id, root);
  }

  removeSession(session: number): void {
    for (const { key } of this.parts(session)) this.removePart(key);
    this.#run('delete from session where key = ?', session);
  }

  /** Sessions without a conversation, or of which nothing is to be kept. */
  removeEmpty(): void {
    this.#run('delete from session where key not in (select session from part)');
  }

  parts(session: number): readonly KnownPart[] {
    return this.#all('select key, agent, sources from part where session = ?', session) as KnownPart[];
  }

  putPart(session: number, agent: string, sources: string): number {
    this.#run(
      `insert into part (session, agent, sources) values (?, ?, ?)
       on conflict (session, agent) do update set sources = excluded.sources`,
      session,
      agent,
      sources,
    );
    return this.#key('select key from part where session = ? and agent = ?', session, agent);
  }

  removePart(part: number): void {
    for (const { doc } of this.messages(part)) this.removeMessage(doc);
    this.#run('delete from part where key = ?', part);
  }

  messages(part: number): readonly (MessageRow & { readonly doc: number })[] {
    return this.#all('select doc, id, pos, at, place from message where part = ? order by pos', part) as (MessageRow & {
      readonly doc: number;
    })[];
  }

  addMessage(part: number, { id, pos, at, place, text, tools, files }: NewMessage): void {
    const [row] = this.#all(
      'insert into message (part, pos, at, id, place) values (?, ?, ?, ?, ?) returning doc',
      part,
      pos,
      at,
      id,
      place,
    ) as { readonly doc: number }[];
    const doc = row?.doc ?? 0;
    this.#run('insert into words (rowid, text) values (?, ?)', doc, spaceOut(text));
    for (const [kind, values] of [
      ['tool', tools],
      ['file', files],
    ] as const)
      for (const value of values)
        this.#run('insert or ignore into used (name, doc) values (?, ?)', this.#nameKey(kind, value), doc);
  }

  moveMessage(doc: number, pos: number): void {
    this.#run('update message set pos = ? where doc = ?', pos, doc);
  }

  removeMessage(doc: number): void {
    this.#run('delete from words where rowid = ?', doc);
    this.#run('delete from used where doc = ?', doc);
    this.#run('delete from message where doc = ?', doc);
  }

  #nameKey(kind: string, value: string): number {
    const id = `${kind} ${value}`;
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    this.#run('insert or ignore into name (kind, value) values (?, ?)', kind, value);
    const key = this.#key('select key from name where kind = ? and value = ?', kind, value);
    if (this.#names.size > MAX_NAMES) this.#names.clear();
    this.#names.set(id, key);
    return key;
  }

  subjects(): readonly SubjectRow[] {
    const rows = this.#all('select key, id, root, stamp, subject from session') as (KnownText & {
      readonly subject: string;
    })[];
    return rows.map((row) => ({ ...row, subject: JSON.parse(row.subject) as QuerySubject }));
  }

  countMessages(): number {
    return this.#key('select count(*) as key from message');
  }

  /** How many messages match in each agent's conversation. Filters that are about sessions and agents are the caller's. */
  count(query: Query, now: number): readonly PartHits[] {
    const { from, where, values } = this.#conditions(query, now);
    return this.#all(
      `select part.key as part, part.session as session, part.agent as agent, part.sources as sources, count(*) as hits
       from ${from} join part on part.key = message.part ${where} group by part.key`,
      ...values,
    ) as PartHits[];
  }

  /** The best messages of some conversations come first. */
  find(query: Query, now: number, parts: readonly number[], limit: number): readonly FoundMessage[] {
    const { from, where, values, hasWords } = this.#conditions(query, now);
    const rank = hasWords ? 'words.rank' : '0';
    return this.#all(
      `select message.part as part, pos, at, id, place, ${rank} as rank from ${from} ${where}
       ${where === '' ? 'where' : 'and'} message.part in (select value from json_each(?)) order by rank, pos limit ?`,
      ...values,
      JSON.stringify(parts),
      limit,
    ) as FoundMessage[];
  }

  #conditions({ words, filters }: Query, now: number) {
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const wanted = words.filter(({ isExcluded }) => !isExcluded).map(toMatch);
    const unwanted = words.filter(({ isExcluded }) => isExcluded).map(toMatch);
    const hasWords = wanted.length > 0;
    if (hasWords) {
      conditions.push('words match ?');
      values.push([`(${wanted.join(' AND ')})`, ...unwanted].join(' NOT '));
    } else if (unwanted.length > 0) {
      conditions.push('message.doc not in (select rowid from words where words match ?)');
      values.push(unwanted.join(' OR '));
    }
    for (const filter of filters) {
      if (filter.field !== 'before' && filter.field !== 'after') continue;
      const isBefore = (filter.field === 'before') !== filter.isExcluded;
      conditions.push(`message.at ${isBefore ? '<' : '>='} ?`);
      values.push(filter.when(now).from);
    }
    for (const field of ['tool', 'file'] as const) {
      const ofField = filters.filter((filter) => filter.field === field);
      for (const isExcluded of [false, true]) {
        const some = ofField.filter((filter) => filter.isExcluded === isExcluded);
        if (some.length === 0) continue;
        const docs = 'select doc from used where name in (select value from json_each(?))';
        conditions.push(`message.doc ${isExcluded ? 'not in' : 'in'} (${docs})`);
        values.push(JSON.stringify(this.#namesLike(field, some)));
      }
    }
    return {
      from: hasWords ? 'words join message on message.doc = words.rowid' : 'message',
      where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`,
      values,
      hasWords,
    };
  }

  #namesLike(kind: 'tool' | 'file', filters: readonly QueryFilter[]): readonly number[] {
    const matchers = filters.map(({ value }) => matcherOf(kind, value));
    const names = this.#all('select key, value from name where kind = ?', kind) as {
      readonly key: number;
      readonly value: string;
    }[];
    return names.filter(({ value }) => matchers.some((matches) => matches(value))).map(({ key }) => key);
  }

  #key(sql: string, ...values: readonly SqlValue[]): number {
    const [row] = this.#all(sql, ...values) as { readonly key: number }[];
    return row?.key ?? 0;
  }

  #all(sql: string, ...values: readonly SqlValue[]): unknown[] {
    return this.#prepare(sql).all(...values);
  }

  #run(sql: string, ...values: readonly SqlValue[]): void {
    this.#prepare(sql).run(...values);
  }

  #prepare(sql: string): DriverStatement {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const MAX_NAMES = 50_000;

/** Tokens hold letters and digits only, so nothing in them is an operator once they are quoted. */
function toMatch({ tokens, isPrefix }: QueryWord): string {
  return `"${tokens.join(' ')}"${isPrefix ? ' *' : ''}`;
}
