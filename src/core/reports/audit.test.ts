import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { MUCH_LATER } from '../../hosts/testing/feed.ts';
import { readSession } from '../../sessions/index.ts';
import { buildTree } from '../build-tree.ts';
import { nativeId } from '../ids.ts';
import { computeCoverage } from './audit.ts';

const fixtures = fileURLToPath(new URL('../../hosts/claude-code/fixtures/', import.meta.url));
const hooks = fileURLToPath(new URL('../../hosts/claude-code/hooks/fixtures/', import.meta.url));

function heardIn(name: string): { readonly session: string; readonly calls: readonly string[] } {
  const payloads = readFileSync(path.join(hooks, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).payload);
  const calls = payloads.flatMap((payload) => claudeCode.hooks?.read(payload)?.call?.id ?? []);
  return { session: payloads[0].session_id, calls };
}

async function coverageOf(name: string, session: string, heard: ReadonlySet<string>) {
  const { sessions } = await claudeCode.locate(path.join(fixtures, name));
  const located = sessions.find(({ id }) => nativeId(id) === session);
  if (!located) throw new Error(`no session ${session} in ${name}`);
  const ledger = await readSession(claudeCode, located);
  return computeCoverage(buildTree(ledger, { now: MUCH_LATER }), ledger, (call) => heard.has(call));
}

/** 1.0.60 does not say which call its hooks are about. */
const names = readdirSync(hooks)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.replace(/\.jsonl$/, ''))
  .filter((name) => !name.startsWith('1.0.60'));

describe.each(names)('coverage of %s', (name) => {
  const { session, calls } = heardIn(name);

  it('is complete when every hook was recorded', async () => {
    const report = await coverageOf(name, session, new Set(calls));
    expect(report.missed).toEqual([]);
    expect(report.unresolved).toEqual([]);
    expect(report.heard).toBe(report.ran);
    expect(report.ran).toBeGreaterThan(0);
  });

  it('falls by each call without a hook, and names its agent', async () => {
    const whole = await coverageOf(name, session, new Set(calls));
    for (const lost of calls) {
      const report = await coverageOf(name, session, new Set(calls.filter((call) => call !== lost)));
      const [missing] = [...report.missed, ...report.unresolved];
      expect(report.heard).toBe(whole.heard - 1);
      expect(missing?.call).toBe(lost);
      expect(missing?.path[0]).toBe('main');
    }
  });
});

it('recognises how 1.0.60 reports an unknown tool', async () => {
  const report = await coverageOf('1.0.60-nested', 'e8cd4750-54cb-488a-91e4-8f3e0a046c11', new Set());
  expect(report.neverRan.map(({ tool, reason }) => [tool, reason])).toEqual(
    report.neverRan.map(() => ['Agent', 'Error: No such tool available: Agent']),
  );
  expect(report.neverRan.length).toBeGreaterThan(0);
  expect(report.missed.filter(({ reason }) => reason?.includes('No such tool'))).toEqual([]);
});

it("lists calls that the host refused before any hook separately, with the host's reason", async () => {
  const { session, calls } = heardIn('2.0.76-failing');
  const report = await coverageOf('2.0.76-failing', session, new Set(calls));
  expect(report.neverRan).toEqual([
    expect.objectContaining({
      tool: 'Read',
      reason: 'Error: File does not exist.',
      path: ['main', expect.any(String)],
    }),
  ]);
});
