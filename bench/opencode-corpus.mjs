// A database of OpenCode of a wanted size: sessions with four agents each, texts and results of the lengths that real ones have.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';

const TABLES = [
  'create table session (id text primary key, parent_id text, slug text, directory text, title text, version text, agent text, permission text, time_created integer, time_updated integer)',
  'create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text)',
  'create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text)',
  'create index session_parent_idx on session (parent_id)',
  'create index message_session_time_created_id_idx on message (session_id, time_created, id)',
  'create index part_message_id_id_idx on part (message_id, id)',
  'create index part_session_idx on part (session_id)',
];
const WORDS = 'the quick brown agent reads «files» and says "nothing" about\n src/app.ts:12 = value; '.split(' ');
const [TEXTS, RESULTS] = [
  [100, 300, 2000],
  [200, 1000, 3000, 8000, 30_000],
];
const STEPS = 40;
const [AGENTS, BEGIN] = [4, 1_794_000_000_000];

export function writeDatabase(folder, { megabytes }) {
  mkdirSync(folder, { recursive: true });
  const database = new Database(path.join(folder, 'opencode.db'));
  database.exec('pragma journal_mode = wal');
  for (const table of TABLES) database.exec(table);
  const insert = {
    session: database.prepare('insert into session values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    message: database.prepare('insert into message values (?, ?, ?, ?, ?)'),
    part: database.prepare('insert into part values (?, ?, ?, ?, ?, ?)'),
  };
  const pick = random(20_261_115);
  const prose = Array.from({ length: 40_000 }, () => WORDS[pick(WORDS.length)]).join(' ');
  const text = (lengths) => prose.slice(pick(100_000)).slice(0, lengths[pick(lengths.length)]);
  let [bytes, count, at] = [0, 0, BEGIN];
  const id = (kind) => `${kind}_${(++count).toString(16).padStart(12, '0')}0000000000000000`;
  const add = (table, row) => {
    const data = JSON.stringify(row.pop());
    bytes += data.length;
    insert[table].run(...row, data);
  };
  while (bytes < megabytes * 1e6) {
    database.exec('begin');
    const main = id('ses');
    for (const session of [main, ...Array.from({ length: AGENTS }, () => id('ses'))]) {
      const parent = session === main ? null : main;
      insert.session.run(session, parent, 'slug', '/home/dev/app', 'A title', '1.18.33', 'general', null, at, at);
      for (let step = 0; step < STEPS; step++) addStep(session, step);
    }
    database.exec('commit');
  }
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return { bytes, sessions: count };

  function addStep(session, step) {
    const message = id('msg');
    at += 1000;
    const part = (data) => add('part', [id('prt'), message, session, at, at, data]);
    if (step === 0) {
      add('message', [message, session, at, at, { role: 'user', time: { created: at }, agent: 'build' }]);
      return part({ type: 'text', text: text(TEXTS) });
    }
    const tokens = { total: 10, input: 5, output: 5, reasoning: 0, cache: { read: 0, write: 0 } };
    const finish = step < STEPS - 1 ? 'tool-calls' : 'stop';
    const time = { created: at, completed: at + 900 };
    const ran = { role: 'assistant', agent: 'build', cost: 0.01, tokens, modelID: 'm', providerID: 'p', time, finish };
    add('message', [message, session, at, at, ran]);
    part({ snapshot: 'a'.repeat(40), type: 'step-start' });
    part({ type: 'text', text: text(TEXTS), time: { start: at, end: at } });
    const output = text(RESULTS);
    const state = {
      status: 'completed',
      input: { command: `ls ${prose.slice(0, 60)}`, description: 'List files' },
      output,
      metadata: { output: output.slice(0, 9000), exit: 0 },
      title: 'ls',
      time: { start: at, end: at + 500 },
    };
    part({ type: 'tool', tool: 'bash', callID: `call_${count}`, state });
    part({ reason: finish, snapshot: 'a'.repeat(40), type: 'step-finish', tokens, cost: 0.01 });
  }
}

/** The same numbers each time. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  };
}
