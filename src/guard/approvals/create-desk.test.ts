import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ApprovalEnd, type ApprovalRequest, ENDED_KEPT } from '../../core/index.ts';
import { createPendingApprovals, type PendingApproval, type PendingApprovals, type Question } from './approvals.ts';

const QUESTION: Question = {
  host: 'claude-code',
  session: 's',
  agent: {
    who: 'subagent',
    id: 'a1',
    type: 'coder',
    name: null,
    kind: 'task',
    depth: 1,
    path: ['main', 'coder'],
    evidence: 'exact',
    reason: null,
  },
  tool: 'Bash',
  call: 't1',
  summary: 'git push',
  input: { command: 'git push' },
  cwd: '/p',
  rule: 'user:1',
  reason: 'It leaves this machine.',
};
const WAIT = { ms: 60_000, otherwise: 'deny' } as const;

let now = 0;
let timers: { readonly at: number; readonly act: () => void }[] = [];
let ids = 0;
let kept: ApprovalEnd[] = [];
let told: ApprovalRequest[] = [];
let desk: PendingApprovals;
beforeEach(() => {
  [now, timers, ids, kept, told] = [1_000_000, [], 0, [], []];
  desk = createPendingApprovals({
    clock: () => now,
    createId: () => `id-${++ids}`,
    later(ms, act) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  });
  desk.subscribe((ask) => told.push(ask));
});

function pass(ms: number): void {
  now += ms;
  for (const { act } of timers.filter(({ at }) => at <= now)) act();
}

const open = (keep: (end: ApprovalEnd) => boolean = () => true): PendingApproval => {
  const held = desk.open(QUESTION, WAIT, (end) => {
    kept.push(end);
    return keep(end);
  });
  if (!held) throw new Error('it is full');
  return held;
};
const ends = (): readonly (string | undefined)[] =>
  desk.list().map(({ end }) => end && `${end.by} ${end.decision}`) as string[];

describe('a call that waits', () => {
  it('is announced with its times, and ends with the first answer', async () => {
    const held = open();
    expect(desk.list()).toEqual([
      { ...QUESTION, id: 'id-1', at: iso(0), expiresAt: iso(60_000), otherwise: 'deny', end: null },
    ]);
    now += 5_000;
    expect(desk.answer('id-1', 'allow', 'page')).toMatchObject({ outcome: 'taken', ask: { end: { by: 'page' } } });
    expect(desk.answer('id-1', 'deny', 'terminal')).toMatchObject({
      outcome: 'late',
      ask: { end: { by: 'page', decision: 'allow' } },
    });
    held.withdraw();
    desk.close();
    pass(60_000);
    expect(kept).toEqual([{ at: iso(5_000), decision: 'allow', by: 'page' }]);
    expect(await held.ended).toEqual(kept[0]);
    expect(told.map(({ end }) => end?.by)).toEqual([undefined, 'page']);
    expect(timers).toEqual([]);
  });

  it('ends with on_timeout when it gets no answer in time, and refuses later answers', () => {
    open();
    pass(59_999);
    expect(ends()).toEqual([null]);
    pass(1);
    expect(ends()).toEqual(['expiry deny']);
    expect(desk.answer('id-1', 'allow', 'page').outcome).toBe('late');
  });

  it('ends at the announced time even when its timer was late', () => {
    open();
    now += 60_000;
    expect(desk.answer('id-1', 'allow', 'page')).toMatchObject({ outcome: 'late', ask: { end: { by: 'expiry' } } });
    expect(kept).toEqual([expect.objectContaining({ decision: 'deny', by: 'expiry' })]);
  });

  it('is not found under an unknown id', () => {
    open();
    for (const id of ['', 'id-', 'id-2', 'id-1 ', '__proto__'])
      expect(desk.answer(id, 'allow', 'page')).toEqual({ outcome: 'unknown' });
    expect(ends()).toEqual([null]);
  });

  it('is taken back by its hook: nothing is decided', () => {
    open().withdraw();
    expect(ends()).toEqual(['withdrawn null']);
    expect(desk.answer('id-1', 'allow', 'cli').outcome).toBe('late');
    expect(kept).toHaveLength(1);
  });

  it('counts as decided elsewhere when it cannot be kept any longer, and takes no answer', () => {
    open(() => false);
    expect(desk.answer('id-1', 'allow', 'page')).toMatchObject({
      outcome: 'late',
      ask: { end: { by: 'withdrawn', decision: null } },
    });
  });

  it('ends with the server, and none is held after', () => {
    open();
    open();
    desk.close();
    expect(ends()).toEqual(['stop deny', 'stop deny']);
    expect(desk.open(QUESTION, WAIT, () => true)).toBeUndefined();
  });

  it('becomes better known while it waits, and no more after', () => {
    const held = open();
    held.learn({ agent: { ...QUESTION.agent, path: ['main', 'Fix the tests'] } });
    expect(desk.list()[0]?.agent.path).toEqual(['main', 'Fix the tests']);
    held.withdraw();
    held.learn(QUESTION);
    expect(told).toHaveLength(3);
  });
});

describe('many', () => {
  it('no more are held than people could answer', () => {
    for (let count = 0; count < 200; count++) open();
    expect(desk.open(QUESTION, WAIT, () => true)).toBeUndefined();
    desk.answer('id-7', 'deny', 'page');
    expect(desk.open(QUESTION, WAIT, () => true)).toBeDefined();
  });

  it('the last that ended are kept, and all that are open', () => {
    for (let count = 0; count < 50; count++) open();
    for (let id = 1; id <= 40; id++) desk.answer(`id-${id}`, 'allow', 'page');
    const list = desk.list();
    expect(list.filter(({ end }) => end === null)).toHaveLength(10);
    expect(list.filter(({ end }) => end !== null).map(({ id }) => id)).toEqual(
      Array.from({ length: ENDED_KEPT }, (_, index) => `id-${21 + index}`),
    );
  });

  it('whatever happens in whatever order, each ends once', () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('answer' as const), of: fc.nat(5), answer: fc.constantFrom('allow', 'deny') }),
      fc.record({ kind: fc.constant('withdraw' as const), of: fc.nat(5) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(40_000) }),
      fc.record({ kind: fc.constant('open' as const) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        [now, timers, ids] = [1_000_000, [], 0];
        const local = createPendingApprovals({
          clock: () => now,
          createId: () => `id-${++ids}`,
          later(ms, run) {
            const timer = { at: now + ms, act: run };
            timers.push(timer);
            return () => {
              timers = timers.filter((one) => one !== timer);
            };
          },
        });
        const counts: number[] = [];
        const held: (PendingApproval | undefined)[] = [];
        for (const one of acts) {
          if (one.kind === 'open') {
            const index = counts.push(0) - 1;
            held.push(
              local.open(QUESTION, WAIT, () => {
                counts[index] = (counts[index] ?? 0) + 1;
                return index % 3 > 0;
              }),
            );
          } else if (one.kind === 'answer') local.answer(`id-${one.of + 1}`, one.answer as 'allow', 'page');
          else if (one.kind === 'withdraw') held[one.of]?.withdraw();
          else pass(one.ms);
        }
        local.close();
        expect(counts.every((count) => count === 1)).toBe(true);
        expect(timers).toEqual([]);
      }),
    );
  });
});

function iso(ms: number): string {
  return new Date(1_000_000 + ms).toISOString();
}
