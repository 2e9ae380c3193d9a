import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildTree, type SessionLedger } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { AgentScan, type LocatedSession } from '../hosts/index.ts';
import { dumpTree } from '../hosts/testing/dump.ts';
import { MUCH_LATER } from '../hosts/testing/feed.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { FollowedSession } from './follow-session.ts';
import { readSession } from './read-session.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));

let root = '';
beforeEach(() => {
  root = makeTemporaryFolder('followed');
});

async function located(name: string): Promise<LocatedSession> {
  cpSync(path.join(fixtures, name), root, { recursive: true });
  const { sessions } = await claudeCode.locate(root);
  const [session] = sessions;
  if (!session) throw new Error(`no session in ${name}`);
  return session;
}

const dump = (ledger: SessionLedger): string => dumpTree(buildTree(ledger, { now: MUCH_LATER }));

describe('following a session', () => {
  it('reports once which of its files were gone before they could be read', async () => {
    const session = await located('2.1.325-nested');
    const [file] = session.sources.map(({ path: one }) => one);
    if (file === undefined) throw new Error('no file');
    rmSync(file);
    const followed = new FollowedSession(claudeCode, session);
    expect([...(await followed.refresh(session)).missing]).toEqual([file]);
    expect(dump(followed.ledger)).toContain('unreadable-file');
    expect((await followed.refresh(session)).missing.size).toBe(0);
  });

  it('waits for the rest of a half-written sidecar, and reads nothing else again', async () => {
    const session = await located('2.1.325-nested');
    const sidecar = session.sources.find(({ role }) => role === 'sidecar')?.path ?? '';
    const text = readFileSync(sidecar, 'utf8');
    const followed = new FollowedSession(claudeCode, session);
    await followed.refresh(session);
    const before = dump(followed.ledger);
    writeFileSync(sidecar, text.slice(0, 20));
    const { unfinished } = await followed.refresh(session, new Set([sidecar]));
    expect([...unfinished]).toEqual([sidecar]);
    expect(dump(followed.ledger)).toBe(before);
    writeFileSync(sidecar, text);
    expect((await followed.refresh(session, new Set([sidecar]))).unfinished.size).toBe(0);
    expect(dump(followed.ledger)).toBe(before);
    expect(followed.generation).toBe(0);
  });

  it('accepts half a sidecar when nothing more comes', async () => {
    const session = await located('2.1.325-nested');
    const sidecar = session.sources.find(({ role }) => role === 'sidecar')?.path ?? '';
    const followed = new FollowedSession(claudeCode, session);
    await followed.refresh(session);
    writeFileSync(sidecar, readFileSync(sidecar, 'utf8').slice(0, 20));
    await followed.refresh(session, new Set([sidecar]));
    await followed.refresh(session, new Set([sidecar]));
    expect(dump(followed.ledger)).toBe(dump(await readSession(claudeCode, session)));
  });

  it('reports nothing when an agent goes on in a session whose main transcript is not there yet', async () => {
    await located('2.1.161-inter-clear-busy');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const [later = '', ...others] = files.filter((file) => /5619dce0[^/]*\.jsonl$|1bc749d9[^/]*\.jsonl$/.test(file));
    expect(others).toHaveLength(1);
    const text = readFileSync(path.join(root, later));
    rmSync(path.join(root, later));
    const earlier = path.basename(others[0] ?? '', '.jsonl');
    const find = async () => {
      const session = (await claudeCode.locate(root)).sessions.find(({ id }) => id.endsWith(earlier));
      if (!session) throw new Error('no session');
      return session;
    };
    const followed = new FollowedSession(claudeCode, await find());
    await followed.refresh(await find());
    expect(dump(followed.ledger)).not.toContain('unreadable-file');
    writeFileSync(path.join(root, later), text);
    followed.lookForAgents();
    await followed.refresh(await find());
    expect(dump(followed.ledger)).toBe(dump(await readSession(claudeCode, await find())));
  });

  it('returns borrowed lines once their agent has a file of its own', async () => {
    await located('2.1.325-orphan-forked');
    const find = async () => {
      for (const session of (await claudeCode.locate(root)).sessions) {
        const followed = new FollowedSession(claudeCode, session);
        await followed.refresh(session);
        const borrowed = followed.sources.filter(({ id }) => !session.sources.some((own) => own.id === id));
        if (borrowed.length > 0) return { session, followed, borrowed };
      }
      throw new Error('nobody borrows');
    };
    const { session, followed, borrowed } = await find();
    const own = session.sources[0]?.path.replace(/\.jsonl$/, '') ?? '';
    for (const { path: file } of borrowed) cpSync(file, path.join(own, 'subagents', path.basename(file)));
    expect(readdirSync(path.join(own, 'subagents'))).toHaveLength(borrowed.length);
    const now = (await claudeCode.locate(root)).sessions.find(({ id }) => id === session.id) ?? session;
    followed.lookForAgents();
    await followed.refresh(now);
    expect(followed.sources.map(({ id }) => id).sort()).toEqual(now.sources.map(({ id }) => id).sort());
    expect(dump(followed.ledger)).toBe(dump(await readSession(claudeCode, now)));
  });

  it.each([
    [
      'nothing when its original grows',
      (file: string) => appendFileSync(file, '{"type":"user","uuid":"later"}\n'),
      true,
    ],
    ['a difference when its original goes', (file: string) => rmSync(file), false],
    ['a difference when its original is cut', (file: string) => truncateSync(file, 3_000), false],
    [
      'a difference when the agents of its original go',
      (file: string) => rmSync(file.slice(0, -6), { recursive: true }),
      false,
    ],
  ])('finds %s', async (_, change, isSame) => {
    await located('2.1.325-fork-worktree');
    const { sessions } = await claudeCode.locate(root);
    const fileOf = (id: string) => sessions.find((one) => one.id.includes(id))?.sources[0]?.path ?? '';
    const fork = sessions.find(({ id }) => id.includes('4f39ed9d'));
    if (!fork) throw new Error('no fork');
    const followed = new FollowedSession(claudeCode, fork);
    await followed.refresh(fork);
    const compare = followed.compareWithOthers(fork);
    expect(await compare(new AgentScan())).toBe(true);
    change(fileOf('d933dd66'));
    expect(await compare(new AgentScan())).toBe(isSame);
  });
});
