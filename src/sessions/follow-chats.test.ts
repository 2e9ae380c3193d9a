import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { LiveTrees } from '../core/index.ts';
import { gemini } from '../hosts/gemini/index.ts';
import { qwen } from '../hosts/qwen/index.ts';
import { pace, until } from '../lib/testing/waiting.ts';
import { filesBelow } from './testing/files-below.ts';
import { createFollowedFolder } from './testing/followed-folder.ts';

const fixtureOf = (host: string, name: string): string =>
  fileURLToPath(new URL(`../hosts/${host}/fixtures/${name}`, import.meta.url));

function isChat(file: string): boolean {
  const name = path.basename(file);
  return /^session-|\.jsonl?$/.test(name) && !/^(?:truth|projects)\.json$/.test(name);
}
const chatsBelow = (at: string): readonly string[] => filesBelow(at).filter(isChat);

const AGENTS_OF_0_40 = 'fb080156-e572-4766-9a74-3fc893976313';

const statuses = (live: LiveTrees) =>
  live.current()[0]?.agents.map(({ kind, status, waitingOn }) => [kind, status, waitingOn]);

describe('following Gemini CLI', () => {
  const folder = createFollowedFolder(gemini);
  const chats = 'tmp/project/chats';

  it('shows a parent as waiting for its agents before the call is recorded', async () => {
    const from = fixtureOf('gemini', '0.61.0-single');
    const session = 'e8965e98-524c-47ee-8354-6e33eb52558d';
    const main = path.join(chats, 'session-2026-11-15T08-10-e8965e98.jsonl');
    const lines = readFileSync(path.join(from, main), 'utf8').split('\n');
    const asking = lines.findIndex((line) => line.includes('"type":"gemini"'));
    mkdirSync(path.join(folder.root, chats), { recursive: true });
    writeFileSync(path.join(folder.root, main), `${lines.slice(0, asking + 1).join('\n')}\n`);
    const at = Date.parse(JSON.parse(lines[asking] ?? '').timestamp);
    const live = await folder.start({ clock: () => at + 1_000 });
    await until(() => live.current().length === 1, 'the session');
    // Words and no call: for all that anybody can tell, the turn is over.
    expect(statuses(live)).toEqual([['main', 'waiting', 'input']]);
    const agents = path.join(folder.root, chats, session);
    const [name = ''] = readdirSync(path.join(from, chats, session));
    const own = readFileSync(path.join(from, chats, session, name), 'utf8').split('\n');
    mkdirSync(agents);
    writeFileSync(path.join(agents, name), `${own.slice(0, 4).join('\n')}\n`);
    await until(() => statuses(live)?.length === 2, 'the agent');
    expect(statuses(live)).toEqual([
      ['main', 'waiting', 'child'],
      ['task', 'running', undefined],
    ]);
    appendFileSync(path.join(agents, name), own.slice(4).join('\n'));
    await until(() => statuses(live)?.[1]?.[1] === 'completed', 'the end of the agent');
    appendFileSync(path.join(folder.root, main), lines.slice(asking + 1).join('\n'));
    await folder.settles();
    expect(live.current()[0]?.agents[1]?.type).toBe('generalist');
  });

  it('reads a document that is rewritten again and again, at times half written', async () => {
    const from = fixtureOf('gemini', '0.35.3-failing');
    const [file = ''] = chatsBelow(from).filter((name) => name.includes('session-'));
    const document = JSON.parse(readFileSync(file, 'utf8'));
    const target = path.join(folder.root, path.relative(from, file));
    mkdirSync(path.dirname(target), { recursive: true });
    const live = await folder.start();
    for (let count = 1; count <= document.messages.length; count++) {
      const text = JSON.stringify({ ...document, messages: document.messages.slice(0, count) }, null, 2);
      writeFileSync(target, text.slice(0, Math.floor(text.length / 2)));
      await pace(10);
      expect(live.current()[0]?.agents.length ?? 1).toBeGreaterThanOrEqual(1);
      writeFileSync(target, text);
      await until(() => live.current()[0]?.agents[0]?.messageCount === count, `message ${count}`);
      expect(live.current()[0]?.diagnostics.map(({ code }) => code)).not.toContain('invalid-json');
    }
    await folder.settles();
    expect(live.current()[0]?.agents.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
  });

  it('learns where a project is when the program records it', async () => {
    cpSync(path.join(fixtureOf('gemini', '0.8.2-plain'), 'tmp'), path.join(folder.root, 'tmp'), { recursive: true });
    const live = await folder.start();
    expect(live.current()[0]?.cwd).toBeUndefined();
    const projects = { '/home/dev/0.8.2/plain/project': 'plain' };
    writeFileSync(path.join(folder.root, 'projects.json'), JSON.stringify({ projects }));
    await until(() => live.current()[0]?.cwd === '/home/dev/0.8.2/plain/project', 'the folder');
  });

  it("forgets where a project is when the project's folder goes, and a new one has no mark", async () => {
    const from = fixtureOf('gemini', '0.40.1-parallel');
    const project = path.join(folder.root, 'tmp', 'project');
    cpSync(path.join(from, 'tmp'), path.join(folder.root, 'tmp'), { recursive: true });
    const live = await folder.start();
    expect(live.current()[0]?.cwd).toBe('/home/dev/0.40.1/parallel/project');
    const away = `${folder.root}-away`;
    renameSync(project, away);
    await until(() => live.current().length === 0, 'the folder to be gone');
    // Without the chat of the main agent, and without the folder that each chat names itself.
    const chats = path.join(project, 'chats', AGENTS_OF_0_40);
    cpSync(path.join(away, 'chats', AGENTS_OF_0_40), chats, { recursive: true });
    for (const name of readdirSync(chats)) {
      const chat = path.join(chats, name);
      writeFileSync(chat, readFileSync(chat, 'utf8').replaceAll(/"directories":\[[^\]]*\]/g, '"directories":[]'));
    }
    rmSync(away, { recursive: true });
    await until(() => live.current().length === 1, 'the folder to be back');
    await folder.settles();
    expect(live.current()[0]?.cwd).toBeUndefined();
  });
});

