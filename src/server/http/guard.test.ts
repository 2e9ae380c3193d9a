import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openGuardLog } from '../../audit/index.ts';
import { fillSpool, recordedHooks, recordedRoot } from '../../audit/testing/recorded-spool.ts';
import type { AuditPage, CoverageReport, GuardExplanation, HeardCall } from '../../core/index.ts';
import { createPolicyReader } from '../../guard/index.ts';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
import { createServedGuard } from '../server-control.ts';
import { memoryLive } from './testing/memory-live.ts';
import { readEvents } from './testing/read-events.ts';
import { type Served, serve, TOKEN } from './testing/serve.ts';
import { misfits } from './testing/validate.ts';

const NESTED = '2.1.197-nested';
const SESSION = '487d4d81-571f-4152-9fdf-cc0674de72ba';
const calls = recordedHooks(NESTED).filter(({ payload }) => payload['hook_event_name'] === 'PreToolUse');

let folder: string;
let server: Served;
beforeEach(async () => {
  folder = makeTemporaryFolder('guard');
  const places = [{ adapter: claudeCode, root: recordedRoot(NESTED), forced: false }];
  const trees = createSessions(places, { clock: Date.now });
  const guard = createServedGuard(openGuardLog({ folder, places, clock: Date.now }), {
    folder,
    home: folder,
    policyIn: createPolicyReader({ home: folder, configFolder: folder, stateFolder: folder }),
    treeOf: async (session) => (await trees.open(session)).tree,
  });
  server = await serve(memoryLive(), { guard });
});
afterEach(async () => {
  // Waits for a drain that may still be going on.
  await server.json('/api/guard/log');
  await server.close();
});

const log = async (query = ''): Promise<AuditPage> => (await server.json(`/api/guard/log${query}`)) as AuditPage;

describe('/api/guard/log', () => {
  it('has the newest calls, oldest first, without tool inputs', async () => {
    expect(await log()).toEqual({ entries: [], hasMore: false, badLines: 0 });
    fillSpool(folder, recordedHooks(NESTED));
    const page = await log();
    expect(misfits('audit-page', page)).toBe('');
    expect(page.entries.map(({ call }) => call)).toEqual(calls.map(({ payload }) => payload['tool_use_id']));
    for (const entry of page.entries) expect(entry).not.toHaveProperty('input');
    const [last] = (await log('?limit=1&input=1')).entries;
    expect(last?.input).toEqual(calls.at(-1)?.payload['tool_input']);
    expect(misfits('audit-page', await log('?limit=1&input=1'))).toBe('');
  });

  it('accepts every filter', async () => {
    fillSpool(folder, recordedHooks(NESTED));
    const { entries } = await log();
    const at = entries[1]?.at ?? '';
    const count = async (query: string) => (await log(query)).entries.length;
    expect(await count('?agent=main')).toBe(1);
    expect(await count('?agent=check%20app.js&tool=Bash')).toBe(1);
    expect(await count('?type=general-purpose')).toBe(entries.length - 1);
    expect(await count('?decision=deny')).toBe(0);
    expect(await count('?decision=observed&agent=')).toBe(entries.length);
    expect(await count(`?session=${SESSION}&since=${at}`)).toBe(entries.length - 1);
    expect(await count(`?until=${at}`)).toBe(2);
    expect(await log('?limit=2')).toMatchObject({ hasMore: true });
  });

  it.each([
    '?limit=0',
    '?limit=1001',
    '?limit=x',
    '?decision=maybe',
    '?since=soon',
    '?since=2026-02-31T00:00:00Z',
    '?input=2',
  ])('refuses %s', async (query) => {
    const { status, text } = await server.get(`/api/guard/log${query}`);
    expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 400, code: 'bad-query' });
  });

  it('is not found without hooks, and refused to strangers', async () => {
    const bare = await serve(memoryLive());
    expect((await bare.get('/api/guard/log')).status).toBe(404);
    await bare.close();
    expect((await server.get('/api/guard/log', { headers: {} })).status).toBe(401);
  });
});

