import { describe, expect, it } from 'vitest';
import { glanceAt } from '../../../src/core/index.ts';
import { makeAgent, makePicture, makeSession } from '../testing/make.ts';
import { nextOf, titleText } from './counts.ts';
import { emptyText } from './empty-text.ts';

const asks = { status: 'waiting', waitingOn: 'permission' } as const;
const titleOf = (...agents: Parameters<typeof makeSession>[1] & object): string =>
  titleText(glanceAt(makePicture([makeSession({}, agents)])), false);

describe('the answer at a glance', () => {
  it('is in the title, the most urgent first', () => {
    expect(titleOf()).toBe('troupe');
    expect(titleOf({}, {}, { status: 'spawning' })).toBe('● 3 at work · troupe');
    expect(titleOf({}, { stalled: true })).toBe('⚠ 1 silent · troupe');
    expect(titleOf({}, { stalled: true }, asks)).toBe('◐ 1 needs you · troupe');
    expect(titleOf(asks, asks)).toBe('◐ 2 need you · troupe');
    expect(titleText([], true)).toBe('no connection · troupe');
  });

  it('counts nobody whom the host started for itself, nor one that only waits for the next order', () => {
    const main = makeAgent({ id: 's1', kind: 'main', status: 'waiting', waitingOn: 'input' });
    expect(glanceAt(makePicture([makeSession({ main }, [{ kind: 'internal' }])]))).toEqual([]);
  });

  it('leads from one to the next, and from the last to the first', () => {
    const sessions = [
      makeSession({ id: 's1' }, [{}, asks, asks]),
      makeSession({ id: 's2' }, [asks, { stalled: true }]),
    ];
    const walk = ['s1/a2', 's1/a3', 's2/a1', 's1/a2'];
    let from = nextOf('needs-you', sessions, undefined);
    for (const step of walk) {
      expect(`${from?.session}/${from?.agent}`).toBe(step);
      from = nextOf('needs-you', sessions, from);
    }
    expect(nextOf('silent', sessions, undefined)).toEqual({ session: 's2', agent: 'a2' });
    expect(nextOf('silent', [], undefined)).toBeUndefined();
  });
});

describe('where there is nothing to see', () => {
  const facts = {
    picture: undefined,
    visible: 0,
    matching: 0,
    selection: 'none',
    isLost: false,
    isTokenMissing: false,
  } as const;
  const kindOf = (over: Partial<Parameters<typeof emptyText>[0]>) => emptyText({ ...facts, ...over })?.kind;

  it('says why', () => {
    expect(kindOf({})).toBe('connecting');
    expect(kindOf({ isLost: true })).toBe('no-server');
    expect(kindOf({ isLost: true, isTokenMissing: true })).toBe('no-token');
    expect(kindOf({ picture: makePicture([], { isComplete: false }) })).toBe('reading');
    expect(kindOf({ picture: makePicture([]) })).toBe('no-sessions');
    expect(kindOf({ picture: makePicture([makeSession()]) })).toBe('no-match');
    expect(kindOf({ picture: makePicture([makeSession()]), visible: 1 })).toBeUndefined();
    expect(kindOf({ picture: makePicture([makeSession()]), matching: 3 })).toBe('choose');
    expect(kindOf({ picture: makePicture([makeSession()]), selection: 'read' })).toBeUndefined();
    expect(kindOf({ picture: makePicture([makeSession()]), visible: 1, selection: 'being-read' })).toBe('reading');
  });

  it('says where was looked, without what could disturb the page', () => {
    const text = emptyText({
      ...facts,
      picture: makePicture([], { places: ['/home/dev/\u202e.claude', '/x\u001b[31m'] }),
    });
    expect(text?.places).toEqual(['/home/dev/.claude', '/x']);
    expect(text?.command).toBe('troupe --demo');
  });
});
