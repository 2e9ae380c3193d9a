import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import { findVersionTwo, refusal } from './settings.ts';

// The columns of 2.0.15 that are read, as its own `create table` has them, and those of the older table that an upgrade leaves.
const V2 = `
create table session_v2 (id text primary key, version text not null, directory text not null, time_created integer not null, time_updated integer not null);
create table session_message (id text primary key, session_id text not null, type text not null, seq integer not null, time_created integer not null, data text not null);`;
const V1 = 'create table session (id text primary key, version text not null, time_created integer not null);';
const AT = 1_794_812_910_327;

let home: string;
beforeEach(() => {
  home = makeTemporaryFolder('v2');
});

function database(...statements: readonly string[]): void {
  const folder = path.join(home, '.local', 'share', 'opencode');
  mkdirSync(folder, { recursive: true });
  const db = new Database(path.join(folder, 'opencode.db'));
  for (const sql of statements) db.exec(sql);
  db.close();
}

const session = (table: string, id: string, version: string, at: number): string =>
  table === 'session'
    ? `insert into session values ('${id}', '${version}', ${at})`
    : `insert into session_v2 values ('${id}', '${version}', '/p', ${at}, ${at})`;
const message = (id: string, of: string, type: string, at: number): string =>
  `insert into session_message values ('${id}', '${of}', '${type}', 1, ${at}, '{}')`;

const find = () => findVersionTwo({ machine: { env: {}, home }, folder: '/p', version: undefined, commands: [] });

describe('OpenCode 2', () => {
  it.each(['2.0.0', '2.0.15', '2.2.0', '10.1.0'])('does not load the plugin: %s', (version) => {
    expect(refusal(version)?.text).toContain(`OpenCode ${version} does not load this plugin`);
  });

  it.each(['1.1.65', '1.18.33', '1.99.0'])('is not meant by %s', (version) => {
    expect(refusal(version)).toBeUndefined();
  });

  it('is found by its newest message in a new database', async () => {
    database(V2, session('session_v2', 'ses_a', '2.0.15', AT), message('msg_1', 'ses_a', 'assistant', AT + 500));
    expect(await find()).toMatchObject([{ at: AT + 500 }]);
    expect((await find())[0]?.text).toContain('OpenCode 2.0.15 ran session ses_a (last activity 2026-');
  });

  it('is not found where an upgrade only copied the sessions of OpenCode 1', async () => {
    database(
      V1,
      V2,
      session('session', 'ses_a', '1.18.33', AT),
      session('session_v2', 'ses_a', '1.18.33', AT),
      message('msg_1', 'ses_a', 'assistant', AT + 500),
    );
    expect(await find()).toEqual([]);
  });

  it('is found where it continued a copied session, or began one of its own beside them', async () => {
    database(
      V1,
      V2,
      session('session', 'ses_a', '1.18.33', AT),
      session('session_v2', 'ses_a', '1.18.33', AT),
      message('msg_1', 'ses_a', 'idle', AT + 900),
    );
    expect(await find()).toMatchObject([
      { at: AT + 900, text: expect.stringContaining('OpenCode 2 ran session ses_a') },
    ]);
    database(session('session_v2', 'ses_b', '0.0.0-next-16350', AT + 1_000));
    expect(await find()).toMatchObject([{ at: AT + 1_000, text: expect.stringContaining('ses_b') }]);
  });

  it('is found by its running service, and not by what one left behind', async () => {
    const folder = path.join(home, '.local', 'state', 'opencode');
    mkdirSync(folder, { recursive: true });
    const service = (pid: number, version: string): void =>
      writeFileSync(path.join(folder, 'service.json'), JSON.stringify({ pid, version, url: 'http://127.0.0.1:1' }));
    service(process.pid, '2.0.15');
    expect(await find()).toMatchObject([{ text: expect.stringContaining(`is running (pid ${process.pid})`) }]);
    service(2 ** 22 + 1, '2.0.15');
    expect(await find()).toEqual([]);
    writeFileSync(path.join(folder, 'service.json'), '{');
    expect(await find()).toEqual([]);
  });

  it('is not claimed on a database that cannot be read, or is not its own', async () => {
    expect(await find()).toEqual([]);
    database('create table session_v2 (name text)');
    expect(await find()).toEqual([]);
    writeFileSync(path.join(home, '.local', 'share', 'opencode', 'opencode.db'), 'not a database');
    expect(await find()).toEqual([]);
  });
});
