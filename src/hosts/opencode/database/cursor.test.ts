import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type AgentEvent, toSourceId } from '../../../core/index.ts';
import { readDatabase } from '../../../lib/sqlite.ts';
import { type DatabaseWriter, startWriter } from '../../../lib/testing/databases.ts';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import type { LocatedSession, LocatedSource } from '../../index.ts';
import { agentIdOf, sessionIdOf } from '../record.ts';
import { openDatabase, readAtOnce } from './cursor.ts';
import { ROWS, TOGETHER } from './rows.ts';
import { readSchema } from './schema.ts';

const TABLES = [
  'create table session (id text primary key, parent_id text, title text, permission text, time_created integer, time_updated integer)',
  'create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text)',
  'create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text)',
];
const folder = makeTemporaryFolder('first');
const file = path.join(folder, 'opencode.db');
let writer: DatabaseWriter;
let rows = 0;

const text = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;

function addSession(id: string, parent: string | null, messages = 2, title = `'Title of "${id}"'`): readonly string[] {
  const parentId = parent === null ? 'null' : `'${parent}'`;
  const rules = [{ permission: 'bash', pattern: '*', action: 'deny' }];
  const lines = [`insert into session values ('${id}', ${parentId}, ${title}, ${text(rules)}, 1, 2)`];
  for (let at = 1; at <= messages; at++) {
    const message = `msg_${++rows}`;
    const time = { created: at, completed: at + 1 };
    const info = at === 1 ? { role: 'user', time } : { role: 'assistant', time, finish: 'stop', modelID: 'm' };
    const part =
      at === 1
        ? { type: 'text', text: `Do ${id}` }
        : { type: 'tool', tool: 'ls', state: { status: 'error', input: {} } };
    lines.push(`insert into message values ('${message}', '${id}', ${at}, ${at}, ${text(info)})`);
    lines.push(`insert into part values ('prt_${rows}', '${message}', '${id}', ${at}, ${at}, ${text(part)})`);
  }
  return lines;
}

beforeAll(async () => {
  writer = await startWriter(file);
  const many = Array.from({ length: TOGETHER }, (_, index) => `ses_many_${index}`);
  await writer.run(
    ...TABLES,
    'begin',
    ...addSession('ses_few', null),
    ...addSession('ses_few_1', 'ses_few'),
    ...addSession('ses_few_2', 'ses_few_1'),
    ...addSession('ses_many', null),
    ...many.flatMap((id) => addSession(id, 'ses_many')),
    ...addSession('ses_long', null, ROWS + 7),
    ...addSession('ses_bytes', null, 2, "cast(x'41ff42' as blob)"),
    ...addSession('ses_lost', null),
    ...addSession('ses_lost_1', 'ses_lost'),
    "delete from session where id = 'ses_lost'",
    ...addSession('ses_quote', null),
    ...addSession('ses_quote"1', 'ses_quote'),
    ...addSession('ses_quote"2', 'ses_quote'),
    'commit',
  );
});
afterAll(() => writer.close());

/** A timer closes them. */
const closeIdleConnections = () => vi.runAllTimers();
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  closeIdleConnections();
  vi.useRealTimers();
});

const lookAt = (root: string) =>
  readDatabase(file, async (database) => {
    readSchema(database, file);
    return readAtOnce(database, root);
  });

/** A connection that is opened anew does not know the schema, and asks bit by bit; the next one finds it still there. */
async function readTwice(root: string): Promise<readonly (readonly AgentEvent[])[]> {
  const source = { id: toSourceId('opencode.db'), path: file, role: 'database', shape: 'table' } as LocatedSource;
  const session = {
    id: sessionIdOf(root),
    root: folder,
    sources: [source],
    facts: [],
    modifiedAt: 0,
  } as LocatedSession;
  closeIdleConnections();
  const found: AgentEvent[][] = [];
  for (const facts of [[], []] as AgentEvent[][]) {
    await openDatabase(session, source).look((more) => facts.push(...more));
    found.push(facts);
  }
  return found;
}

it('brings a small tree whole', async () => {
  const first = await lookAt('ses_few');
  expect(first?.infos.map(({ id }) => id).sort()).toEqual(['ses_few', 'ses_few_1', 'ses_few_2']);
  expect(first?.infos.find(({ id }) => id === 'ses_few_2')).toMatchObject({
    parent: 'ses_few_1',
    title: 'Title of "ses_few_2"',
    deniedTools: ['bash'],
  });
  expect(first?.numbers.every((number) => number >= rows)).toBe(true);
  expect(first?.text?.row).toMatchObject({ messages: 6, parts: 3, told: 3 });
});

it.each(['ses_many', 'ses_long'])('brings the sessions of a large one only: %s', async (root) => {
  const first = await lookAt(root);
  expect(first?.infos.length).toBe(root === 'ses_many' ? TOGETHER + 1 : 1);
  expect(first?.text).toBeUndefined();
});

it('says nothing of one that is not there, and of one with bytes where a text should be', async () => {
  expect((await lookAt('ses_none'))?.infos).toEqual([]);
  expect(await lookAt('ses_bytes')).toBeUndefined();
});

it('says nothing where the schema has become another one', async () => {
  const first = await readDatabase(file, async (database) => {
    readSchema(database, file);
    await writer.run('alter table session add column agent text');
    return readAtOnce(database, 'ses_few');
  });
  expect(first).toBeUndefined();
  expect((await lookAt('ses_few'))?.infos.length).toBe(3);
});

it.each(['ses_few', 'ses_many', 'ses_long', 'ses_bytes', 'ses_lost'])(
  'tells what is told bit by bit: %s',
  async (root) => {
    const [bitByBit, atOnce] = await readTwice(root);
    expect(bitByBit?.length).toBeGreaterThan(5);
    expect(atOnce).toEqual(bitByBit);
  },
);

it('tells what stands in a session whose id JSON writes in another way of that session', async () => {
  for (const facts of await readTwice('ses_quote')) {
    const agents = facts.flatMap((fact) => (fact.kind === 'agent-prompted' ? [fact.agent] : []));
    expect(agents.sort()).toEqual(['ses_quote', 'ses_quote"1', 'ses_quote"2'].map(agentIdOf));
  }
});
