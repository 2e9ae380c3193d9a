import { beforeAll, describe, expect, it } from 'vitest';
import { makeAsk } from '../../tui/testing/make-ask.ts';
import { pictureOf, recordedSessions } from '../../tui/testing/recorded.ts';
import { markPendingApprovals, type SessionDetail } from './live.ts';

let nested: SessionDetail;
let single: SessionDetail;
beforeAll(async () => {
  const recorded = await recordedSessions('2.1.325-nested', '2.1.325-single');
  nested = recorded.find(({ project }) => project === 'nested') as SessionDetail;
  single = recorded.find(({ project }) => project === 'single') as SessionDetail;
});

describe('an agent whose call waits for approval', () => {
  it('waits for the person, and no other agent does', () => {
    const { sessions } = markPendingApprovals(pictureOf([nested, single], { asks: [makeAsk('a', nested)] }));
    const [marked] = sessions;
    expect(marked?.subagents[1]).toMatchObject({ status: 'waiting', waitingOn: 'permission', activity: 'waiting' });
    expect(marked?.needsYou).toEqual([{ id: nested.subagents[1]?.id, label: 'Check app.js', waitingOn: 'permission' }]);
    expect([marked?.main, marked?.subagents[0]]).toEqual([nested.main, nested.subagents[0]]);
    expect(sessions[1]).toBe(single);
  });

  it('is unchanged when its approval request has ended or its caller is unknown', () => {
    const ask = makeAsk('a', nested);
    const ended = { ...ask, end: { at: ask.at, decision: 'allow' as const, by: 'page' as const } };
    const picture = pictureOf([nested], { asks: [ended] });
    expect(markPendingApprovals(picture)).toBe(picture);
    const unknown = { ...ask, agent: { ...ask.agent, id: null } };
    expect(markPendingApprovals(pictureOf([nested], { asks: [unknown] })).sessions[0]).toBe(nested);
  });

  it('is the same object when nothing changed', () => {
    const picture = pictureOf([nested], { asks: [makeAsk('a', nested)] });
    expect(markPendingApprovals({ ...picture }).sessions[0]).toBe(markPendingApprovals({ ...picture }).sessions[0]);
  });
});
