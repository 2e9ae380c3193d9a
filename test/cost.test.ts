// `troupe cost` as people use it: the built program over recordings.
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PricesReport, SpendReport } from '../src/core/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const NESTED = path.join(root, 'src/hosts/claude-code/fixtures/2.1.325-nested-deep');

let program: ProgramHome;
beforeEach(() => {
  program = programIn(makeTemporaryFolder('cost-home'));
});

const configure = (text: string): void => {
  const folder = path.join(program.home, '.config/troupe');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'config.json'), text);
};

const cost = (...args: readonly string[]) => program.run(['cost', '--root', NESTED, '--all', ...args]);
const report = async (...args: readonly string[]): Promise<SpendReport> =>
  JSON.parse((await cost('--json', ...args)).out);
const isValid = (name: string) => {
  const schema = JSON.parse(readFileSync(path.join(root, `schemas/${name}.schema.json`), 'utf8'));
  return new Ajv2020({ strict: true, formats: { 'date-time': true, date: true } }).compile(schema);
};

describe('troupe cost', () => {
  it.each(['day', 'week', 'month', 'project', 'host', 'model', 'type', 'session', 'agent'])(
    'writes JSON by the schema, by %s',
    async (by) => {
      const found = await report('--by', by, '--split', 'model');
      const check = isValid('cost');
      expect(check(found), JSON.stringify(check.errors)).toBe(true);
      expect(found.rows.length).toBeGreaterThan(0);
      expect(found.total.tokens).toBe(41_672);
      if (by !== 'agent' && by !== 'type')
        expect(found.rows.reduce((sum, { total }) => sum + total.tokens, 0)).toBe(found.total.tokens);
    },
  );

  it("agrees with the host's own cost", async () => {
    const [row] = (await report('--by', 'session')).rows;
    expect(row?.hostCost?.isDifferent).toBe(false);
    expect(row?.hostCost?.usd).toBeCloseTo(row?.total.cost.usd ?? 0, 6);
  });

  it('shows the share of sub-agents, and names what it cannot read', async () => {
    const { out } = await cost('--by', 'agent');
    expect(out).toMatch(/^\d\d % of the cost by sub-agents/m);
    expect(out).toContain('List prices as of');
    const bad = await cost('tool:Bash');
    expect(bad).toMatchObject({ code: 2 });
    expect(bad.errors).toContain('by tool or file');
  });

  it('writes CSV that a spreadsheet does not run', async () => {
    const { out } = await cost('--by', 'session', '--csv');
    const [header, ...rows] = out.trim().split('\n');
    expect(header).toMatch(/^key,label,host,session_id,/);
    expect(rows.every((row) => !/(^|,)"?[=+\-@]/.test(row))).toBe(true);
  });

  it('takes prices from the settings, and labels money for those who pay by the month', async () => {
    const settings = {
      cost: { prices: { 'claude-sonnet-4-5': { input: 0, output: 1_000_000 } }, subscriptions: ['claude-code'] },
    };
    configure(JSON.stringify(settings));
    const found = await report();
    expect(found.total.cost.usd).toBe(found.total.usage.output);
    expect(found.subscriptions).toEqual(['claude-code']);
    expect((await cost()).out).toMatch(/^41\.7k tokens, \$\d+ \(list price\)/);
    const { out } = await program.run(['cost', '--prices', '--json']);
    const prices: PricesReport = JSON.parse(out);
    expect(isValid('prices')(prices)).toBe(true);
    expect(prices.rows[0]).toMatchObject({ model: 'claude-sonnet-4-5', output: 1_000_000, source: 'settings' });
    expect(prices.rows.filter(({ names }) => names.includes('claude-sonnet-4-5'))).toHaveLength(1);
  });

  describe('for a plan that is paid by the month', () => {
    /** As Codex 0.169.0 wrote it when replies had the headers of a plan. */
    const tellLimits = (at: string, resetsAt: string): void => {
      const data = path.join(program.home, '.codex');
      cpSync(path.join(root, 'src/hosts/codex/fixtures/0.169.0-custom'), data, { recursive: true });
      const [file = ''] = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /rollout-.*l$/.test(name),
      );
      const resets = Date.parse(resetsAt) / 1_000;
      const limits = {
        ...{ limit_id: 'codex', limit_name: null, credits: null, individual_limit: null, spend_control_reached: null },
        primary: { used_percent: 16, window_minutes: 300, resets_at: resets },
        secondary: { used_percent: 42.5, window_minutes: 10_080, resets_at: resets + 86_400 },
        ...{ plan_type: null, rate_limit_reached_type: null },
      };
      const payload = { type: 'token_count', info: null, rate_limits: limits };
      appendFileSync(path.join(data, file), `${JSON.stringify({ timestamp: at, type: 'event_msg', payload })}\n`);
      configure('{"cost":{"subscriptions":["codex","claude-code"]}}');
    };
    const limits = async () => {
      const found: SpendReport = JSON.parse((await program.run(['cost', '--all', '--json'])).out);
      const check = isValid('cost');
      expect(check(found), JSON.stringify(check.errors)).toBe(true);
      return found.limits;
    };

    it('says how much of the limits is used, as the host last wrote it down', async () => {
      tellLimits('2026-11-20T00:48:55.691Z', '2096-11-20T01:48:54.000Z');
      expect(await limits()).toEqual([
        {
          ...{ host: 'codex', hostTitle: 'Codex', at: '2026-11-20T00:48:55.691Z', problem: null },
          windows: [
            { minutes: 300, share: 0.16, resetsAt: '2096-11-20T01:48:54.000Z' },
            { minutes: 10_080, share: 0.425, resetsAt: '2096-11-21T01:48:54.000Z' },
          ],
        },
      ]);
      expect((await program.run(['cost', '--all'])).out).toMatch(
        /^Codex: 16 % of the limit of 5 h used, until 2096-11-2\d \d\d:48; 42\.5 % of the limit of 7 d used, until/m,
      );
    });

    it('says that nothing is known of a window that began anew since, and of a host that writes nothing', async () => {
      tellLimits('2016-11-20T00:48:55.691Z', '2016-11-20T01:48:54.000Z');
      cpSync(NESTED, path.join(program.home, '.claude'), { recursive: true });
      const found = await limits();
      expect(found.map(({ host, windows, problem }) => [host, windows, problem])).toEqual([
        ['codex', [], 'it began anew since that was last written down'],
        ['claude-code', [], 'its transcripts do not say'],
      ]);
      expect((await program.run(['cost', '--all'])).out).toContain(
        'Claude Code: how much of the limit is used is not known: its transcripts do not say',
      );
    });
  });

  it('refuses prices that are no numbers', async () => {
    configure('{"cost":{"prices":{"m":{"input":"1","output":2}}}}');
    const { code, errors } = await cost();
    expect(code).toBe(2);
    expect(errors).toContain('cost.prices.m.input');
  });

  it('answers the same over HTTP, and refuses what is no parameter', async () => {
    expect((await program.run(['server', 'start', '--root', NESTED])).code).toBe(0);
    try {
      const { port, token } = JSON.parse(readFileSync(path.join(program.state, 'daemon.json'), 'utf8'));
      const get = (query: string) =>
        fetch(`http://127.0.0.1:${port}/api/cost?${query}`, { headers: { authorization: `Bearer ${token}` } });
      expect(await (await get('by=agent&split=model')).json()).toEqual(
        await report('--by', 'agent', '--split', 'model'),
      );
      const filtered: SpendReport = await (await get('by=day&q=host:codex')).json();
      expect(filtered.total.tokens).toBe(0);
      for (const query of ['by=hour', 'split=day', 'since=yesterday', 'q=tool:Bash', 'q=after:someday'])
        expect({ query, status: (await get(query)).status }).toEqual({ query, status: 400 });
    } finally {
      await program.end();
    }
  });
});
