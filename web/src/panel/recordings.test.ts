import { describe, expect, it } from 'vitest';
import { costText, explainChange } from '../../../src/core/index.ts';
import { matches, NO_FILTER } from '../filter.ts';
import { agentsOf } from '../store.ts';
import { openRecording } from '../views/race/testing/open-recording.mjs';
import { descendantsOf, filesChanged, shortPath } from './files-section.tsx';

const LATER = Date.parse('2030-01-01');
const NAMES = [
  'demo',
  '2.1.325-team',
  '2.1.325-workflow',
  '2.1.325-failing',
  '2.1.38-stop',
  '2.1.325-orphan-killed',
  '1.0.60-nested',
];

describe('what the detail says of recorded sessions', () => {
  it('every change has its words, and none is of the format', async () => {
    for (const name of NAMES) {
      const { detail } = await openRecording(name);
      for (const change of agentsOf(detail).flatMap(({ changes }) => changes)) {
        const { what, how } = explainChange(change);
        expect(`${what}: ${how}`, name).toMatch(/^[a-z ]+: [a-z ’]+$/);
        expect(how).not.toMatch(/sidechain|tool_?use|sidecar|jsonl|stop-call/i);
      }
    }
  });

  it('every agent has a cost, or the words for none', async () => {
    for (const name of NAMES) {
      const { detail } = await openRecording(name);
      for (const { cost, subtreeCost } of agentsOf(detail))
        for (const one of [cost, subtreeCost])
          expect(costText(one), name).toMatch(/^≥?\$\d+(\.\d+)?$|^no price for |^not known$/);
    }
  });

  it('files of the whole are those of each, and stand within the project', async () => {
    const { detail, timeline } = await openRecording('demo');
    const below = descendantsOf(detail, detail.id);
    expect(below.size).toBe(detail.subagents.length);
    const all = filesChanged(timeline.agents, LATER);
    const each = timeline.agents.map((agent) => filesChanged([agent], LATER));
    expect(all.length).toBeGreaterThan(0);
    expect(new Set(all.map(({ path }) => path))).toEqual(new Set(each.flat().map(({ path }) => path)));
    const sum = (files: typeof all): number => files.reduce((total, { times }) => total + times, 0);
    expect(sum(all)).toBe(sum(each.flat()));
    for (const { path } of all) expect(shortPath(path, detail.cwd)).not.toMatch(/^\//);
  });

  it('a session is found by each of its agents', async () => {
    const { detail } = await openRecording('demo');
    for (const { label, id } of detail.subagents) {
      expect(matches(detail, { ...NO_FILTER, text: label.toUpperCase() })).toBe(true);
      expect(matches(detail, { ...NO_FILTER, text: id })).toBe(true);
    }
    expect(matches(detail, { ...NO_FILTER, text: 'no such thing' })).toBe(false);
  });
});
