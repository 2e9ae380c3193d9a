import { expect, it } from 'vitest';
import { type AgentEvent, buildTree, createLedger, reduce, toSourceId } from '../../../core/index.ts';
import { agentIdOf, sessionIdOf } from '../record.ts';
import { condense, createHookReader } from './index.ts';

const SESSION = sessionIdOf('ses_top');
const CHILD = agentIdOf('ses_low');
const reader = createHookReader(SESSION, toSourceId('hooks/x'));

function told(hook: string, at: number): readonly AgentEvent[] {
  const payload = condense({ hook, session: 'ses_low', permission: { id: 'per_1' }, args: { command: 'secret' } });
  expect(JSON.stringify(payload)).not.toContain('secret');
  const bytes = Buffer.from(JSON.stringify({ id: 'x', at, payload }));
  return reader.read({ bytes, offset: 0, length: bytes.length } as never);
}

function statusAfter(...facts: readonly AgentEvent[]): string {
  const ledger = createLedger(SESSION);
  const place = { session: SESSION, origin: { source: toSourceId('db'), offset: 1, length: 0 } };
  const from: readonly AgentEvent[] = [
    { kind: 'entry-added', ...place, agent: CHILD, entry: 'prompt', id: 'm1', at: 1_000 },
    { kind: 'agent-linked', ...place, agent: CHILD, evidence: 'session-record', parent: agentIdOf('ses_top') },
  ];
  for (const fact of [...from, ...facts]) reduce(ledger, fact);
  const child = buildTree(ledger, { now: 3_000 }).agents.find(({ id }) => id === CHILD);
  return `${child?.status} ${child?.waitingOn ?? ''}`.trim();
}

const spoke = (at: number): AgentEvent => ({
  kind: 'entry-added',
  session: SESSION,
  origin: { source: toSourceId('db'), offset: at, length: 0 },
  agent: CHILD,
  entry: 'reply',
  id: `m${at}`,
  at,
  end: 'tools',
});

it('an agent whose permission is asked for waits until it is answered, whatever comes first', () => {
  const [asked, answered] = [told('permission.asked', 2_000), told('permission.replied', 2_500)];
  expect(statusAfter()).toBe('running');
  expect(statusAfter(...asked)).toBe('waiting permission');
  expect(statusAfter(...asked, ...answered)).toBe('running');
  expect(statusAfter(...answered, ...asked)).toBe('running');
});

it('a question that its program took to the grave is over when the agent speaks again', () => {
  expect(statusAfter(...told('permission.asked', 2_000), spoke(2_800))).toBe('running');
});

it('keeps nothing of anything else', () => {
  for (const odd of [null, 7, {}, { hook: 'tool.execute.before', session: 's' }]) expect(condense(odd)).toBeUndefined();
});
