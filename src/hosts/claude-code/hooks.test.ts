import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  buildTree,
  createOwnerOf,
  mainAgentOf,
  nativeId,
  reduce,
  type SessionLedger,
  type SessionTree,
  toSourceId,
} from '../../core/index.ts';
import { versionNumber } from '../../lib/version-number.ts';
import { readSession } from '../../sessions/index.ts';
import type { LocatedSession } from '../index.ts';
import { checkTruth } from '../testing/check-source.ts';
import { bytesOf, eventsOf, ledgerOf, MUCH_LATER } from '../testing/feed.ts';
import { readPayload } from './guard.ts';
import { condense, createHookReader } from './hooks.ts';
import { claudeCode } from './index.ts';

const recordings = fileURLToPath(new URL('fixtures/', import.meta.url));
const hooks = fileURLToPath(new URL('hooks/fixtures/', import.meta.url));
const names = readdirSync(hooks)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.replace(/\.jsonl$/, ''));

/** From here on every hook that a sub-agent sets off names it. */
const NAMES_AGENTS = versionNumber('2.1.69');
const namesAgents = (name: string): boolean => versionNumber(name.split('-')[0] ?? '') >= NAMES_AGENTS;

interface HookLine {
  readonly at: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

function linesOf(name: string): readonly HookLine[] {
  return readFileSync(`${hooks}${name}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function sessionOf(name: string, lines: readonly HookLine[]): Promise<LocatedSession> {
  const { sessions } = await claudeCode.locate(recordings + name);
  const found = sessions.find(({ id }) => nativeId(id) === lines[0]?.payload['session_id']);
  if (!found) throw new Error(`no session of ${name}`);
  return found;
}

function factsOf({ id }: LocatedSession, lines: readonly HookLine[]): readonly AgentEvent[] {
  const reader = createHookReader(id, toSourceId('hooks'));
  let offset = 0;
  return lines.flatMap(({ at, payload }, index) => {
    const kept = condense(payload);
    if (kept === undefined) return [];
    const bytes = Buffer.from(JSON.stringify({ id: String(index), at: Date.parse(at), payload: kept }));
    const line = { bytes, offset, length: bytes.length, torn: false, tooLong: false };
    offset += bytes.length + 1;
    return reader.read(line);
  });
}

function treeOf(ledger: SessionLedger, facts: readonly AgentEvent[], now = MUCH_LATER): SessionTree {
  for (const fact of facts) reduce(ledger, fact);
  return buildTree(ledger, { now });
}

describe.each(names)('hooks of %s', (name) => {
  const lines = linesOf(name);

  it('are all read, and none is of anybody else', () => {
    for (const { payload } of lines) {
      const event = readPayload(payload);
      expect(event?.name).toBe(payload['hook_event_name']);
      expect(event && nativeId(event.session)).toBe(payload['session_id']);
      expect(event?.call?.tool).toBe(payload['hook_event_name'] === 'PreToolUse' ? payload['tool_name'] : undefined);
    }
  });

  it('leave the tree that was dictated, in any order', async () => {
    const session = await sessionOf(name, lines);
    const facts = factsOf(session, lines);
    if (name !== '1.0.60-single') expect(facts.length).toBeGreaterThan(0);
    const { hostTitle: _title, ...expected } = treeOf(await readSession(claudeCode, session), facts);
    checkTruth(recordings + name, [expected]);
    const told = bytesOf(session).flatMap((fed) => eventsOf(claudeCode, session, fed));
    fc.assert(
      fc.property(fc.shuffledSubarray([...facts], { minLength: facts.length }), (shuffled) => {
        expect(treeOf(ledgerOf(session, [...shuffled, ...told]), shuffled)).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  it('name the agent that made the call, or nobody', async () => {
    const ledger = await readSession(claudeCode, await sessionOf(name, lines));
    const ownerOf = createOwnerOf(ledger);
    const main = mainAgentOf(ledger.id);
    for (const { payload } of lines) {
      const event = readPayload(payload);
      const call = event?.call?.id === undefined ? undefined : ledger.calls.get(event.call.id);
      if (!event || !call) continue;
      if (event.caller.named === 'agent') expect(event.caller.agent).toBe(ownerOf(call.agents));
      else if (namesAgents(name)) expect(ownerOf(call.agents)).toBe(main);
    }
  });
});

describe('an end that a hook told', () => {
  it('is there before the last lines are', async () => {
    const lines = linesOf('2.1.325-background');
    const session = await sessionOf('2.1.325-background', lines);
    const stopped = lines.find(({ payload }) => payload['hook_event_name'] === 'SubagentStop');
    const agent = stopped?.payload['agent_id'];
    const until = Date.parse(stopped?.at ?? '');
    const said = bytesOf(session)
      .flatMap((fed) => eventsOf(claudeCode, session, fed))
      .filter((event) => !('at' in event) || (event.at ?? 0) < until - 50)
      .filter((event) => event.kind !== 'run-ended');
    const alive = { now: until };
    const before = buildTree(ledgerOf({ ...session, facts: [] }, said), alive);
    const find = (tree: SessionTree) => tree.agents.find(({ id }) => nativeId(id) === agent);
    expect(find(before)?.status).not.toBe('completed');
    const facts = factsOf(session, lines).filter((fact) => !('at' in fact) || (fact.at ?? 0) <= until);
    const after = treeOf(ledgerOf({ ...session, facts: [] }, said), facts, until);
    expect(find(after)).toMatchObject({ status: 'completed', completedAt: until });
    expect(find(after)?.runs.at(-1)?.signal).toBe('hook');
  });

  it('of a failed request says why', async () => {
    const lines = linesOf('2.1.325-failing');
    const session = await sessionOf('2.1.325-failing', lines);
    const ends = factsOf(session, lines).filter((fact) => fact.kind === 'run-ended');
    expect(ends).toContainEqual(
      expect.objectContaining({ signal: 'hook', outcome: 'failed', reason: expect.stringContaining('API Error') }),
    );
  });
});

describe('what is kept of a hook', () => {
  it('is no input, no output and no prompt', () => {
    for (const name of names) {
      for (const { payload } of linesOf(name)) {
        const kept = Object.keys((condense(payload) as object | undefined) ?? {});
        expect(['event', 'agent', 'reason', 'call', 'made']).toEqual(expect.arrayContaining(kept));
      }
    }
  });

  it.each([null, 1, 'text', [], {}, { hook_event_name: 7 }, { hook_event_name: 'constructor', session_id: 's' }])(
    'is nothing where it is none of the host’s: %j',
    (payload) => {
      expect(condense(payload)).toBeUndefined();
      expect(readPayload(payload)?.call).toBeUndefined();
    },
  );
});
