import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTree } from './build-tree.ts';
import type { AgentEvent } from './events.ts';
import { mainAgentOf, type SessionId, toAgentId, toSessionId, toSourceId, toToolCallId } from './ids.ts';
import { joinTrees } from './join-trees.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';
import { type SessionTree, selectPath, selectTotalUsage } from './tree.ts';
import { NO_USAGE } from './usage.ts';

type Facts<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

const NOW = 1_000_000;

/** A session of one agent that began at `at` and used ten tokens. */
function session(host: string, native: string, at: number, more: readonly Facts<AgentEvent>[] = []): SessionTree {
  const id = toSessionId(host, native);
  const agent = mainAgentOf(id);
  const ledger = createLedger(id);
  const facts: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent, entry: 'prompt', id: `${native}-p`, at },
    { kind: 'entry-added', agent, entry: 'reply', id: `${native}-r`, at: at + 10, end: 'turn' },
    {
      kind: 'usage-counted',
      agent,
      message: `${native}-r`,
      usage: { ...NO_USAGE, output: 10 },
      final: true,
      at: at + 10,
    },
    ...more,
  ];
  for (const [offset, fact] of facts.entries())
    reduce(ledger, { ...fact, session: id, origin: { source: toSourceId(native), offset, length: 1 } } as AgentEvent);
  return buildTree(ledger, { now: NOW });
}

/** The facts of a command of main that printed these sessions. */
function command(
  host: string,
  native: string,
  printed: readonly SessionId[],
  at: number,
  ended = at + 100,
): readonly Facts<AgentEvent>[] {
  const agent = toAgentId(host, native);
  const call = toToolCallId(`${native}-${at}`);
  return [
    { kind: 'tool-started', agent, call, tool: 'Bash', at },
    { kind: 'tool-ended', agent, call, outcome: 'ok', at: ended },
    ...printed.map((one) => ({ kind: 'session-printed', agent, call, printed: one }) as const),
  ];
}

const inner = toSessionId('codex', 'inner');
const begunBy = (session: string, agent = session): readonly Facts<AgentEvent>[] => [
  { kind: 'session-begun', by: { session: toSessionId('a', session), agent: toAgentId('a', agent) } },
];
const shapeOf = ({ trees }: { readonly trees: readonly SessionTree[] }) =>
  trees.map((tree) =>
    tree.agents.map(({ id, depth, link }) => [id, depth, link.parent ?? null, link.evidence ?? null]),
  );

describe('joinTrees', () => {
  it('puts a session that a command printed below the agent of the command, and nowhere else', () => {
    const outer = session('a', 'outer', 1_000, command('a', 'outer', [inner], 2_000));
    const joined = joinTrees([session('codex', 'inner', 2_050), outer]);
    expect(shapeOf(joined)).toEqual([
      [
        ['a:outer', 0, null, null],
        ['codex:inner', 1, 'a:outer', 'printed'],
      ],
    ]);
    const [tree] = joined.trees;
    expect(tree?.agents[1]).toMatchObject({
      kind: 'session',
      session: inner,
      status: 'completed',
      link: { rank: 'exact' },
    });
    expect(tree?.agents[0]?.subtreeUsage.output).toBe(20);
    expect(tree && selectTotalUsage(tree).output).toBe(20);
    expect(joined.of(inner)?.agents[0]).toMatchObject({ kind: 'main', depth: 0 });
    expect(tree && selectPath(tree, mainAgentOf(inner))).toHaveLength(2);
  });

  it.each([
    ['one that began before the command', 500, 2_000],
    ['one that began after it', 9_000, 2_000],
  ])('does not link %s', (_why, startedAt, at) => {
    const outer = session('a', 'outer', 100, command('a', 'outer', [inner], at));
    expect(joinTrees([outer, session('codex', 'inner', startedAt)]).trees).toHaveLength(2);
  });

  it('links nothing to itself, in a cycle, or to an agent that is not there', () => {
    const self = session('a', 'one', 1_000, [
      ...command('a', 'one', [toSessionId('a', 'one')], 900),
      ...begunBy('one'),
    ]);
    expect(joinTrees([self]).trees).toEqual([self]);
    const circle = [session('a', 'one', 1_000, begunBy('two')), session('a', 'two', 1_000, begunBy('one'))];
    expect(joinTrees(circle).trees).toHaveLength(1);
    expect(joinTrees([session('a', 'one', 1, begunBy('two', 'gone')), session('a', 'two', 1)]).trees).toHaveLength(2);
    expect(joinTrees([session('a', 'one', 1, begunBy('nobody'))]).trees).toHaveLength(1);
    // Taken up again, not started.
    expect(joinTrees([session('a', 'one', 1, begunBy('two')), session('a', 'two', 9_000)]).trees).toHaveLength(2);
  });

  it('takes the nearest program as the parent when programs are nested', () => {
    const middle = toSessionId('codex', 'middle');
    const trees = [
      // What the middle one printed holds what the inner one printed.
      session('a', 'outer', 1_000, command('a', 'outer', [middle, inner], 2_000, 5_000)),
      session('codex', 'middle', 2_100, [...command('codex', 'middle', [inner], 2_500), ...begunBy('outer')]),
      // And what the outer one was told is handed on.
      session('codex', 'inner', 2_550, begunBy('outer')),
    ];
    expect(shapeOf(joinTrees(trees))).toEqual([
      [
        ['a:outer', 0, null, null],
        ['codex:middle', 1, 'a:outer', 'printed'],
        ['codex:inner', 2, 'codex:middle', 'printed'],
      ],
    ]);
  });

  it('links by the environment while the command runs, without marking anyone as needing a person', () => {
    const [tree] = joinTrees([session('a', 'outer', 1_000), session('a', 'sub', NOW - 50, begunBy('outer'))]).trees;
    expect(tree?.agents[1]).toMatchObject({ kind: 'session', status: 'waiting', waitingOn: 'input', depth: 1 });
    expect(tree?.lastActivityAt).toBe(NOW - 40);
  });

  it('shows each session once and keeps token totals, whatever the links and their order', () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    const claims = fc.array(fc.tuple(fc.nat(4), fc.nat(4), fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(claims, fc.array(fc.nat(50), { minLength: 5, maxLength: 5 }), fc.nat(4), (said, starts, turn) => {
        const trees = names.map((name, at) => {
          const own = said.filter(([from]) => from === at);
          const printed = own.filter(([, , isPrinted]) => isPrinted).map(([, to]) => toSessionId('a', names[to] ?? ''));
          const by = own.filter(([, , isPrinted]) => !isPrinted).flatMap(([, to]) => begunBy(names[to] ?? ''));
          return session('a', name, 1_000 + (starts[at] ?? 0), [...command('a', name, printed, 1_010), ...by]);
        });
        const joined = joinTrees(trees);
        const ids = joined.trees.flatMap(({ agents }) => agents.map(({ id }) => id as string));
        expect(ids.toSorted()).toEqual(names.map((name) => `a:${name}`).toSorted());
        for (const tree of joined.trees) {
          expect(tree.agents[0]?.subtreeUsage.output).toBe(tree.agents.length * 10);
          for (const agent of tree.agents.slice(1))
            expect(selectPath(tree, agent.id)).toHaveLength((agent.depth ?? 0) + 1);
        }
        const turned = joinTrees([...trees.slice(turn), ...trees.slice(0, turn)]);
        expect(shapeOf(turned).map(String).toSorted()).toEqual(shapeOf(joined).map(String).toSorted());
      }),
    );
  });
});
