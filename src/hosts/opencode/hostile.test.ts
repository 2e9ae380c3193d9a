import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { buildTree, type SessionTree } from '../../core/index.ts';
import { startWriter } from '../../lib/testing/databases.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { readSession } from '../../sessions/index.ts';
import { MUCH_LATER } from '../testing/feed.ts';
import { opencode } from './index.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A data folder made of recordings: one file or folder of each. */
function folderWith(...parts: readonly (readonly [recording: string, part: string])[]): string {
  const root = makeTemporaryFolder('hostile');
  folders.push(root);
  for (const [recording, part] of parts)
    cpSync(fileURLToPath(new URL(`fixtures/${recording}/${part}`, import.meta.url)), path.join(root, part), {
      recursive: true,
    });
  return root;
}

async function read(root: string): Promise<{ trees: readonly SessionTree[]; problems: readonly string[] }> {
  const { sessions, problems = [] } = await opencode.locate(root);
  const trees: SessionTree[] = [];
  for (const session of sessions) trees.push(buildTree(await readSession(opencode, session), { now: MUCH_LATER }));
  return { trees, problems };
}

const SINGLE = ['1.18.33-single', 'opencode.db'] as const;
const SECOND = ['2.0.15-single', 'opencode.db'] as const;
const STORAGE = ['1.1.65-single', 'storage'] as const;

