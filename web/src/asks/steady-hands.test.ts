import { expect, it } from 'vitest';
import { createSteadyHands } from './ask-bar.tsx';

it('a press counts unless the list has just moved under it', () => {
  const hands = createSteadyHands();
  hands.see(['a', 'b'], 0);
  expect(hands.isSteady(0)).toBe(true);
  hands.see(['a', 'b', 'c'], 100);
  expect(hands.isSteady(100)).toBe(true);
  hands.see(['b', 'c'], 200);
  expect([hands.isSteady(200), hands.isSteady(699), hands.isSteady(700)]).toEqual([false, false, true]);
});
