import { describe, expect, it } from 'vitest';
import { toSessionId } from '../../core/index.ts';
import { createPendingApprovals } from './approvals.ts';
import { holdHostApproval, type QuestionToHold } from './host-questions.ts';

function hold() {
  const timers: (() => void)[] = [];
  const desk = createPendingApprovals({
    clock: () => 0,
    createId: () => 'ask-1',
    later: (_ms, act) => {
      timers.push(act);
      return () => undefined;
    },
  });
  const settled: object[] = [];
  const question: QuestionToHold = {
    host: { formatReply: (answer, reason) => `${answer}: ${reason}` },
    event: { host: 'test', name: 'asked', session: toSessionId('test', 's'), caller: { named: 'nobody' } },
    call: { tool: 'Bash', input: { command: 'ls' }, spawns: false },
    question: 'It asks',
    caller: { agent: null, ancestors: [] },
    at: 0,
    needsProof: false,
    settle: (decided) => settled.push(decided) > 0,
  };
  const reply = holdHostApproval(question, { desk, onError: () => undefined });
  if (typeof reply === 'string') throw new Error('it was not held');
  return { desk, reply, settled, expire: () => timers[0]?.() };
}

describe('a question of the host itself', () => {
  it('is answered by the first answer given here', async () => {
    const { desk, reply, settled } = hold();
    expect(desk.list()).toMatchObject([{ otherwise: null, rule: null, reason: 'It asks', tool: 'Bash' }]);
    expect(desk.answer('ask-1', 'deny', 'page').outcome).toBe('taken');
    expect(await reply.text).toBe('deny: It asks. A person was asked and denied it.');
    expect(settled).toMatchObject([{ decision: 'deny', answeredBy: 'page' }]);
    expect(desk.answer('ask-1', 'allow', 'cli').outcome).toBe('late');
  });

  it('stays open at the host when it is not answered here', async () => {
    const ends = [
      ['expiry', ({ expire }: ReturnType<typeof hold>) => expire()],
      ['stop', ({ desk }: ReturnType<typeof hold>) => desk.close()],
      ['withdrawn', ({ reply }: ReturnType<typeof hold>) => reply.withdraw()],
    ] as const;
    for (const [by, end] of ends) {
      const held = hold();
      end(held);
      expect(await held.reply.text).toBe('');
      expect(held.settled).toMatchObject([{ decision: 'ask', answeredBy: by }]);
      expect(held.desk.list()).toMatchObject([{ end: { decision: null, by } }]);
    }
  });
});