describe('what is wrong is told once, and everything else is shown', () => {
  it('a file that is no database', async () => {
    const root = folderWith(STORAGE);
    writeFileSync(path.join(root, 'opencode.db'), 'no database at all, and long enough to look'.repeat(50));
    const { trees, problems } = await read(root);
    expect(problems).toEqual([expect.stringMatching(/opencode\.db: it is no database\.$/)]);
    expect(trees.map(({ agents }) => agents.length)).toEqual([2]);
  });
  it('a damaged database', async () => {
    const root = folderWith(SINGLE, STORAGE);
    const file = path.join(root, 'opencode.db');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 1_024 * 3));
    const { trees, problems } = await read(root);
    const said = [
      ...problems,
      ...trees.flatMap(({ diagnostics }) => diagnostics.map(({ examples }) => examples[0]?.detail)),
    ];
    expect(said).toEqual([expect.stringMatching(/it is damaged/)]);
    expect(trees.some(({ agents }) => agents.length === 2)).toBe(true);
  });
  it('a database that ends too soon', async () => {
    const root = folderWith(SINGLE, STORAGE);
    truncateSync(path.join(root, 'opencode.db'), 70_000);
    const { trees, problems } = await read(root);
    const told = problems.length + trees.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
    expect(told).toBeGreaterThan(0);
    expect(trees.some(({ agents }) => agents.length === 2)).toBe(true);
  });
  it('an empty database, before its tables are made', async () => {
    const root = folderWith(STORAGE);
    writeFileSync(path.join(root, 'opencode.db'), '');
    const { trees, problems } = await read(root);
    expect(problems).toEqual([expect.stringMatching(/opencode\.db: it is empty\.$/)]);
    expect(trees).toHaveLength(1);
  });
  it.each<readonly [string, (file: string) => void, string]>([
    ['a folder', (file) => mkdirSync(file), 'it is a folder, not a regular file'],
    ['a link to nothing', (file) => symlinkSync('nowhere.db', file), 'it is a link to nothing'],
    ['a link to itself', (file) => symlinkSync(path.basename(file), file), 'it is a link to nothing'],
  ])('%s by the name of a database', async (_what, make, told) => {
    const root = folderWith(STORAGE);
    make(path.join(root, 'opencode.db'));
    const { trees, problems } = await read(root);
    expect(problems).toEqual([expect.stringContaining(`opencode.db: ${told}.`)]);
    expect(trees).toHaveLength(1);
  });
  // The one who may do everything may read everything.
  it.skipIf(process.getuid?.() === 0)('what we may not read', async () => {
    const root = folderWith(SINGLE, STORAGE);
    const [part = ''] = readdirSync(path.join(root, 'storage', 'part'));
    const closed = [path.join(root, 'opencode.db'), path.join(root, 'storage', 'part', part)];
    for (const place of closed) chmodSync(place, 0);
    const { trees, problems } = await read(root);
    for (const place of closed) chmodSync(place, 0o700);
    expect(problems).toEqual([expect.stringContaining('opencode.db: you may not read it.')]);
    expect(trees.flatMap(({ diagnostics }) => diagnostics.map(({ code, count }) => [code, count]))).toEqual([
      ['unreadable-file', 1],
    ]);
  });
  it('a schema that troupe does not know', async () => {
    const root = folderWith(STORAGE);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run('create table session (id text primary key, mother text)', 'create table message (id text)');
    await writer.close();
    const { trees, problems } = await read(root);
    expect(problems).toEqual([
      expect.stringContaining('has no column «session.parent_id»: this version of troupe does not know'),
    ]);
    expect(trees).toHaveLength(1);
  });
  it('a newer schema, with columns and tables that nobody knows yet', async () => {
    const root = folderWith(SINGLE);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run(
      'alter table session add column mood text',
      'alter table part add column weight integer',
      'create table dream (id text)',
      `insert into part (id, message_id, session_id, time_created, time_updated, data) select 'prt_x', id, session_id, 1, 1, '{"type":"from-the-future","x":[1]}' from message limit 1`,
    );
    await writer.close();
    const { trees, problems } = await read(root);
    expect(problems).toEqual([]);
    expect(trees[0]?.agents.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(trees[0]?.diagnostics).toEqual([]);
  });
  it('a schema of a later step than any that was recorded: it is told, and all that is known is shown', async () => {
    const root = folderWith(SINGLE, STORAGE);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run("insert into migration (id, time_completed) values ('20990101000000_future', 1)");
    await writer.close();
    writeFileSync(path.join(root, 'storage', 'migration'), '99');
    const { trees, problems } = await read(root);
    expect(problems).toEqual([
      expect.stringContaining('opencode.db: its schema (20990101000000_future) is newer than troupe knows.'),
      expect.stringContaining('storage: its schema (99) is newer than troupe knows.'),
    ]);
    expect(trees.map(({ agents }) => agents.length)).toEqual([2, 2]);
  });
  it('a newer OpenCode 2: tables, columns, messages and what is in them are named, and all that is known is shown', async () => {
    const root = folderWith(SECOND);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run(
      'alter table session_v2 add column mood text',
      'alter table session_message add column weight integer',
      'create table session_v3 (id text)',
      'create table garden (id text)',
      `insert into session_message (id, session_id, type, seq, time_created, time_updated, data)
        select 'msg_dream', session_id, 'dream', 900, 1, 1, '{"time":{"created":1},"text":"x"}' from session_message limit 1`,
      `update session_message set data = json_insert(data, '$.content[#]', json('{"type":"vision"}'))
        where id = (select min(id) from session_message where type = 'assistant')`,
    );
    await writer.close();
    const { trees, problems } = await read(root);
    const unknown = 'session_v3, session_v2.mood, session_message.weight';
    expect(problems).toEqual([
      expect.stringContaining(`opencode.db: its schema (${unknown}) is newer than troupe knows.`),
    ]);
    expect(trees[0]?.agents.map(({ status }) => status)).toEqual(['completed', 'completed']);
    const named = trees[0]?.diagnostics.flatMap(({ code, examples }) => examples.map(({ detail }) => [code, detail]));
    expect(named?.toSorted()).toEqual([
      ['unknown-record', 'content of type vision'],
      ['unknown-record', 'message of type dream'],
    ]);
  });
  it('a newer OpenCode 2 with its sessions in another table: it is named', async () => {
    const root = folderWith(SECOND);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run('alter table session_v2 rename to session_v3');
    await writer.close();
    const { trees, problems } = await read(root);
    expect(problems).toEqual([
      expect.stringContaining('its sessions are in the table «session_v3»: this version of troupe does not know'),
    ]);
    expect(trees).toEqual([]);
  });
  it('events of a newer OpenCode 2: each type is named once, and all that is known is shown', async () => {
    const root = folderWith(['2.0.15-single', 'events.jsonl']);
    const lines = readFileSync(path.join(root, 'events.jsonl'), 'utf8').trim().split('\n');
    const { at, data } = JSON.parse(lines.findLast((line) => line.includes('"session.text.ended"')) ?? '');
    const more = ['session.dream.began', 'session.dream.began', 'session.text.delta', 'garden.opened'].map((type) =>
      JSON.stringify({ at, data: { ...data, type } }),
    );
    writeFileSync(path.join(root, 'events.jsonl'), [...lines, ...more].map((line) => `${line}\n`).join(''));
    const { trees } = await read(root);
    expect(trees[0]?.agents.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(trees[0]?.diagnostics).toMatchObject([{ code: 'unknown-record', count: 1 }]);
  });
  it('sessions that name each other as parents are one tree', async () => {
    const root = folderWith(STORAGE);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run(
      'create table session (id text primary key, parent_id text, title text, time_created integer, time_updated integer)',
      'create table message (id text primary key, session_id text, time_created integer, data text)',
      'create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text)',
      "insert into session values ('ses_a', 'ses_c', '', 1, 1), ('ses_b', 'ses_a', '', 1, 1), ('ses_c', 'ses_b', '', 1, 1), ('ses_d', 'ses_a', '', 1, 1), ('ses_e', 'ses_e', '', 1, 1)",
    );
    await writer.close();
    const { trees } = await read(root);
    expect(trees.map(({ agents }) => agents.length).sort()).toEqual([1, 2, 4]);
  });
  it('rows that are no JSON', async () => {
    const root = folderWith(SINGLE);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run(
      `update part set data = '{"type":"tool","tool":"bash","st' where id in (select id from part where data like '%"tool":"bash"%' limit 1)`,
    );
    await writer.close();
    const { trees } = await read(root);
    expect(trees[0]?.agents).toHaveLength(2);
    expect(trees[0]?.diagnostics.map(({ code, count }) => [code, count])).toEqual([['invalid-json', 1]]);
  });
  it('a long row that ends too soon, of a file that was written', async () => {
    const root = folderWith(SINGLE);
    const whole = (await read(root)).trees;
    const writer = await startWriter(path.join(root, 'opencode.db'));
    const cut = `{"type":"tool","tool":"write","state":{"status":"completed","input":{"filePath":"/a","content":"${'x'.repeat(2_000)}`;
    await writer.run(
      `insert into part (id, message_id, session_id, time_created, time_updated, data) select 'prt_0', id, session_id, 1, 1, '${cut}' from message limit 1`,
    );
    await writer.close();
    const { trees } = await read(root);
    expect(trees[0]?.agents.map(({ status }) => status)).toEqual(whole[0]?.agents.map(({ status }) => status));
    expect(trees[0]?.diagnostics.map(({ code }) => code)).not.toContain('unreadable-file');
  });
  it('texts that are no UTF-8', async () => {
    const root = folderWith(SINGLE);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run(
      "update session set title = cast(x'41ff42' as text)",
      "update part set data = cast(replace(cast(data as blob), cast('bash' as blob), x'ff') as text) where data like '%\"tool\":\"bash\"%'",
    );
    await writer.close();
    const { trees } = await read(root);
    expect(trees[0]?.agents).toHaveLength(2);
    expect(trees[0]?.title).toBe('A\ufffdB');
  });
  it("another program's database is nobody's", async () => {
    const root = folderWith(STORAGE);
    const writer = await startWriter(path.join(root, 'state.db'));
    await writer.run('create table threads (id text)');
    await writer.close();
    const { trees, problems } = await read(root);
    expect(problems).toEqual([]);
    expect(trees).toHaveLength(1);
  });
  it('a database that its writer keeps to itself is told or read, and the rest is shown', async () => {
    const root = folderWith(SINGLE, STORAGE);
    const writer = await startWriter(path.join(root, 'opencode.db'));
    // In this mode nobody else may even look.
    await writer.run('pragma locking_mode = exclusive', 'begin exclusive', "update session set title = 'x'", 'commit');
    const locked = await read(root);
    expect(locked.problems.length + locked.trees.length).toBe(2);
    expect(locked.trees.some(({ agents }) => agents.length === 2)).toBe(true);
    await writer.close();
    expect((await read(root)).trees).toHaveLength(2);
  });
  it('half a JSON file, of each kind', async () => {
    for (const kind of ['session', 'message', 'part']) {
      const root = folderWith(STORAGE, ['1.18.33-single', 'opencode.db']);
      const folder = path.join(root, 'storage', kind);
      const [first = ''] = readdirSync(folder);
      const [file = ''] = readdirSync(path.join(folder, first));
      const place = path.join(folder, first, file);
      writeFileSync(place, readFileSync(place, 'utf8').slice(0, 40));
      const { trees, problems: said } = await read(root);
      expect(trees.length, kind).toBeGreaterThanOrEqual(2);
      if (kind === 'session') {
        expect(said).toEqual([expect.stringContaining(`${file}: it is no JSON`)]);
        continue;
      }
      const problems = trees.flatMap(({ diagnostics }) => diagnostics);
      expect(
        problems.map(({ code, count }) => [code, count]),
        kind,
      ).toEqual([['invalid-json', 1]]);
      expect(problems[0]?.examples[0]?.detail).toContain(file);
    }
  });
});

