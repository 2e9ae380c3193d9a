import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../../src/core/index.ts';
import { multiply } from '../../replay/testing/multiply.ts';
import { openRecorded } from '../../replay/testing/open-recorded.mjs';
import { type FoldWish, foldForest, type GraphItem, growForest } from './fold.ts';

const NOW = Date.parse('2030-01-01');
const wish = (over: Partial<FoldWish> = {}): FoldWish => ({ folds: new Map(), now: NOW, kept: new Set(), ...over });
const AT_WORK: Partial<AgentReport> = { status: 'running', completedAt: null };

async function many(count: number, change?: (index: number) => Partial<AgentReport>) {
  const { detail } = await openRecorded('2.1.325-parallel');
  return growForest(multiply(detail, count, () => -1, change));
}

function keysBelow(item: GraphItem): readonly string[] {
  return item.children.map(({ key }) => key);
}

describe('a small session', () => {
  it('is shown whole, whatever has finished', async () => {
    const { main } = foldForest(await many(40), wish());
    expect(main.children).toHaveLength(40);
  });

  it('folds whom the person folds, and says how many are below', async () => {
    const { detail } = await openRecorded('2.1.325-nested-deep');
    const first = detail.subagents[0]!.id;
    const { main } = foldForest(growForest(detail), wish({ folds: new Map([[first, true]]) }));
    expect(main.children[0]).toMatchObject({ key: first, isFolded: true, below: 2, children: [] });
  });
});

describe('a large session', () => {
  it('folds what finished a while ago, but the last few', async () => {
    const { main } = foldForest(await many(100), wish());
    expect(main.children[0]).toMatchObject({
      kind: 'finished',
      standings: new Map([['completed', 96]]),
      isFolded: true,
    });
    expect(keysBelow(main).slice(1)).toEqual(['agent-96', 'agent-97', 'agent-98', 'agent-99']);
  });

  it('keeps in sight who is at work, failed, has just finished, or is looked at', async () => {
    const forest = await many(100, (index) => {
      if (index === 10) return AT_WORK;
      if (index === 20) return { status: 'failed' };
      return index === 30 ? { completedAt: new Date(NOW - 5000).toISOString() } : {};
    });
    const { main } = foldForest(forest, wish({ kept: new Set(['agent-40']) }));
    const shown = keysBelow(main);
    for (const index of [10, 20, 30, 40]) expect(shown).toContain(`agent-${index}`);
    expect(main.children[0]).toMatchObject({ kind: 'finished', standings: new Map([['completed', 92]]) });
  });

  it('shows all in their order when the chip is opened', async () => {
    const forest = await many(100);
    const chip = foldForest(forest, wish()).main.children[0]!.key;
    const { main } = foldForest(forest, wish({ folds: new Map([[chip, false]]) }));
    expect(keysBelow(main)).toEqual([chip, ...Array.from({ length: 100 }, (_, index) => `agent-${index}`)]);
  });

  it('counts whom a folded one has below it, and who failed among them', async () => {
    const { detail } = await openRecorded('2.1.325-parallel');
    const nested = multiply(
      detail,
      100,
      (index) => (index < 50 ? -1 : index - 50),
      (index) => (index === 50 ? { status: 'failed' } : {}),
    );
    const { main } = foldForest(growForest(nested), wish());
    expect(main.children[0]).toMatchObject({
      standings: new Map([
        ['completed', 91],
        ['failed', 1],
      ]),
    });
  });
});

describe('the hierarchy', () => {
  it('keeps everybody, below their parent or among the orphans', async () => {
    const { detail } = await openRecorded('2.1.325-nested');
    const lost = { ...detail, subagents: detail.subagents.map((one) => ({ ...one, parentId: 'gone' })) };
    expect(growForest(detail)).toMatchObject({ orphans: [], main: { below: detail.subagents.length } });
    expect(growForest(lost).orphans).toHaveLength(detail.subagents.length);
  });

  it('puts those of one group together, at the place of the first', async () => {
    const group = { id: 'w', kind: 'workflow' as const, name: null };
    const forest = await many(5, (index) => (index === 1 || index === 3 ? { group } : {}));
    expect(forest.main.children.map(({ agent }) => agent.id)).toEqual([0, 1, 3, 2, 4].map((index) => `agent-${index}`));
  });
});
