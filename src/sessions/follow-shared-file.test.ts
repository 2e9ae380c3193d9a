import { spawn } from 'node:child_process';
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
import { copilot } from '../hosts/copilot/index.ts';
import { until } from '../lib/testing/waiting.ts';
import { createFollowedFolder } from './testing/followed-folder.ts';
import { writeInHalves } from './testing/write-in-halves.ts';

// Following a host whose agents all write into one file, with locks and names beside it: Copilot CLI.

const fixtures = fileURLToPath(new URL('../hosts/copilot/fixtures/', import.meta.url));

const folder = createFollowedFolder(copilot);

/** The session's folder in a recording, and where it would lie below the root. */
function recorded(name: string): { readonly from: string; readonly to: string } {
  const states = path.join(fixtures, name, 'session-state');
  const session = readdirSync(states)[0] ?? '';
  return { from: path.join(states, session), to: path.join(folder.root, 'session-state', session) };
}

const linesOf = (session: string): readonly string[] =>
  readFileSync(path.join(session, 'events.jsonl'), 'utf8').split(/(?<=\n)/);

describe('following a session whose agents share a file', () => {
  it('reads line by line, from before the data folder exists', async () => {
    rmSync(folder.root, { recursive: true });
    const live = await folder.start();
    const { from, to } = recorded('1.0.102-nested');
    await writeInHalves(path.join(from, 'events.jsonl'), path.join(to, 'events.jsonl'));
    await folder.settles();
    expect(live.current()[0]?.agents).toHaveLength(4);
    expect(live.current()[0]?.titleKind).toBe('prompt');
  });

  it('shows the process that has the session open, who waits for what, and its end', async () => {
    const { from, to } = recorded('1.0.102-terminal');
    const lines = linesOf(from);
    const asked = lines.findIndex((line) => line.startsWith('{"type":"permission.requested"'));
    const answered = lines.findIndex((line) => line.startsWith('{"type":"permission.completed"'));
    mkdirSync(to, { recursive: true });
    const events = path.join(to, 'events.jsonl');
    writeFileSync(events, lines.slice(0, asked + 1).join(''));
    const live = await folder.start();
    const states = () =>
      live.current()[0]?.agents.map(({ status, waitingOn }) => [status, waitingOn ?? ''].join(' ').trim());
    expect(states()).toEqual(['unknown', 'unknown']);

    const host = spawn('sleep', ['60'], { stdio: 'ignore' });
    await until(() => host.pid !== undefined, 'a process');
    const lock = path.join(to, `inuse.${host.pid}.lock`);
    writeFileSync(lock, String(host.pid));
    // The recording is older than the process: what it asked, this one did not ask.
    await until(() => states()?.[0] === 'running', 'the process to be seen');
    expect(states()).toEqual(['running', 'unknown']);
    const now = Date.now() + 1_000;
    const moved = (line: string): string =>
      line.replace(/"timestamp":"[^"]+"/, `"timestamp":"${new Date(now).toISOString()}"`);
    writeFileSync(
      events,
      lines
        .slice(0, asked + 1)
        .map(moved)
        .join(''),
    );
    await until(() => states()?.[1] === 'waiting permission', 'the question');
    expect(states()).toEqual(['waiting child', 'waiting permission']);
    appendFileSync(
      events,
      lines
        .slice(asked + 1, answered + 1)
        .map(moved)
        .join(''),
    );
    await until(() => states()?.[1] === 'running', 'the answer');

    host.kill('SIGKILL');
    await until(() => states()?.[0] === 'unknown', 'its end');
    expect(states()).toEqual(['unknown', 'unknown']);
    rmSync(lock);
    await folder.settles();
  });

  it('forgets the process of a session when its folder was replaced and the new one has no lock', async () => {
    const { from, to } = recorded('1.0.102-terminal');
    cpSync(from, to, { recursive: true });
    writeFileSync(path.join(to, `inuse.${process.pid}.lock`), String(process.pid));
    const live = await folder.start();
    const state = () => live.current()[0]?.agents[0]?.status;
    expect(state()).toBe('waiting');
    const away = `${folder.root}-away`;
    renameSync(to, away);
    await until(() => live.current().length === 0, 'the folder to be gone');
    rmSync(away, { recursive: true });
    cpSync(from, to, { recursive: true });
    await until(() => live.current().length === 1, 'the folder to be back');
    await folder.settles();
    expect(state()).toBe('stopped');
  });

  it('shows a name that the person gives it', async () => {
    const { from, to } = recorded('1.0.102-terminal');
    mkdirSync(to, { recursive: true });
    cpSync(path.join(from, 'events.jsonl'), path.join(to, 'events.jsonl'));
    const live = await folder.start();
    expect(live.current()[0]?.titleKind).toBe('prompt');
    cpSync(path.join(from, 'workspace.yaml'), path.join(to, 'workspace.yaml'));
    await until(() => live.current()[0]?.title === 'Cleaning "up": a test', 'its name');
  });

  // One recording at a time: all sessions have files of the same name, and one that is pieced together of two of them may
  // be written anew between two looks, with the same inode, and have the same bytes where we stopped. No host does that.
  for (const name of ['1.0.102-nested', '1.0.102-talk', '1.0.24-background', '1.0.92-resumed']) {
    it(`${name}: ends in the same trees as a fresh read after random operations`, { timeout: 240_000 }, async () => {
      const { from, to } = recorded(name);
      cpSync(from, to, { recursive: true });
      await folder.survives(1_000, (file) => path.basename(file) === 'events.jsonl');
    });
  }
});