it('what holds secrets is never asked for', async () => {
  const root = folderWith(SINGLE);
  const writer = await startWriter(path.join(root, 'opencode.db'));
  // Whoever reads a row of these, in whichever column, is told that it is no JSON.
  for (const table of ['account', 'account_state', 'control_account', 'credential', 'session_share'])
    await writer.run(`drop table ${table}`, `create view ${table} as select json('no') as id, json('no') as secret`);
  await expect(writer.run('select count(secret) from credential')).rejects.toThrow('malformed JSON');
  const whole = await readAll(root);
  // The address of a shared session opens it to everybody.
  await writer.run("update session set share_url = 'https://example.com/s/SECRET'");
  await writer.close();
  expect(whole).toContain('completed');
  expect(await readAll(root)).not.toContain('SECRET');
});

/** Everything that is made of a data folder: what is listed, the trees, every conversation. */
async function readAll(root: string): Promise<string> {
  const { sessions, problems } = await opencode.locate(root);
  expect(problems).toEqual([]);
  const said: unknown[] = [sessions];
  for (const session of sessions) {
    const tree = buildTree(await readSession(opencode, session), { now: MUCH_LATER });
    expect(tree.diagnostics).toEqual([]);
    said.push(tree);
    for (const source of session.sources)
      for (const { id } of tree.agents) {
        const bodies = opencode.openTranscript?.(session, source, id);
        const places = (await bodies?.places()) ?? [];
        expect(places.length).toBeGreaterThan(0);
        said.push(await bodies?.read(places));
      }
  }
  return JSON.stringify(said);
}

