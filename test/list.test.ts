// `troupe ls` with filters, orders and groups: the built program over sessions of a year.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeShortSessions } from '../bench/session-list.mjs';
import type { SessionsReport } from '../src/core/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { programIn } from './testing/program.ts';

const COUNT = 90;
const home = makeTemporaryFolder('list');
const program = programIn(home);
beforeAll(() => writeShortSessions(path.join(home, '.claude'), COUNT));

const ls = (...args: readonly string[]) => program.run(['ls', ...args]);
const list = async (...args: readonly string[]): Promise<SessionsReport> =>
  JSON.parse((await ls('--json', ...args)).out);
const schema = JSON.parse(readFileSync(new URL('../schemas/sessions.schema.json', import.meta.url), 'utf8'));
const misfits = (value: unknown): string => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return ajv.validate(schema, value) ? '' : ajv.errorsText();
};

describe('troupe ls', () => {
  it('lists those that match, however old they are, and says how many', async () => {
    const found = await list('project:project-7', 'before:2d');
    expect(misfits(found)).toBe('');
    expect(found).toMatchObject({ matching: 3, more: 0, total: COUNT });
    expect(found.sessions.map(({ title }) => title?.split(' ').at(-1))).toEqual(['7', '47', '87']);
    expect(await list('limiter', '-n', '2')).toMatchObject({ matching: 13, more: 11 });
  });

  it('sorts over all sessions, not over the newest only', async () => {
    const { sessions } = await list('--sort', 'cost', '-n', '5');
    const costs = sessions.map(({ cost }) => cost.usd);
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
    const all = await list('--all', '--sort', 'tokens');
    expect(all.sessions).toHaveLength(COUNT);
    expect(all.sessions[0]?.usage.output).toBe(Math.max(...all.sessions.map(({ usage }) => usage.output)));
  });

  it('has a heading for each group', async () => {
    const { out } = await ls('--group', 'project', '-n', '6');
    expect(out).toMatch(/\nproject-0 \(3\)\n(?:.*project-0 .*\n){3}\nproject-1 \(3\)\n/);
    expect((await ls('--group', 'day')).out).toMatch(/\n\d{4}-\d\d-\d\d \(\d+\)\n/);
  });

  it('ends with 1 if nothing matches, and with 2 and the place if the query is wrong', async () => {
    const none = await ls('nothingisnamedso');
    expect([none.code, none.errors]).toEqual([1, expect.stringContaining(`None of ${COUNT} sessions matches`)]);
    const wrong = await ls('login', 'hots:codex');
    expect([wrong.code, wrong.errors]).toEqual([2, expect.stringContaining('did you mean "host:"')]);
    expect(wrong.errors).toContain('^^^^^^^^^^');
    expect((await ls('tool:Bash')).errors).toContain('troupe search');
    expect((await ls('--sort', 'size')).code).not.toBe(0);
  });

  it('is as before without a filter, an order or groups', async () => {
    const { sessions, more, ...rest } = await list();
    expect([sessions.length, more]).toEqual([20, COUNT - 20]);
    expect(rest).not.toHaveProperty('matching');
  });
});