describe('following Qwen Code', () => {
  const folder = createFollowedFolder(qwen);
  it('shows which agent waits for which, and when a background agent is done', async () => {
    const now = Date.parse('2026-11-15T08:11:46Z');
    const from = fixtureOf('qwen', '0.24.4-background');
    const live = await folder.start({ clock: () => now });
    for (const file of chatsBelow(from)) {
      const target = path.join(folder.root, path.relative(from, file));
      mkdirSync(path.dirname(target), { recursive: true });
      const bytes = readFileSync(file, 'utf8');
      // As of a second into it: what came later is not there yet.
      const lines = bytes.split('\n').filter((line) => !/"timestamp":"2026-11-15T08:11:4[67]/.test(line));
      writeFileSync(
        target,
        file.endsWith('.json') ? bytes.replace('"completed"', '"running"') : `${lines.join('\n').trimEnd()}\n`,
      );
    }
    await until(() => statuses(live)?.length === 2, 'the agent');
    expect(statuses(live)).toEqual([
      ['main', 'waiting', 'child'],
      ['task', 'running', undefined],
    ]);
    for (const file of chatsBelow(from)) cpSync(file, path.join(folder.root, path.relative(from, file)));
    await until(() => statuses(live)?.[1]?.[1] === 'completed', 'its end');
    await folder.settles();
  });
});

describe.each([
  {
    adapter: gemini,
    names: ['0.61.0-parallel', '0.61.0-failing', '0.40.1-parallel', '0.35.3-failing', '0.20.2-single'],
  },
  { adapter: qwen, names: ['0.24.4-nested', '0.24.4-resume', '0.24.4-background', '0.15.10-failing'] },
])('$adapter.title: random operations', ({ adapter, names }) => {
  const folder = createFollowedFolder(adapter);
  it('ends in the same trees as a fresh read', { timeout: 240_000 }, async () => {
    for (const name of names) cpSync(fixtureOf(adapter.host, name), folder.root, { recursive: true });
    rmSync(path.join(folder.root, 'truth.json'), { force: true });
    await folder.survives(2_000, isChat);
  });
});
