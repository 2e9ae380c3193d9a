import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AuditEntry, type AuditFilter, nativeId } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createSessions } from '../sessions/index.ts';
import { type GuardLog, openGuardLog } from './guard-log.ts';
import { fillSpool, type RecordedHook, recordedHooks, recordedRoot } from './testing/recorded-spool.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
let folder: string;
beforeEach(() => {
  folder = makeTemporaryFolder('guard');
});

const isCall = ({ payload }: RecordedHook): boolean => payload['hook_event_name'] === 'PreToolUse';

function logOver(...names: readonly string[]): GuardLog {
  const places = names.map((name) => ({ adapter: claudeCode, root: recordedRoot(name), forced: false }));
  return openGuardLog({ folder, places, clock: () => NOW });
}

async function toolsOf(log: GuardLog, filter: AuditFilter): Promise<readonly unknown[]> {
  return (await log.read(filter, 100)).entries.map(({ tool }) => tool);
}

describe('the log of a recorded session', () => {
  const name = '2.1.197-nested';
  const calls = recordedHooks(name).filter(isCall);

  it('has each call once, in order, with the whole path of its agent', async () => {
    fillSpool(folder, recordedHooks(name));
    const log = logOver(name);
    for (let look = 0; look < 2; look++) {
      const { entries, hasMore, badLines } = await log.read({}, 100);
      expect({ hasMore, badLines }).toEqual({ hasMore: false, badLines: 0 });
      expect(entries.map(({ call }) => call)).toEqual(calls.map(({ payload }) => payload['tool_use_id']));
      expect(entries.map(({ at }) => at)).toEqual(calls.map(({ at }) => at));
    }
    const { entries } = await log.read({}, 100);
    expect(entries.at(0)?.agent).toMatchObject({ who: 'main', path: ['main'] });
    expect(new Set(entries.map(({ agent }) => agent.path.length))).toEqual(new Set([1, 2, 3]));
    expect(readdirSync(path.join(folder, 'spool'))).toEqual([]);
  });

  it('gives the newest, and reports that there are more', async () => {
    fillSpool(folder, recordedHooks(name));
    const { entries, hasMore } = await logOver(name).read({}, 2);
    expect(hasMore).toBe(true);
    expect(entries.map(({ call }) => call)).toEqual(calls.slice(-2).map(({ payload }) => payload['tool_use_id']));
  });

  it('is filtered by every field', async () => {
    fillSpool(folder, recordedHooks(name));
    const log = logOver(name);
    const { entries } = await log.read({}, 100);
    const deepest = entries.find(({ agent }) => agent.depth === 2) as AuditEntry;
    const of = (isWanted: (entry: AuditEntry) => boolean) => entries.filter(isWanted).map(({ tool }) => tool);
    const isDeepest = ({ agent }: AuditEntry) => agent.id === deepest.agent.id;
    expect(await toolsOf(log, { agent: deepest.agent.id?.slice(0, 6) ?? '' })).toEqual(of(isDeepest));
    expect(await toolsOf(log, { agent: deepest.agent.path.at(-1)?.toUpperCase() ?? '' })).toEqual(of(isDeepest));
    expect(await toolsOf(log, { agent: 'main' })).toEqual(of(({ agent }) => agent.who === 'main'));
    expect(await toolsOf(log, { type: 'general-purpose' })).toEqual(of(({ agent }) => agent.who === 'subagent'));
    expect(await toolsOf(log, { tool: 'agent' })).toEqual(of(({ tool }) => tool === 'Agent'));
    expect(await toolsOf(log, { decision: 'observed' })).toEqual(of(() => true));
    expect(await toolsOf(log, { decision: 'deny' })).toEqual([]);
    expect(await toolsOf(log, { session: '487d4d81' })).toEqual(of(() => true));
    expect(await toolsOf(log, { session: 'another' })).toEqual([]);
    const at = Date.parse(deepest.at);
    expect(await toolsOf(log, { since: at, until: at })).toEqual(of((entry) => entry.at === deepest.at));
    expect(await toolsOf(log, { since: at + 1 })).toEqual(of((entry) => entry.at > deepest.at));
  });

  it('reports new entries while it is followed', async () => {
    const [first, ...rest] = recordedHooks(name).filter(isCall);
    if (!first) throw new Error('no call');
    fillSpool(folder, [first]);
    const log = logOver(name);
    await log.read({}, 1);
    const heard: AuditEntry[] = [];
    const whole = new Promise<void>((resolve) => {
      const subscription = log.follow({ agent: 'subagent' }, (entry) => {
        heard.push(entry);
        if (heard.length < rest.filter(({ payload }) => payload['agent_id'] !== undefined).length) return;
        subscription.close();
        resolve();
      });
    });
    // Who follows and then reads has all of it: what comes from here on is told.
    await log.read({}, 1);
    for (const hook of rest) fillSpool(folder, [hook]);
    await whole;
    // It may be in the middle of a drain still: this waits for its end.
    await log.verify();
    expect(heard.map(({ agent }) => agent.who)).toEqual(heard.map(() => 'subagent'));
    expect(heard.map(({ n }) => n)).toEqual(heard.map(({ n }) => n).toSorted((a, b) => a - b));
  });

  it('reports a line that was changed', async () => {
    fillSpool(folder, recordedHooks(name));
    const log = logOver(name);
    expect(await log.verify()).toMatchObject({ entries: calls.length, files: 1, firstN: 1, problems: [] });
    const [file = ''] = readdirSync(path.join(folder, 'audit')).filter((one) => one.endsWith('.jsonl'));
    const text = readFileSync(path.join(folder, 'audit', file), 'utf8');
    writeFileSync(path.join(folder, 'audit', file), text.replace('"decision":"observed"', '"decision":"allow"'));
    expect((await log.verify()).problems).toEqual([{ file, line: 1, what: expect.stringContaining('changed') }]);
  });
});

