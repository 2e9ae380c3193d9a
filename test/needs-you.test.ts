import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgramHome, type ProgramHome } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// A sub-agent that asks for a yes, while its session is at work: who looks at the list must see that.

let program: ProgramHome;
beforeEach(() => {
  program = createProgramHome('2.1.325-orphan-killed');
});
afterEach(() => program.end());

/** The host's record of this very process, which stands in for it. */
function writeRecord(fields: object): void {
  const folder = path.join(program.home, '.claude/sessions');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const project = path.join(program.home, '.claude/projects/-home-dev-orphan');
  const sessionId = readdirSync(project)
    .find((name) => name.endsWith('.jsonl'))
    ?.replace('.jsonl', '');
  const record = { pid: process.pid, sessionId, procStart, startedAt: 0, ...fields };
  writeFileSync(path.join(folder, `${process.pid}.json`), JSON.stringify(record));
}

interface Listed {
  readonly sessions: readonly { readonly status: string; readonly waitingOn: string; readonly needsYou: object[] }[];
}

describe.runIf(process.platform === 'linux')('a sub-agent that needs the person', () => {
  it.each([
    ['permission prompt', 'permission', 'waits for your yes'],
    ['input needed', 'input', 'waits for you'],
  ])('is seen in the list of sessions: %s', async (waitingFor, waitingOn, words) => {
    writeRecord({ status: 'waiting', waitingFor });
    const list = JSON.parse((await program.run(['ls', '--json'])).out) as Listed;
    const [agent] = list.sessions[0]?.needsYou ?? [];
    expect(list.sessions[0]).toMatchObject({
      status: expect.stringMatching(/^(running|waiting)$/),
      waitingOn: 'child',
    });
    expect(agent).toEqual({ id: expect.stringMatching(/^a/), label: expect.any(String), waitingOn });

    const { out } = await program.run(['ls']);
    expect(out).toMatch(/^◐ +\w{8} +needs you /m);
    expect(out).toMatch(new RegExp(`^«.+» of \\w{8} ${words}$`, 'm'));

    const serving = program.start(['--no-open', '--json']);
    await expect.poll(serving.out, { timeout: 30_000 }).toContain('"url"');
    const { origin, headers } = accessTo(program.state);
    const ask = async () => (await (await fetch(`${origin}/api/sessions`, { headers })).json()) as Listed;
    await expect.poll(async () => (await ask()).sessions[0]?.needsYou, { timeout: 30_000 }).toEqual([agent]);
  });

  it('is empty when no agent asks', async () => {
    writeRecord({ status: 'busy' });
    const list = JSON.parse((await program.run(['ls', '--json'])).out) as Listed;
    expect(list.sessions[0]?.needsYou).toEqual([]);
    expect((await program.run(['ls'])).out).not.toContain('needs you');
  });
});
