import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AgentId, type ProgramCall, type SessionId, toAgentId, toSessionId } from '../core/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { type AttachPlan, runPlan } from './plan-attach.ts';

// Small programs of Node's, in the place of a host's: what they are given, and what becomes of what they print.

let folder = '';
beforeEach(() => {
  folder = realpathSync(makeTemporaryFolder('run'));
});

const SESSION: SessionId = toSessionId('toy', 's1');
const AGENT: AgentId = toAgentId('toy', 'a1');

/** Writes down what it was given, then does what it is told. */
const given = (then: string): readonly string[] => [
  '-e',
  `const text = require('fs').readFileSync(0, 'utf8');
   require('fs').writeFileSync('given.json', JSON.stringify({ text, parent: process.env.TROUPE_PARENT, folder: process.cwd() }));
   ${then}`,
];

function plan(call: Partial<ProgramCall>, begins?: AttachPlan['begins'], cwd: string | null = folder): AttachPlan {
  const whole = {
    program: process.execPath,
    args: given(''),
    stdin: 'All of it.',
    env: { TROUPE_PARENT: 'toy:s1:a1' },
    ...call,
  };
  const { program, args, env } = whole;
  return {
    ...{ session: SESSION, agent: AGENT, call: whole },
    ...(begins && { begins }),
    report: {
      agent: { id: 'a1', sessionId: 's1', host: 'toy', label: 'Toy', status: 'completed' },
      ...{ way: 'handover', words: '', limits: [], reasons: [], host: 'toy', hosts: [], text: 'All of it.', tokens: 3 },
      command: { program, args, env, cwd, takesText: true },
      ...{ leftOut: [], redacted: [], begins: null },
    },
  };
}

async function run(attach: AttachPlan, env: Readonly<Record<string, string>> = {}) {
  const noted: string[] = [];
  const written: string[] = [];
  const code = await runPlan(attach, {
    env: { PATH: process.env['PATH'], ...env },
    noteContinued: async (session) => void noted.push(session),
    write: (text) => written.push(text),
  });
  return { code, noted, written: written.join('') };
}

const whatWasGiven = () => JSON.parse(readFileSync(path.join(folder, 'given.json'), 'utf8'));

describe('running a plan', () => {
  it('uses the folder of the agent, and passes text, parent and exit code', async () => {
    const { code } = await run(plan({ args: given('process.exitCode = 7') }));
    expect(code).toBe(7);
    expect(whatWasGiven()).toEqual({ text: 'All of it.', parent: 'toy:s1:a1', folder });
  });

  it('keeps an agent that runs troupe below the agent that started it', async () => {
    await run(plan({}), { TROUPE_PARENT: 'toy:outer:outer' });
    expect(whatWasGiven().parent).toBe('toy:outer:outer');
  });

  it('notes a session whose id is known before its program begins', async () => {
    const { noted, code } = await run(plan({ args: given('process.exit(1)') }, { host: 'toy', session: 'new' }));
    expect({ noted, code }).toEqual({ noted: ['toy:new'], code: 1 });
    rmSync(path.join(folder, 'given.json'));
    const order: string[] = [];
    const noteContinued = async (): Promise<void> => {
      order.push('noted');
      throw new UserError('attach-not-noted', 'No.', 'Try again.');
    };
    const attempt = runPlan(plan({}, { host: 'toy', session: 'new' }), { env: {}, noteContinued, write: () => {} });
    await expect(attempt).rejects.toThrow('No.');
    expect(order).toEqual(['noted']);
    expect(existsSync(path.join(folder, 'given.json'))).toBe(false);
  });

  it('notes a session once when the program names it, and prints only records meant for people', async () => {
    const records = ['{"id":"n1"}', 'no record', '{"id":"n1","say":"Hello"}', '{"say":"there"}'];
    const printed = {
      sessionIn: (line: string) => /"id":"(\w+)"/.exec(line)?.[1],
      textIn: (line: string) => /"say":"(\w+)"/.exec(line)?.[1],
    };
    const print = given(records.map((line) => `console.log(${JSON.stringify(line)});`).join(''));
    const outcome = await run(plan({ args: print, printed }, { host: 'toy' }));
    expect(outcome).toEqual({ code: 0, noted: ['toy:n1'], written: 'Hello\nthere\n' });
  });

  it('handles a program that does not read its text, and one that a signal ends', async () => {
    const args = ['-e', 'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 1e6)'];
    expect((await run(plan({ args, stdin: 'x'.repeat(1_000_000) }))).code).toBe(143);
  });

  it('reports a missing program or folder', async () => {
    await expect(run(plan({ program: path.join(folder, 'none') }))).rejects.toThrow(UserError);
    await expect(run(plan({}, undefined, path.join(folder, 'gone')))).rejects.toThrow('is not there');
  });
});
