import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { copilot } from '../hosts/copilot/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { readRegular } from '../lib/regular-file.ts';
import { until } from '../lib/testing/waiting.ts';
import { createFollowedFolder } from './testing/followed-folder.ts';

const RECORDED = path.join(import.meta.dirname, '../hosts/copilot/fixtures/1.0.102-nested/session-state');
const SESSION = '391c72ed-a40a-4e6e-bee0-242dc3bfb936';

/** Somebody who takes a file away between the look at its folder and the look into it. */
let isToVanish = false;
const robbed: SourceAdapter = {
  ...copilot,
  createReader(session, source) {
    if (isToVanish) rmSync(source.path, { force: true });
    isToVanish = false;
    return copilot.createReader(session, source);
  },
};

describe('a file that is gone before it is read', () => {
  const folder = createFollowedFolder(robbed);
  const place = () => path.join(folder.root, 'session-state', SESSION);
  const put = () => cpSync(path.join(RECORDED, SESSION, 'events.jsonl'), path.join(place(), 'events.jsonl'));

  it('leaves no session behind, and is read when it comes back', async () => {
    const live = await folder.start();
    isToVanish = true;
    mkdirSync(place(), { recursive: true });
    put();
    await until(() => !isToVanish, 'the first look');
    await folder.settles();
    expect(live.current()).toEqual([]);
    put();
    await until(() => live.current().length === 1, 'the session');
    await folder.settles();
    expect(live.current()[0]?.agents.length).toBeGreaterThan(1);
  });

  it('is reported when it is still listed, as a dangling link', async () => {
    mkdirSync(place(), { recursive: true });
    symlinkSync('nowhere', path.join(place(), 'events.jsonl'));
    await folder.start();
    await folder.settles();
  });
});

describe('a transcript that disappears while its origin is looked for', () => {
  const looking: SourceAdapter = {
    ...copilot,
    createReader(session, source) {
      const reader = copilot.createReader(session, source);
      const origin = { source: source.id, offset: 0, length: 0 };
      return { read: (line) => [...reader.read(line), { kind: 'session-suspected', session: session.id, origin }] };
    },
    async findOrigin({ sources: [source] }) {
      if (source && isToVanish) {
        rmSync(source.path);
        isToVanish = false;
        await readRegular(source.path);
      }
      return undefined;
    },
  };
  const folder = createFollowedFolder(looking);

  it('causes no error', async () => {
    const place = path.join(folder.root, 'session-state', SESSION);
    mkdirSync(place, { recursive: true });
    cpSync(path.join(RECORDED, SESSION, 'events.jsonl'), path.join(place, 'events.jsonl'));
    isToVanish = true;
    const live = await folder.start();
    await until(() => !isToVanish, 'the search for the origin');
    await folder.settles();
    expect(live.current()).toEqual([]);
  });
});
