import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  buildTree,
  computeAuditAgent,
  createOwnerOf,
  mainAgentOf,
  nativeId,
  toAgentId,
  toToolCallId,
} from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import type { HookEvent } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/testing/all-hosts.ts';
import { createCallerIdentifier, createCallerNamer, type KnownSession } from './identify.ts';
import { readSession } from './read-session.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));
const hooks = fileURLToPath(new URL('../hosts/claude-code/hooks/fixtures/', import.meta.url));
const NOW = Date.parse('2030-01-01T00:00:00Z');

async function openFixture(name: string, native: unknown): Promise<KnownSession> {
  const { sessions } = await claudeCode.locate(path.join(fixtures, name));
  const session = sessions.find(({ id }) => nativeId(id) === native);
  if (!session) throw new Error(`no session ${native} in ${name}`);
  const ledger = await readSession(claudeCode, session);
  return { ledger, tree: buildTree(ledger, { now: NOW }) };
}

function transcriptOf(name: string, native: string): string {
  const projects = path.join(fixtures, name, 'projects');
  const found = readdirSync(projects, { recursive: true, encoding: 'utf8' }).find((file) =>
    file.endsWith(`${native}.jsonl`),
  );
  return path.join(projects, found ?? '');
}

function identifierOver(open: (event: HookEvent) => Promise<KnownSession | undefined>, clock = () => NOW) {
  return { identify: createCallerIdentifier({ adapters: ADAPTERS, clock, open, pause: async () => {} }) };
}

