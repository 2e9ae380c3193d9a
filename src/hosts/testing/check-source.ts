import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { buildTree, nativeId, type SessionTree } from '../../core/index.ts';
import { readSnapshot, writeSnapshot } from '../../core/testing/snapshot.ts';
import { readSession } from '../../sessions/index.ts';
import type { LocatedSession, SourceAdapter } from '../index.ts';
import { ADAPTERS } from './all-hosts.ts';
import { dumpTree } from './dump.ts';
import { eventsOf, type Fed, feedOf, ledgerOf, MUCH_LATER } from './feed.ts';

/**
 * One line of test per recording: its tree as a readable dump, and that neither file names, cuts, order nor repetition
 * nor a detour over a snapshot change anything about it.
 */
export async function checkSource(adapter: SourceAdapter, folder: string): Promise<readonly SessionTree[]> {
  const { sessions } = await adapter.locate(folder);
  const trees: SessionTree[] = [];
  for (const session of sessions) {
    const tree = buildTree(await readSession(adapter, session), { now: MUCH_LATER });
    trees.push(tree);
    const fed = await feedOf(adapter, session);
    checkDetection(adapter, fed);
    checkOrder(adapter, session, fed);
    checkSnapshot(adapter, session, fed);
  }
  const dump = trees
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(dumpTree)
    .join('\n');
  await expect(dump).toMatchFileSnapshot(path.join(folder, 'tree.txt'));
  return trees;
}

/** By content alone, and by exactly one adapter. */
/** A table is looked into where it is located. */
function checkDetection(adapter: SourceAdapter, fed: readonly Fed[]): void {
  for (const { source, bytes } of fed) {
    if (source.companion || source.verified) continue;
    const claims = ADAPTERS.filter((one) => one.sniff(bytes.subarray(0, 64 * 1024)));
    expect(
      claims.map(({ host }) => host),
      source.id,
    ).toEqual([adapter.host]);
  }
}

function checkOrder(adapter: SourceAdapter, session: LocatedSession, fed: readonly Fed[]): void {
  const treeOf = (order: readonly number[], cuts: readonly number[], times: number): SessionTree => {
    const events = order.flatMap((index) => eventsOf(adapter, session, fed[index] as Fed, cuts));
    return buildTree(ledgerOf(session, Array(times).fill(events).flat()), { now: MUCH_LATER });
  };
  const inOrder = fed.map((_source, index) => index);
  const expected = treeOf(inOrder, [], 1);
  fc.assert(
    fc.property(
      fc.shuffledSubarray(inOrder, { minLength: inOrder.length }),
      fc.array(fc.nat(2 ** 20), { maxLength: 30 }),
      fc.integer({ min: 1, max: 2 }),
      (order, cuts, times) => {
        expect(treeOf(order, cuts, times)).toEqual(expected);
      },
    ),
    { numRuns: 6 },
  );
}

function checkSnapshot(adapter: SourceAdapter, session: LocatedSession, fed: readonly Fed[]): void {
  const events = fed.flatMap((source) => eventsOf(adapter, session, source));
  const ledger = ledgerOf(session, events);
  const text = writeSnapshot([ledger], MUCH_LATER);
  const { ledgers, takenAt } = readSnapshot(text);
  expect(ledgers.map((one) => buildTree(one, { now: takenAt }))).toEqual([buildTree(ledger, { now: MUCH_LATER })]);
  expect(writeSnapshot(ledgers, takenAt)).toBe(text);
}

/** What the script of a recording dictated, agent by agent; `truth.json` beside it, as the recording kit writes it. */
interface Truth {
  readonly hidden: readonly { readonly id: string }[];
  readonly agents: readonly {
    readonly key: string;
    readonly id: string;
    readonly description: string | null;
    readonly type: string | null;
    readonly parent: string | null;
    readonly depth: number;
    readonly kind: string;
    readonly endStatus: string;
    readonly toolCalls: number;
    readonly outputTokens: number;
    readonly recordedOutputTokens?: number | null;
  }[];
}

/** None lost, none invented: every agent with its parent, depth, kind, end, calls and tokens. */
export function checkTruth(folder: string, trees: readonly SessionTree[]): void {
  const truth: Truth = JSON.parse(readFileSync(path.join(folder, 'truth.json'), 'utf8'));
  const main = truth.agents[0];
  const tree = trees.find((one) => nativeId(one.id) === main?.id);
  const idOf = new Map(truth.agents.map(({ key, id }) => [key, id]));
  const seen = tree?.agents
    .filter(({ kind }) => kind !== 'internal')
    .map((agent) => ({
      id: nativeId(agent.id),
      description: agent.description ?? null,
      type: agent.type ?? null,
      parent: agent.link.parent === undefined ? null : nativeId(agent.link.parent),
      depth: agent.depth,
      kind: agent.kind,
      status: agent.status,
      calls: agent.toolCallCount,
      output: agent.usage?.output,
    }));
  const dictated = truth.agents.map((agent) => ({
    id: agent.id,
    description: agent.description,
    type: agent.type,
    parent: agent.parent === null ? null : idOf.get(agent.parent),
    depth: agent.depth,
    kind: agent.kind,
    status: agent.endStatus,
    calls: agent.toolCalls,
    output: agent.recordedOutputTokens ?? agent.outputTokens,
  }));
  expect(seen).toEqual(dictated);
  const inner = tree?.agents.filter(({ kind }) => kind === 'internal').map(({ id }) => nativeId(id));
  const withFile = truth.hidden.filter(({ id }) => inner?.includes(id));
  expect(inner?.length).toBe(withFile.length);
  for (const agent of tree?.agents ?? []) {
    const told = truth.agents.find(({ id }) => id === nativeId(agent.id));
    if (told && agent.usage?.output !== told.outputTokens) expect(agent.usageIsLowerBound, told.key).toBe(true);
  }
}
