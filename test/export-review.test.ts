import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createProgramHome } from './testing/program.ts';
import { OUTSIDE_AGENTS } from './testing/server-access.ts';
import { hasTerminal, openTerminal, type Terminal } from './testing/terminal.ts';

// The review of an export in a real terminal, by the built program.

const home = createProgramHome();
const program = path.resolve('dist/troupe.js');
/** Put together here, so that no file of the project looks as if it held a secret. */
const TOKEN = `ghp${'_'}${'FAKEfake'.repeat(4)}0000`;
const decisions = path.join(home.state, 'redact-decisions.json');

beforeAll(() => {
  const folder = path.join(home.home, '.claude/projects');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text
        .replaceAll('Please do the job.', `Please do the job. DB_PASSWORD${'='}staging99, then ask staging99b.`)
        .replaceAll(
          'The file looks fine.',
          `The file looks fine. Use ${TOKEN} or API_PASSWORD${'='}walrus88 to walrus88.`,
        ),
    );
  }
});
afterAll(() => home.end());

function open(): Terminal {
  const { CLAUDE_CONFIG_DIR: _c, XDG_CONFIG_HOME: _x, XDG_STATE_HOME: _s, TROUPE_HOME: _t, ...clean } = process.env;
  const terminal = openTerminal(home.home, { ...clean, ...OUTSIDE_AGENTS, HOME: home.home });
  onTestFinished(() => terminal.close());
  return terminal;
}

const review = async (terminal: Terminal, folder: string): Promise<void> => {
  terminal.type(`clear; node ${program} export --out-dir ${folder} --review`);
  await terminal.until(/Review +\d+ redacted/);
};

function textIn(folder: string): string {
  const names = readdirSync(path.join(home.home, folder)).filter((name) => name.endsWith('.html'));
  return names.map((name) => readFileSync(path.join(home.home, folder, name), 'utf8')).join('\n');
}

describe.skipIf(!hasTerminal)('troupe export --review in a terminal', () => {
  it('shows each value once with its context, and writes nothing when the person quits', async () => {
    const terminal = open();
    await review(terminal, 'quit');
    expect(terminal.screen().split(TOKEN)).toHaveLength(2);
    terminal.press('a', 'C-c');
    await terminal.until('Nothing was written.');
    expect(existsSync(path.join(home.home, 'quit'))).toBe(false);
    expect(existsSync(decisions)).toBe(false);
  });

  it('shows a value in this export only, and redacts another one everywhere', async () => {
    const terminal = open();
    await review(terminal, 'once');
    terminal.press('/');
    for (const letter of 'github-') terminal.press(letter);
    await terminal.until('1 of 1 for');
    terminal.press('Enter', 's', 'Escape', '/');
    for (const letter of 'walrus') terminal.press(letter);
    await terminal.until('for “walrus”');
    // The other value is in the same sentence.
    terminal.press('Enter', 'End');
    await terminal.until(/›.*walrus88/);
    terminal.press('e', 'w');
    await terminal.until('Read it:');
    expect(textIn('once')).toContain(TOKEN);
    const report = JSON.parse(readFileSync(path.join(home.home, 'once/redactions.json'), 'utf8'));
    expect(report.decisions).toContainEqual({
      decision: 'show',
      kind: 'github-token',
      what: expect.any(String),
      kept: false,
    });
    expect(existsSync(decisions)).toBe(false);
    expect((await home.run(['export', '-o', path.join(home.home, 'after')])).code).toBe(0);
    expect(textIn('after')).not.toContain(TOKEN);
  });

  it('keeps what is to hold for the project, as digests, until it is removed', async () => {
    const terminal = open();
    await review(terminal, 'always');
    terminal.press('/');
    for (const letter of 'github-') terminal.press(letter);
    await terminal.until('1 of 1 for');
    terminal.press('Enter', 'a', 'w');
    await terminal.until('Read it:');
    const kept = readFileSync(decisions, 'utf8');
    expect(kept).not.toContain('FAKEfake');
    expect(statSync(decisions).mode & 0o777).toBe(0o600);
    expect((await home.run(['export', '-o', path.join(home.home, 'later')])).code).toBe(0);
    expect(textIn('later')).toContain(TOKEN);
    const { out } = await home.run(['redact', '--decisions', '--json']);
    const [{ id, decision }] = JSON.parse(out).decisions;
    expect(decision).toBe('show');

    writeFileSync(decisions, kept.slice(0, 40));
    const damaged = await home.run(['export', '-o', path.join(home.home, 'damaged')]);
    expect([damaged.code, damaged.errors]).toEqual([0, expect.stringContaining('redact-decisions.json')]);
    expect(textIn('damaged')).not.toContain(TOKEN);
    expect((await home.run(['redact', '--decisions'])).code).toBe(2);
    writeFileSync(decisions, kept);

    const asAgent = await home.run(['redact', '--forget', id], { env: { CLAUDECODE: '1' } });
    expect(asAgent.code).toBe(2);
    expect((await home.run(['redact', '--forget', id])).out).toContain('1 decision removed.');
    expect((await home.run(['export', '-o', path.join(home.home, 'end')])).code).toBe(0);
    expect(textIn('end')).not.toContain(TOKEN);
  });

  it('lists kinds and places without values where there is no terminal', async () => {
    const { code, errors, out } = await home.run(['export', '-o', path.join(home.home, 'piped'), '--review', '--json']);
    expect([code, JSON.parse(out).written, JSON.parse(out).redactions.secrets > 1]).toEqual([0, false, true]);
    expect(errors + out).not.toContain('FAKEfake');
  });
});
