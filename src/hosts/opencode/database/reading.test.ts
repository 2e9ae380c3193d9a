import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentEvent, toSourceId } from '../../../core/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readDatabase } from '../../../lib/sqlite.ts';
import { type DatabaseWriter, startWriter } from '../../../lib/testing/databases.ts';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import type { LocatedSession, LocatedSource } from '../../index.ts';
import { messageFacts } from '../parse-messages.ts';
import { partFacts } from '../parse-parts.ts';
import { sessionIdOf } from '../record.ts';
import { openDatabase } from './cursor.ts';
import { readBatches, toParts } from './rows.ts';

const SESSION = 'ses_1';
const TABLES = [
  'create table session (id text primary key, parent_id text, title text, time_created integer, time_updated integer)',
  'create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text)',
  'create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text)',
  `insert into session values ('${SESSION}', null, 'A title', 1, 2)`,
];
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const long = (length: number): string => 'ein «Satz» with "quotes", 🎭 and\nlines, '.repeat(length).slice(0, length);
const ran = { start: 1_794_000_000_000, end: 1_794_000_000_900 };

const call = (tool: string, state: JsonObject): JsonObject => ({ type: 'tool', tool, callID: 'call_1', state });
const completed = (input: JsonObject, output: string, more: JsonObject = {}): JsonObject => ({
  ...{ status: 'completed', input, output, metadata: { output }, title: 'a title', time: ran, ...more },
});

const PRINTED = '0199c4b1-7a5e-7d33-8a1c-2f6b3c9d0e11';

/** Parts as the program writes them. */
const PARTS: readonly JsonObject[] = [
  call('bash', completed({ command: 'ls', description: 'List' }, long(10))),
  call('bash', completed({ command: 'ls', description: 'List' }, long(30_000))),
  call('bash', completed({ command: 'cat <<EOF\n…', description: long(300) }, long(5_000))),
  // The end of a text that is cut by bytes may begin in the middle of a character.
  ...[0, 1, 2, 3].map((shift) =>
    call('bash', completed({ command: 'ls' }, `${long(2_000)}${'🎭'.repeat(60)}${'.'.repeat(shift)}`)),
  ),
  call('bash', completed({ command: 'ls' }, long(3_000), { time: { ...ran, compacted: 1_794_000_001_000 } })),
  call('bash', completed({ command: 'ls' }, `","time":{"start":1,"end":2}}}${long(3_000)}`)),
  call('read', completed({ filePath: '/a' }, long(3_000), { attachments: [{ id: 'prt_x', url: 'data:,' }] })),
  call('write', completed({ filePath: '/a/b.ts', content: long(9_000) }, 'Wrote file successfully.')),
  call('edit', completed({ filePath: '/a/c.ts', oldString: long(2_000), newString: long(2_000) }, 'Edited.')),
  call(
    'task',
    completed({ description: 'd', prompt: long(3_000), subagent_type: 'general' }, long(2_000), {
      metadata: { sessionId: 'ses_2', parentSessionId: SESSION },
    }),
  ),
  call('task', completed({ prompt: 'p', subagent_type: 'general' }, long(2_000), { metadata: { sessionId: 'ses_3' } })),
  call('bash', completed({ command: 'codex exec hello' }, `session id: ${PRINTED}\n${long(3_000)}`)),
  call('bash', { status: 'error', input: { command: 'ls' }, error: `No.\n${long(3_000)}`, time: ran }),
  call('bash', {
    status: 'running',
    input: { command: long(300) },
    metadata: { output: long(3_000) },
    time: { start: ran.start },
  }),
  call('invalid', completed({ tool: 'nothing', error: 'There is no such tool.' }, 'There is no such tool.')),
  { type: 'text', text: long(2_000) },
  { type: 'reasoning', text: long(2_000) },
  { type: 'step-start' },
];
/** Such as would lead somebody astray who looks at their beginning and end only. */
const ASTRAY: readonly JsonObject[] = [
  call('bash', completed({ command: 'ls', output: 'a file' }, long(3_000))),
  call('custom', completed({ a: { output: 'nested', time: { start: 5 } } }, long(3_000))),
  call('bash', completed({ command: 'ls' }, long(3_000), { metadata: { time: { start: 7, end: 8 } } })),
];
/** More than one batch of them, and those that lead astray in the last. */
const [REPEATS, PLAIN] = [90, 80];

let writer: DatabaseWriter;
const folder = makeTemporaryFolder('rows');
const expected: AgentEvent[] = [];
const source = {
  id: toSourceId('opencode.db'),
  path: path.join(folder, 'opencode.db'),
  role: 'database',
  shape: 'table',
} as LocatedSource;
const session = {
  id: sessionIdOf(SESSION),
  root: folder,
  sources: [source],
  facts: [],
  modifiedAt: 0,
} as LocatedSession;