it('one child of several parents is the child of the one it names', async () => {
  // A fork repeats the calls of the session it was copied from; the agents stay where they are.
  const root = folderWith(SINGLE);
  const writer = await startWriter(path.join(root, 'opencode.db'));
  const copied = "replace(replace(id, 'msg_', 'msg_f'), 'prt_', 'prt_f')";
  const main = '(select id from session where parent_id is null)';
  await writer.run(
    'pragma foreign_keys = off',
    `create temp table origin as select ${main} as id`,
    `insert into session select 'ses_fork', project_id, workspace_id, parent_id, slug, directory, path, 'Scripted title (fork #1)', version, share_url, summary_additions, summary_deletions, summary_files, summary_diffs, metadata, cost, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write, revert, permission, agent, model, time_created, time_updated, time_compacting, time_archived from session where id = (select id from origin)`,
    `insert into part select ${copied}, replace(message_id, 'msg_', 'msg_f'), 'ses_fork', time_created, time_updated, data from part where session_id = (select id from origin)`,
    `insert into message select ${copied}, 'ses_fork', time_created, time_updated, data from message where session_id = (select id from origin)`,
  );
  await writer.close();
  const { trees } = await read(root);
  expect(trees.map(({ agents }) => agents.length).sort()).toEqual([1, 2]);
});

it('a session whose parent is lost stays, under the name of its parent', async () => {
  const root = folderWith();
  mkdirSync(path.join(root, 'export'));
  const folder = fileURLToPath(new URL('fixtures/1.18.33-single/export', import.meta.url));
  const [child = ''] = readdirSync(folder).filter((name) =>
    readFileSync(path.join(folder, name), 'utf8').includes('"parentID": "ses_'),
  );
  cpSync(path.join(folder, child), path.join(root, 'export', child));
  const { trees } = await read(root);
  expect(trees[0]?.agents.map(({ kind, status, depth }) => [kind, status, depth])).toEqual([
    ['main', 'unknown', 0],
    ['task', 'completed', 1],
  ]);
});
