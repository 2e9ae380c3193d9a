import { describe, expect, it } from 'vitest';
import { toAgentId, toSessionId } from '../ids.ts';
import { type AgentNode, labelOf } from '../tree.ts';
import { NO_USAGE } from '../usage.ts';
import { contextWindowOf } from './prices.ts';
import { computeAgent, computeHues } from './tree.ts';

function agent(fields: Partial<AgentNode> = {}): AgentNode {
  return {
    id: toAgentId('test', 'a1b2c3d4e5f6'),
    link: { rank: 'none', candidates: [] },
    kind: 'task',
    status: 'running',
    stalled: false,
    activity: 'thinking',
    changes: [],
    runs: [],
    usageIsLowerBound: false,
    subtreeUsage: NO_USAGE,
    subtreeIsLowerBound: false,
    usageByModel: [],
    usageByTime: [],
    subtreeByModel: [],
    compactions: 0,
    sources: [],
    ...fields,
  };
}

describe('labelOf', () => {
  it('takes the name, else the description, the prompt, the type, a short id', () => {
    const all = { name: 'alice', description: 'Count TODOs', promptHead: 'Please count', type: 'Explore' };
    expect(labelOf(agent(all))).toBe('alice');
    expect(labelOf(agent({ description: 'Count TODOs', type: 'Explore' }))).toBe('Count TODOs');
    expect(labelOf(agent({ promptHead: 'Please count', type: 'Explore' }))).toBe('Please count');
    expect(labelOf(agent({ promptHead: '', type: 'Explore' }))).toBe('Explore');
    expect(labelOf(agent())).toBe('a1b2c3d4');
  });
});

describe('computeAgent', () => {
  it('writes null for what is unknown, never 0, and never leaves a field out', () => {
    const report = computeAgent(agent(), toSessionId('test', 's'), undefined);
    for (const key of [
      'toolCallCount',
      'messageCount',
      'tokensUsed',
      'usage',
      'model',
      'startedAt',
      'completedAt',
      'parentId',
    ] as const) {
      expect(report[key], key).toBeNull();
    }
  });

  it('counts the last request into tokensUsed: input, cache and output', () => {
    const lastRequest = { ...NO_USAGE, input: 12, output: 86, cacheRead: 9736, cacheWrite: 150 };
    const report = computeAgent(
      agent({ lastRequest, contextTokens: 9898, model: 'claude-sonnet-4-5' }),
      toSessionId('test', 's'),
      3,
    );
    expect(report).toMatchObject({ tokensUsed: 9984, contextTokens: 9898, contextWindow: 200_000, hue: 3 });
  });
});

describe('contextWindowOf', () => {
  it('returns null for an unknown model, and for a request beyond its known window', () => {
    expect(contextWindowOf('claude-haiku-4-5-20251001', 1000)).toBe(200_000);
    expect(contextWindowOf('gpt-7', 1000)).toBeNull();
    expect(contextWindowOf('claude-sonnet-4-5', 300_000)).toBeNull();
  });
});

describe('computeHues', () => {
  it('gives siblings different hues, and an agent always the same', () => {
    const parent = toAgentId('test', 'main');
    const siblings = Array.from({ length: 12 }, (_, index) =>
      agent({
        id: toAgentId('test', `agent-${index}`),
        link: { parent, rank: 'exact', evidence: 'result', candidates: [] },
      }),
    );
    const hues = computeHues(siblings);
    expect(new Set(hues.values()).size).toBe(12);
    expect(computeHues(siblings.slice(0, 3)).get(siblings[0]!.id)).toBe(hues.get(siblings[0]!.id));
  });
});
