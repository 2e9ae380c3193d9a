import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { MUCH_LATER } from '../../hosts/testing/feed.ts';
import { readSession } from '../../sessions/index.ts';
import { buildTree } from '../build-tree.ts';
import { nativeId, toAgentId, toToolCallId } from '../ids.ts';
import type { SessionTree } from '../tree.ts';
import { computeAuditAgent, type Identity } from './identity.ts';

const nested = fileURLToPath(new URL('../../hosts/claude-code/fixtures/2.1.197-nested', import.meta.url));

async function openTree(): Promise<SessionTree> {
  const { sessions } = await claudeCode.locate(path.resolve(nested));
  const [located] = sessions;
  if (!located) throw new Error('no session');
  return buildTree(await readSession(claudeCode, located), { now: MUCH_LATER });
}

const of = (agent: Identity['agent'], rank: 'exact' | 'guess'): Identity => ({
  who: 'subagent',
  path: [],
  candidates: [],
  evidence: rank === 'exact' ? { rank, source: 'hook' } : { rank, source: 'open-call' },
  ...(agent && { agent }),
});

describe('the path of a sub-agent', () => {
  it("is main and the call's description when the call is a guess that is in no tree", () => {
    const call = toToolCallId('toolu_1');
    const { path: names, id } = computeAuditAgent(of({ call, description: 'Check app.js', type: 'tester' }, 'guess'));
    expect([names, id]).toEqual([['main', 'Check app.js'], null]);
    expect(computeAuditAgent(of({ call, type: 'tester' }, 'guess')).path).toEqual(['main', 'tester']);
    expect(computeAuditAgent(of(undefined, 'guess')).path).toEqual(['main', 'sub-agent']);
  });

  it('is that of the spawned agent when the call is a guess that is in the tree', async () => {
    const tree = await openTree();
    const deepest = tree.agents.find(({ depth }) => depth === 2);
    const call = deepest?.link.call;
    if (!deepest || call === undefined) throw new Error('no call');
    expect(computeAuditAgent(of({ call }, 'guess'), tree)).toMatchObject({
      id: nativeId(deepest.id),
      path: ['main', 'Audit the repo', deepest.description],
      evidence: 'guess',
    });
  });

  it('has a gap when the agents in between are unknown', async () => {
    const agent = { id: toAgentId('claude-code', 'a123'), type: 'tester' };
    expect(computeAuditAgent(of(agent, 'exact')).path).toEqual(['main', '…', 'tester']);
    const tree = await openTree();
    const [, first] = tree.agents;
    if (!first) throw new Error('no agent');
    const loose = { ...tree, agents: [first] };
    expect(computeAuditAgent(of({ id: first.id }, 'exact'), loose).path).toEqual(['main', '…', 'Audit the repo']);
  });
});
