import { describe, expect, it } from 'vitest';
import type { SessionDetail } from '../../../../src/core/index.ts';
import { makeSession } from '../../testing/make.ts';
import { NO_FOLDS } from './block.ts';
import { columnsFor } from './geometry.ts';
import { createLayout } from './layout.ts';
import type { Palette } from './palette.ts';
import { createTraffic, type Scene } from './traffic.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();
const columns = columnsFor(1000);
const layoutOf = createLayout();

function sceneOf(session: SessionDetail, over: Partial<Scene> = {}): Scene {
  const { heights } = columns;
  const options = {
    now: NOW,
    folds: NO_FOLDS,
    kept: new Set<string>(),
    heights,
    isReplay: false,
    opensEarlier: undefined,
  };
  return {
    layout: layoutOf([session], options),
    columns,
    viewHeight: 800,
    pointers: { hovered: undefined, focused: undefined, selected: undefined },
    now: NOW,
    isStill: false,
    palette: {} as Palette,
    trailOf: () => 0,
    isNew: () => false,
    tracesOf: () => ({ spawnedAt: undefined, setBacks: [] }),
    traces: undefined,
    ...over,
  };
}

const agent = (contextTokens: number, id = 'a1') => ({ id, contextTokens, contextWindow: 100_000 });
const session = (...agents: Parameters<typeof makeSession>[1] & object): SessionDetail =>
  makeSession({ lastActivityAt: ago(0) }, agents);
const key = (id: string): string => `s1/${id}`;

function started(first: Scene) {
  const traffic = createTraffic();
  traffic.turnTo(first, 0);
  traffic.move(first, 0, 1000, true);
  return traffic;
}

describe('traffic', () => {
  it('begins with every car at its place', () => {
    const traffic = started(sceneOf(session(agent(40_000))));
    expect(traffic.carOf(key('a1'))).toMatchObject({ share: 0.4, alpha: 1 });
    expect(traffic.isMoving()).toBe(false);
  });

  it('moves a car from where it stands, even if nothing was drawn for an hour', () => {
    const traffic = started(sceneOf(session(agent(40_000))));
    const next = sceneOf(session(agent(90_000)));
    traffic.turnTo(next, 0);
    traffic.move(next, 0, 3_601_000, true);
    expect(traffic.carOf(key('a1'))?.share).toBeLessThan(0.5);
    traffic.move(next, 0, 3_606_000, true);
    expect(traffic.carOf(key('a1'))?.share).toBe(0.9);
    expect(traffic.isMoving()).toBe(false);
  });

  it('lets a new one come from the start, and one that is only shown again stand at its place', () => {
    for (const [isNew, share] of [
      [true, 0.1],
      [false, 0.4],
    ] as const) {
      const traffic = started(sceneOf(session()));
      const next = sceneOf(session(agent(40_000)), { isNew: () => isNew });
      traffic.turnTo(next, 0);
      traffic.move(next, 0, 1016, true);
      const car = traffic.carOf(key('a1'));
      expect(car?.share).toBeLessThanOrEqual(share);
      expect(car?.alpha).toBeLessThan(0.5);
    }
  });

  it('fades who is finished into the chip of the parent', () => {
    const working = { id: 'a2', status: 'running' } as const;
    const ended = (ms: number) => ({ ...agent(40_000), status: 'completed', completedAt: ago(ms) }) as const;
    const traffic = started(sceneOf(session(ended(10_000), working)));
    const next = sceneOf(session(ended(40_000), working));
    traffic.turnTo(next, 0);
    expect(traffic.ghosts.map(({ lane }) => lane.agent.id)).toEqual(['a1']);
    traffic.move(next, 0, 1016, true);
    expect(traffic.isMoving()).toBe(true);
    // It is gone within a second, by frames.
    for (let time = 1032; time < 2200; time += 16) traffic.move(next, 0, time, true);
    expect(traffic.ghosts).toEqual([]);
  });

  it('jumps where people want no motion', () => {
    const traffic = started(sceneOf(session(agent(40_000))));
    const next = sceneOf(session(agent(90_000)), { isStill: true });
    traffic.turnTo(next, 0);
    traffic.move(next, 0, 1016, true);
    expect(traffic.carOf(key('a1'))?.share).toBe(0.9);
  });

  it('keeps nothing of who is out of sight', () => {
    const many = session(...Array.from({ length: 200 }, (_, n) => agent(n * 100, `a${n}`)));
    const scene = sceneOf(many);
    const traffic = started(scene);
    expect(traffic.carOf(key('a199'))).toBeUndefined();
    const looks = traffic.move(scene, 5000, 1016, true);
    expect(looks.length).toBeLessThan(32);
    expect(traffic.carOf(key('a1'))).toBeUndefined();
  });
});
