import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { nativeId, type SessionTree, toSessionId } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { listDataFolders } from './places.ts';
import { createStreamRecorder } from './session-records.ts';
import { createSessions } from './sessions.ts';
import { createShadow } from './stream/shadow.ts';
import { readsStreams } from './stream/shadowed-session.ts';

// The same run twice: its files, and what it printed.

const fixture = (place: string): string => fileURLToPath(new URL(`../${place}`, import.meta.url));
const FILES = fixture('hosts/claude-code/fixtures/2.1.325-nested');
const STREAM = fixture('sessions/stream/fixtures/claude-code-2.1.325-nested.jsonl');
const SESSION = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('streams');
  cpSync(FILES, path.join(folder, 'root'), { recursive: true });
});

async function tellStream(lines: number): Promise<void> {
  const told = createStreamRecorder(path.join(folder, 'streams'), (error) => {
    throw error;
  });
  const shadow = createShadow({
    adapters: [claudeCode].filter(readsStreams),
    clock: Date.now,
    placesOf: () => [],
    onEvents: () => {},
    onFacts: (session, facts) => told.add(session, facts),
    onError: () => {},
  });
  shadow.push(Buffer.from(readFileSync(STREAM, 'utf8').split('\n').slice(0, lines).join('\n')));
  await shadow.end();
  await told.end();
}

async function treeOf(streams?: string): Promise<SessionTree> {
  const machine = { env: {}, home: folder };
  const places = listDataFolders(
    [claudeCode],
    machine,
    { roots: [path.join(folder, 'root')] },
    streams ? { streams } : {},
  );
  return (await createSessions(places, { clock: Date.now }).open(SESSION)).tree;
}

const outline = ({ agents }: SessionTree) =>
  agents.map(({ id, link, depth, status, description, toolCallCount, usage, messageCount }) => ({
    id: nativeId(id),
    parent: link.parent,
    call: link.call,
    depth,
    status,
    description,
    toolCallCount,
    usage,
    messageCount,
  }));

it('a stream changes nothing about a session whose files are complete', async () => {
  const before = outline(await treeOf());
  await tellStream(1000);
  expect(outline(await treeOf(path.join(folder, 'streams')))).toEqual(before);
  const file = path.join(folder, 'streams', 'claude-code', `${SESSION}.jsonl`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain('"entry-added"');
});

it('a stream shows agents before the files do', async () => {
  // The reply is not written before it has ended: only what the person asked stands in the file.
  const project = path.join(folder, 'root/projects/-home-dev-nested');
  const main = path.join(project, `${SESSION}.jsonl`);
  const first = readFileSync(main, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"user"'))
    .slice(0, 1);
  writeFileSync(main, `${first.join('\n')}\n`);
  rmSync(path.join(project, SESSION), { recursive: true, force: true });
  expect((await treeOf(path.join(folder, 'streams'))).agents).toHaveLength(1);
  await tellStream(10);
  const [, agent] = (await treeOf(path.join(folder, 'streams'))).agents;
  expect(agent).toMatchObject({ description: 'Audit the repo', depth: 1, link: { evidence: 'stream', rank: 'exact' } });
  expect(agent?.link.parent).toBe(toSessionId('claude-code', SESSION));
});
