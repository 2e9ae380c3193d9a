// Against what was found in the published programs, and what they did when they were run (fixtures/README.md).

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsOf, hookSettings, knowsAsync, OBSERVED } from './hook-settings.ts';

const { problemIn } = hookSettings;

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`hooks/fixtures/${name}.json`, import.meta.url), 'utf8'));

interface Published {
  readonly version: string;
  /** Events that no version before it had. */
  readonly adds: readonly string[];
  readonly async: boolean;
}

interface Taken {
  readonly texts: Readonly<Record<string, string>>;
  readonly runs: readonly {
    readonly settings: string;
    readonly version: string;
    readonly fired: Readonly<Record<string, number>>;
    readonly restTaken: boolean | null;
  }[];
}

describe('what a version knows', () => {
  const known = new Set<string>();
  for (const { version, adds, async } of read('events-by-version') as readonly Published[]) {
    for (const event of adds) known.add(event);
    const expected = Object.keys(OBSERVED).filter((event) => known.has(event));
    it(`${version}: ${expected.length} of ours, ${async ? 'in the background' : 'waited for'}`, () => {
      expect(eventsOf(version)).toEqual(expected);
      expect(knowsAsync(version)).toBe(async);
    });
  }
});

describe('what the program makes of a settings file', () => {
  const { texts, runs } = read('settings-taken') as Taken;
  const runsOf = (settings: string) => runs.filter((run) => run.settings === settings);
  const hasFired = ({ fired }: Taken['runs'][number]): boolean => Object.keys(fired).length > 0;

  it.each(['known', 'async-field', 'unknown-field', 'crlf', 'empty-event'])(
    '%s: every version takes it, and so do we',
    (name) => {
      expect(runsOf(name).map(hasFired)).toEqual(runsOf(name).map(() => true));
      expect(problemIn(texts[name] ?? '')).toBeUndefined();
    },
  );

  it.each(['comments', 'trailing-comma', 'broken', 'hooks-array'])('%s: no version takes it, nor do we', (name) => {
    expect(runsOf(name).map(hasFired)).toEqual(runsOf(name).map(() => false));
    expect(problemIn(texts[name] ?? '')).toBeDefined();
  });

  it('an event that it does not know costs an older program all of its settings, without a word', () => {
    const lost = runsOf('unknown-event').filter((run) => !hasFired(run));
    expect(lost.map(({ version }) => version)).toEqual([
      '1.0.60',
      '2.0.76',
      '2.1.2',
      '2.1.50',
      '2.1.63',
      '2.1.81',
      '2.1.90',
      '2.1.100',
    ]);
    expect(lost.filter(({ restTaken }) => restTaken)).toEqual([]);
  });
});