describe('coverage', () => {
  it.each(['2.1.197-nested', '2.0.76-parallel', '2.1.325-team', '2.0.76-failing'])(
    'of %s is complete',
    async (name) => {
      fillSpool(folder, recordedHooks(name));
      const { session_id: session } = recordedHooks(name)[0]?.payload ?? {};
      const report = await logOver(name).coverage(String(session));
      expect(report).toMatchObject({ missed: [], unresolved: [], unnamed: 0 });
      expect(report.heard).toBe(report.ran);
      expect(report.ran).toBeGreaterThan(0);
    },
  );

  it('falls when a hook was removed, and names the agent', async () => {
    const hooks = recordedHooks('2.1.197-nested').filter((hook) => !(isCall(hook) && hook.payload['agent_id']));
    fillSpool(folder, hooks);
    const report = await logOver('2.1.197-nested').coverage();
    expect(report.missed.length).toBe(report.ran - report.heard);
    expect(report.missed.map(({ path: names }) => names.length > 1)).toEqual(report.missed.map(() => true));
  });

  it('counts the hooks that did not name their call', async () => {
    fillSpool(folder, recordedHooks('1.0.60-single'));
    const report = await logOver('1.0.60-single').coverage();
    expect(report.heard).toBe(0);
    expect(report.unnamed).toBe(recordedHooks('1.0.60-single').filter(isCall).length);
  });

  it('is empty when no hook event was recorded', async () => {
    const report = await logOver('2.1.325-single').coverage();
    expect(report.heard).toBe(0);
    expect(report.missed).toHaveLength(report.ran);
  });
});

describe('coverage in a process that follows sessions', () => {
  it('uses the session as it is in memory, not on disk', async () => {
    const name = '2.1.197-nested';
    fillSpool(folder, recordedHooks(name));
    const places = [{ adapter: claudeCode, root: recordedRoot(name), forced: false }];
    const session = await createSessions(places, { clock: () => NOW }).open();
    const asked: string[] = [];
    const held = async (id: string) => {
      asked.push(id);
      return id === nativeId(session.tree.id) ? session : undefined;
    };
    const log = openGuardLog({ folder, places: [], clock: () => NOW, held });
    const id = nativeId(session.tree.id);
    expect(await log.coverage(id)).toEqual(await logOver(name).coverage(id));
    expect(asked).toEqual([id]);
    // Nothing is on the disk here.
    await expect(log.coverage('other')).rejects.toThrow('No session begins with');
  });
});
