// Plays for agents with budgets: helpers make calls one after the other, say their result, and main hands on.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuditEntry } from '../../src/core/index.ts';
import { kit } from './kit.ts';

export const RESULT = 'The result of the helper.';

/** A turn of a real model takes seconds. */
const PAUSE_MS = 200;

type Step = { readonly items: readonly unknown[]; readonly delay?: number };
type Plays = Record<string, readonly Step[]>;

interface Make {
  readonly calls: (who: string, count: number) => readonly Step[];
  readonly helper: (name: string) => unknown;
  readonly shells: (...commands: readonly string[]) => readonly Step[];
  readonly step: (...items: readonly unknown[]) => Step;
  readonly done: Step;
  readonly result: Step;
}

/** `more`: plays of one test, by name. */
export async function addBudgetPlays(more: (make: Make) => Plays = () => ({})): Promise<void> {
  const { PLAYS, agent, say, shell } = await import(pathToFileURL(path.join(kit, 'plays.mjs')).href);
  const step = (...items: readonly unknown[]): Step => ({ items });
  const shells = (...commands: readonly string[]) => commands.map((command) => step(shell(command, 'Do it')));
  const calls = (who: string, count: number, pause = 0): readonly Step[] =>
    Array.from({ length: count }, (_, at) => ({ ...step(shell(`echo ${who}-${at + 1}`, 'Say it')), delay: pause }));
  const helper = (name: string, play = name) => agent(`Do ${name}`, `Work. [[play:budget-${play}]]`);
  const done = step(say('All done.'));
  const result = step(say(RESULT));
  Object.assign(PLAYS, {
    'budget-alone': [step(helper('one')), done, done],
    'budget-parallel': [step(helper('one'), helper('two'), helper('three')), done, done],
    'budget-nested': [step(helper('lead')), done, done],
    'budget-fan': [
      step(helper('slow-1', 'slow'), helper('slow-2', 'slow'), helper('slow-3', 'slow')),
      ...[done, done, done],
    ],
    'budget-main': [...calls('main', 8), done],
    'budget-slow-main': [...calls('main', 8, 1_000), done],
    'budget-lead': [step(helper('below')), ...calls('lead', 2), result],
    ...Object.fromEntries(
      ['one', 'two', 'three', 'below'].map((who) => [`budget-${who}`, [...calls(who, 8, PAUSE_MS), result]]),
    ),
    'budget-slow': [...calls('slow', 3, 1_500), result],
    ...more({ calls, helper, shells, step, done, result }),
  });
}

/** A policy of these budgets. */
export const policy = (...budgets: readonly string[]): string =>
  `version: 1\nbudgets:\n${budgets.map((text) => `  - { ${text} }\n`).join('')}`;

export const HELPERS = 'agents: { kind: subagent }';

/** How many calls of `echo WHO-N` were let run. */
export const ran = (entries: readonly AuditEntry[], ...names: readonly string[]): number =>
  entries.filter(
    ({ summary, decision }) => decision !== 'deny' && names.some((who) => summary?.startsWith(`echo ${who}-`)),
  ).length;

/** Why calls were denied, each reason once. */
export const reasons = (entries: readonly AuditEntry[]): string =>
  [...new Set(entries.flatMap(({ decision, reason }) => (decision === 'deny' ? (reason ?? []) : [])))].join('\n');

export const entriesIn = (log: string): readonly AuditEntry[] =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): AuditEntry => JSON.parse(line));

/** One that edits what budgets are judged by, before it goes on. */
export const cheatingPlays =
  (state: string) =>
  ({ calls, helper, shells, step, done, result }: Make): Plays => ({
    'budget-cheater': [step(helper('cheat')), done, done],
    'budget-cheat': [
      ...shells(
        `echo '{"raised":[]}' > ${state}/raised-budgets.json`,
        `echo 'version: 1' > ${state}/policy.yaml`,
        `mkdir -p ${state}/history && echo nothing > ${state}/history/index.db`,
      ),
      ...calls('cheat', 8),
      result,
    ],
    'budget-ruiner': [step(helper('ruin')), done, done],
    'budget-ruin': [
      ...shells(`mkdir -p ${state}/history && echo nothing > ${state}/history/index.db`),
      ...calls('cheat', 8),
      result,
    ],
  });