beforeAll(async () => {
  writer = await startWriter(source.path);
  await writer.run(...TABLES);
  const context = { session: session.id, source: source.id, settings: new Map() };
  const rows: string[] = [];
  for (let turn = 0; turn < REPEATS; turn++) {
    const at = 1_794_000_000_000 + turn;
    const tokens = { input: turn, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };
    const said =
      turn % 20 === 7 ? { error: { name: 'APIError', data: { message: 'No.', responseBody: long(9_000) } } } : {};
    const info = {
      role: 'assistant',
      time: { created: at, completed: at + 1 },
      tokens,
      modelID: 'm',
      finish: 'tool-calls',
      ...said,
    };
    const message = `msg_${turn}`;
    rows.push(`insert into message values ('${message}', '${SESSION}', ${at}, ${at}, ${text(JSON.stringify(info))})`);
    expected.push(...messageFacts({ id: message, session: SESSION }, info, context));
    for (const [index, part] of (turn < PLAIN ? PARTS : [...PARTS, ...ASTRAY]).entries()) {
      const id = `prt_${turn}_${index}`;
      rows.push(
        `insert into part values ('${id}', '${message}', '${SESSION}', ${at}, ${at + 5}, ${text(JSON.stringify(part))})`,
      );
      const key = { id, session: SESSION, isPrompt: false, createdAt: at, from: at, until: at + 5 };
      expected.push(...partFacts(key, part, context));
    }
  }
  await writer.run('begin', ...rows, 'commit');
});
afterAll(() => writer.close());

const callsAndMessages = (facts: readonly AgentEvent[]): readonly string[] =>
  facts
    .filter(({ kind }) => kind !== 'session-seen' && kind !== 'session-titled' && kind !== 'agent-seen')
    .map((fact) => JSON.stringify(fact, Object.keys(flat(fact)).sort()))
    .sort();

/** Every key at any depth, for `JSON.stringify` takes the keys to write as a list. */
function flat(value: unknown): Record<string, true> {
  const keys: Record<string, true> = {};
  JSON.stringify(value, (key, one) => {
    keys[key] = true;
    return one;
  });
  return keys;
}

async function read(): Promise<readonly AgentEvent[]> {
  const facts: AgentEvent[] = [];
  await openDatabase(session, source).look((more) => facts.push(...more));
  return facts;
}

it('tells of rows what their whole texts emit, however they are read', async () => {
  expect(callsAndMessages(await read())).toEqual(callsAndMessages(expected));
});

function batchesOf(sessions: readonly string[]): Promise<readonly ReturnType<typeof toParts>[]> {
  return readDatabase(source.path, async (database) => {
    const found: ReturnType<typeof toParts>[] = [];
    for await (const batch of readBatches(database, sessions)) found.push(toParts(batch));
    return found;
  });
}

it('reads calls in batches, but for those whose bodies stand in front of what is wanted', async () => {
  const [first] = await batchesOf([SESSION]);
  const toolOf = (id: string): unknown => PARTS[Number(id.split('_')[2])]?.['tool'];
  expect(new Set(first?.whole.map(toolOf))).toEqual(new Set(['task', 'bash']));
  expect(new Set(first?.apart.map(toolOf))).toEqual(new Set(['write', 'edit', 'bash', 'task']));
  expect(first?.rows.length).toBeGreaterThan(600);
});

it('reads short sessions together, and all of a long one that stands between them', async () => {
  const short = ['ses_a', 'ses_b'];
  const insert = (id: string): string =>
    `insert into part values ('prt_${id}', 'msg_${id}', '${id}', 1, 1, '{"type":"tool","tool":"ls","state":{}}')`;
  await writer.run(...short.map(insert));
  const sessionsIn = (batches: Awaited<ReturnType<typeof batchesOf>>): readonly (readonly string[])[] =>
    batches.map((batch) => [...new Set(batch?.rows.map(({ session: of }) => of))]);
  expect(sessionsIn(await batchesOf(short))).toEqual([short]);
  const between = await batchesOf(['ses_a', SESSION, 'ses_b']);
  expect(sessionsIn(between)).toEqual([['ses_a'], [SESSION], [], ['ses_b']]);
  await writer.run("delete from part where session_id in ('ses_a', 'ses_b')");
});

it('tells all of it where one row is no JSON, or tries to be two', async () => {
  const wrong = ['{"type":"tool","tool":"bash","state":{"status":', '{}],[2,"prt_x","msg_1",1,1,{}', '{},{}'];
  const insert = (data: string, index: number): string =>
    `insert into part values ('prt_wrong_${index}', 'msg_3', '${SESSION}', 1, 1, ${text(data)})`;
  for (const [index, data] of wrong.entries()) {
    await writer.run(insert(data, index));
    const facts = await read();
    const problems = facts.filter(({ kind }) => kind === 'problem-found');
    const details = new Set(
      problems.flatMap((fact) => (fact.kind === 'problem-found' ? [fact.diagnostic.detail] : [])),
    );
    expect(details).toEqual(new Set([`the row prt_wrong_${index}`]));
    const rest = new Set(callsAndMessages(facts.filter(({ kind }) => kind !== 'problem-found')));
    expect([...rest]).toEqual(callsAndMessages(expected));
    await writer.run(`delete from part where id = 'prt_wrong_${index}'`);
  }
});