describe('/api/guard/coverage/:session', () => {
  it('compares the session with the audit log', async () => {
    fillSpool(folder, recordedHooks(NESTED));
    const report = (await server.json(`/api/guard/coverage/${SESSION}`)) as CoverageReport;
    expect(misfits('coverage', report)).toBe('');
    expect(report).toMatchObject({ sessionId: SESSION, ran: calls.length, heard: calls.length, missed: [] });
  });

  it.each(['nobody', '..%2f..%2fetc'])('does not know session %s', async (id) => {
    const { status, text } = await server.get(`/api/guard/coverage/${id}`);
    expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 404, code: 'session-not-found' });
  });
});

describe('/api/guard/explain/:call', () => {
  const explain = async (call: string | number) => {
    const told = (await server.json(`/api/guard/explain/${call}`)) as GuardExplanation;
    expect(misfits('explanation', told)).toBe('');
    return told;
  };

  it('says which rules were tried, which won, what an ancestor contributed, and what would allow it', async () => {
    fillSpool(folder, recordedHooks(NESTED));
    const file = path.join(folder, 'policy.yaml');
    writeFileSync(file, 'version: 1\nrules: [{ agents: { depth: 1 }, tools: "Bash(wc:*)", decision: deny }]\n');
    const denied = (await log()).entries.find(({ agent, tool }) => agent.depth === 2 && tool === 'Bash');
    const told = await explain(denied?.n ?? 0);
    expect(told).toMatchObject({
      decision: 'deny',
      rule: { id: 'user:1', place: { file, line: 2 } },
      ancestor: expect.any(String),
      recorded: { n: denied?.n, decision: 'observed' },
      suggestion: { yaml: expect.stringContaining('despite_ancestors: true'), file, stands: [] },
    });
    expect(told.tried).toContainEqual(expect.objectContaining({ isAncestors: true, outcome: 'matched' }));
    expect(await explain(denied?.call ?? '')).toEqual(told);
  });

  it('decides nothing when the audit log has only part of the call', async () => {
    const [call] = calls;
    if (!call) throw new Error('no call');
    const tool_input = { command: 'deploy --password hunter2' };
    fillSpool(folder, [{ ...call, payload: { ...call.payload, tool_name: 'Bash', tool_input } }]);
    const told = await explain(1);
    expect(told).toMatchObject({ decision: null, tried: [], suggestion: null });
    expect(told.caveats).toEqual([expect.stringContaining('masked or cut')]);
    expect(JSON.stringify(told)).not.toContain('hunter2');
  });

  it.each(['7', 'toolu_nope', '..%2fx', '%00'])('does not know call %s', async (id) => {
    const { status, text } = await server.get(`/api/guard/explain/${id}`);
    expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 404, code: 'call-not-found' });
  });
});

describe('calls in the event stream', () => {
  it('arrive as they are recorded, each once, and again after a lost connection', async () => {
    const reader = readEvents(server.port, TOKEN);
    await reader.until(() => reader.events.length === 1);
    for (const call of calls) fillSpool(folder, [call]);
    await reader.until(() => reader.events.length === 1 + calls.length);
    const told = reader.events.slice(1) as readonly { readonly type: string; readonly data: unknown }[];
    for (const { type, data } of told) expect(misfits('events', { type, data })).toBe('');
    expect(told.map(({ data }) => (data as HeardCall).call)).toEqual(
      calls.map(({ payload }) => payload['tool_use_id']),
    );
    reader.close();
    const late = readEvents(server.port, TOKEN, { 'Last-Event-ID': reader.events.at(-3)?.id ?? '' });
    await late.until(() => late.events.length === 2);
    expect(late.events).toEqual(reader.events.slice(-2));
    late.close();
  });
});
