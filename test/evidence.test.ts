import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { queueEvent } from '../src/audit/index.ts';
import type { HooksStatus } from '../src/core/index.ts';
import { retime } from '../src/hosts/claude-code/replay.ts';
import { callHook, recordedCalls } from './testing/host-call.ts';
import { createHostHome } from './testing/host-home.ts';

// What `hooks status` makes of what a host left behind: a recorded session of Claude Code 2.1.325 as if it ran after the guard was
// installed, and what its hooks were handed, through the installed command.

const RECORDING = '2.1.325-failing';
const SESSION = '6006cc9d-100a-4fc2-844c-7079fa458f7c';
const recorded = fileURLToPath(new URL(`../src/hosts/claude-code/fixtures/${RECORDING}/projects`, import.meta.url));

const host = createHostHome();
const { base, program, settings, state, hostSays, troupe } = host;
const install = (...flags: readonly string[]) => troupe('hooks', 'install', '--yes', ...flags);
const beginGuarded = () => host.begin('guarded', () => install('--guard'));

async function status(): Promise<HooksStatus['loaded'] & { readonly code: unknown }> {
  const { out, code } = await troupe('hooks', 'status', '--json');
  const { loaded }: HooksStatus = JSON.parse(out);
  return { ...loaded, code };
}

/** Writes the recorded session into the data folder, as if it began that many milliseconds from now. */
function runSession(inMs: number, folder?: string): void {
  const files = readdirSync(recorded, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(path.join(recorded, file)).isFile(),
  );
  const texts = files.map((file) => [file, readFileSync(path.join(recorded, file), 'utf8')] as const);
  const times = texts.flatMap(([, text]) =>
    [...text.matchAll(/"timestamp":"([^"]+)"/g)].map(([, at = '']) => Date.parse(at)),
  );
  const shift = Date.now() + inMs - Math.min(...times);
  for (const [file, text] of texts) {
    const place = path.join(program.home, '.claude', 'projects', file);
    mkdirSync(path.dirname(place), { recursive: true });
    const lines = text.split('\n').map((line) => retime(line, (at) => Math.round(at + shift)));
    const moved = lines.join('\n');
    writeFileSync(
      place,
      folder === undefined ? moved : moved.replaceAll('"cwd":"/home/dev/failing"', `"cwd":"${folder}"`),
    );
  }
}

const calls = recordedCalls(RECORDING);
const callAll = (which: (payload: Readonly<Record<string, unknown>>) => boolean = () => true): void => {
  for (const payload of calls.filter(which)) callHook(settings, payload);
};

describe('evidence that the guard works', () => {
  it('is missing before the host calls it, there after it did, and bound to the version that did', async () => {
    await beginGuarded();
    expect(await status()).toMatchObject({ state: 'unproven', code: 0, reasons: [{ kind: 'no-evidence' }] });
    runSession(1_000);
    callAll();
    const active = await status();
    expect(active).toMatchObject({ state: 'active', code: 0 });
    expect(active.lastCall).toMatchObject({ session: SESSION, hostVersion: '2.1.325' });
    hostSays('2.1.400');
    const updated = await status();
    expect(updated).toMatchObject({ state: 'unproven', reasons: [{ kind: 'other-version' }] });
    expect(updated.reasons[0]?.text).toContain('came from Claude Code 2.1.325');
    expect(updated.reasons[0]?.text).toContain('Claude Code 2.1.400 is installed now');
  });

  it('is gone when the entries were changed since', async () => {
    await beginGuarded();
    callAll();
    expect((await status()).state).toBe('active');
    await install();
    expect((await status()).state).toBe('unproven');
    await install('--guard');
    expect((await status()).state).toBe('unproven');
  });

  it('speaks against it when a session ran tool calls and none reached the hook', async () => {
    await beginGuarded();
    runSession(1_000);
    const found = await status();
    expect(found).toMatchObject({ state: 'not-loaded', code: 1, reasons: [{ kind: 'unheard' }] });
    expect(found.reasons[0]?.text).toContain(`Claude Code 2.1.325 ran session ${SESSION} in /home/dev/failing`);
    const { code, out } = await troupe('doctor', '--host', 'claude-code');
    expect(code).toBe(1);
    expect(out).toContain('✗ GUARD NOT LOADED, tool calls run UNGUARDED: Claude Code 2.1.325 ran session');
    expect(out).not.toMatch(/✓ Claude Code.* runs the guard/);
  });

  it('speaks against it when calls of sub-agents did not reach the hook', async () => {
    await beginGuarded();
    runSession(1_000);
    callAll((payload) => payload['agent_id'] === undefined);
    const found = await status();
    expect(found).toMatchObject({ state: 'not-loaded', reasons: [{ kind: 'unheard' }] });
    expect(found.reasons[0]?.text).toMatch(/and \d+ of its \d+ tool calls? did not pass the hook/);
  });

  it('is not seen in sessions from before the installation, which began without hooks', async () => {
    runSession(-600_000);
    await install('--guard');
    expect(await status()).toMatchObject({ state: 'unproven', reasons: [{ kind: 'no-evidence' }] });
  });

  it('is not given by calls that doctor makes, by an observer, or by troupe run --intercept', async () => {
    await beginGuarded();
    await troupe('doctor');
    const [payload = {}] = calls;
    const put = (extra: object): void =>
      queueEvent(state(), 'claude-code', Buffer.from(JSON.stringify(payload)), extra);
    put({ decision: 'none', via: 'intercept' });
    put({});
    expect(await status()).toMatchObject({ state: 'unproven', lastCall: null });
    put({ decision: 'none' });
    expect((await status()).state).toBe('active');
  });

  it('counts only in its own folder when the guard is installed for one project', async () => {
    await install('--guard', '--scope', 'project');
    const file = path.join(base, 'project', '.claude', 'settings.json');
    const [payload = {}] = calls;
    callHook(file, { ...payload, cwd: '/elsewhere' });
    runSession(1_000);
    expect(await status()).toMatchObject({ state: 'unproven', reasons: [{ kind: 'no-evidence' }] });
    callHook(file, { ...payload, session_id: 'another', cwd: path.join(base, 'project', 'src') });
    expect((await status()).state).toBe('active');
    runSession(120_000, path.join(base, 'project'));
    expect(await status()).toMatchObject({ state: 'not-loaded', reasons: [{ kind: 'unheard' }] });
  });
});