function eventsOf(name: string): readonly { readonly event: HookEvent; readonly at: number }[] {
  const lines = readFileSync(path.join(hooks, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.flatMap((line) => {
    const { at, payload } = JSON.parse(line);
    const event = claudeCode.hooks?.read(payload);
    return event?.call ? [{ event, at: Date.parse(at) }] : [];
  });
}

describe.each(
  readdirSync(hooks)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.replace(/\.jsonl$/, '')),
)('the callers of %s', (name) => {
  it('are named correctly, or unknown', async () => {
    const calls = eventsOf(name);
    const session = await openFixture(name, nativeId(calls[0]?.event.session ?? mainAgentOf('' as never)));
    const ownerOf = createOwnerOf(session.ledger);
    const { identify } = identifierOver(async () => session);
    let exact = 0;
    for (const { event, at } of calls) {
      const { identity, tree } = await identify(event, at);
      const call = event.call?.id === undefined ? undefined : session.ledger.calls.get(event.call.id);
      const agent = computeAuditAgent(identity, tree);
      if (agent.who === 'unknown') continue;
      exact++;
      expect(agent.evidence).toBe('exact');
      expect(agent.path[0]).toBe('main');
      if (call) expect(agent.id).toBe(nativeId(ownerOf(call.agents) ?? mainAgentOf(event.session)));
    }
    // 1.0.60 gives neither an agent nor the id of the call, and an old recording is no time to guess.
    expect(exact).toBe(name.startsWith('1.0.60') ? 0 : calls.length);
  });
});

describe('a caller', () => {
  const [first] = eventsOf('2.1.197-nested').filter(({ event }) => event.caller.named === 'agent');
  const event = first?.event as HookEvent;

  it('has its whole path, with type, depth and kind', async () => {
    const session = await openFixture('2.1.197-nested', nativeId(event.session));
    const deepest = session.tree.agents.find(({ depth }) => depth === 2);
    const { identify } = identifierOver(async () => session);
    const inner = { ...event, caller: { named: 'agent' as const, agent: deepest?.id ?? toAgentId('x', 'x') } };
    const { identity, tree } = await identify(inner, NOW);
    expect(computeAuditAgent(identity, tree)).toEqual({
      who: 'subagent',
      id: nativeId(deepest?.id ?? toAgentId('x', 'x')),
      type: 'general-purpose',
      name: null,
      kind: 'task',
      depth: 2,
      path: ['main', 'Audit the repo', deepest?.description],
      evidence: 'exact',
      reason: null,
    });
  });

  it('is named by its hook when no file knows it yet', async () => {
    const { identify } = identifierOver(async () => undefined);
    const { identity, tree } = await identify(event, NOW);
    expect(computeAuditAgent(identity, tree)).toMatchObject({
      who: 'subagent',
      type: 'general-purpose',
      evidence: 'exact',
      reason: 'its place in the tree is not known',
    });
  });

  it('has the path that its host names while no followed folder has its session', async () => {
    const nameCaller = createCallerNamer(
      async () => undefined,
      () => NOW,
    );
    const path = ['main', 'Plan it', 'Remove the build'];
    const agent = toAgentId('opencode', 'ses_low');
    const named = { ...event, caller: { named: 'agent' as const, agent, type: 'general', path } };
    expect(await nameCaller(named, NOW)).toMatchObject({ who: 'subagent', depth: 2, path, kind: 'task', reason: null });
  });

  it('is found as soon as its call is recorded', async () => {
    const [call] = eventsOf('2.0.76-parallel').filter(({ event: one }) => !one.call?.spawns);
    const session = await openFixture('2.0.76-parallel', nativeId(call?.event.session ?? event.session));
    let looks = 0;
    const { identify } = identifierOver(async () => (++looks < 4 ? undefined : session));
    const { identity } = await identify(call?.event as HookEvent, NOW);
    expect(looks).toBe(4);
    expect(identity).toMatchObject({ who: 'subagent', evidence: { rank: 'exact', source: 'tool-call' } });
  });

  it('is never guessed when its call spawns an agent', async () => {
    const [spawn] = eventsOf('2.0.76-parallel').filter(({ event: one }) => one.call?.spawns);
    const lost = { ...(spawn?.event as HookEvent), transcript: path.join(fixtures, 'nowhere.jsonl') };
    const { identify } = identifierOver(async () => undefined);
    expect((await identify(lost, NOW)).identity.who).toBe('unknown');
  });

  it('is named by the file of its call when its hook should have named it', async () => {
    const session = await openFixture('2.1.197-nested', nativeId(event.session));
    const { identify } = identifierOver(async () => session);
    const { identity } = await identify({ ...event, caller: { named: 'nobody' } }, NOW);
    expect(identity).toMatchObject({ who: 'subagent', evidence: { rank: 'exact', source: 'tool-call' } });
    expect(identity.agent?.id).toBe(event.caller.named === 'agent' ? event.caller.agent : '');
  });

  it('is guessed by the calls open then, not now, when no id names it', async () => {
    const calls = eventsOf('1.0.60-single');
    const native = nativeId(calls[0]?.event.session ?? event.session);
    const session = await openFixture('1.0.60-single', native);
    const transcript = transcriptOf('1.0.60-single', native);
    const ownerOf = createOwnerOf(session.ledger);
    const main = mainAgentOf(session.tree.id);
    const seen = new Set<string>();
    for (const { event: one, at } of calls) {
      const { identify } = identifierOver(
        async () => session,
        () => at + 1_500,
      );
      const { identity } = await identify({ ...one, transcript }, at);
      const told = [...session.ledger.calls.values()].find(
        ({ started }) =>
          started?.value.tool === one.call?.tool && started?.value.summary === one.call?.subject?.split('\n')[0],
      );
      const isMain = told !== undefined && ownerOf(told.agents) === main;
      expect(['unknown', isMain ? 'main' : 'subagent'], one.call?.subject).toContain(identity.who);
      expect(identity.evidence.rank).not.toBe('exact');
      seen.add(identity.who);
    }
    expect(seen).toContain('subagent');
  });

  it('is never guessed from a transcript that has continued since', async () => {
    const [call] = eventsOf('2.0.76-parallel').filter(({ event: one }) => !one.call?.spawns);
    const later = { ...(call?.event as HookEvent) };
    const stray = { ...later, call: { ...later.call, id: toToolCallId('toolu_elsewhere') } } as HookEvent;
    const session = await openFixture('2.0.76-parallel', nativeId(later.session));
    const { identify } = identifierOver(async () => session);
    expect((await identify(stray, NOW - 3_600_000)).identity.who).toBe('unknown');
  });
});
