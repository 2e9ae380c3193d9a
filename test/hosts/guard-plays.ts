// Plays in which everybody tries to remove something of its own: what is gone afterwards says who could.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { kit } from './kit.ts';

interface Step {
  readonly items: readonly unknown[];
  /** Milliseconds before the model answers. */
  readonly delay?: number;
}

/** `removers`: who tries, each by the name of its folder below `build`. */
export interface RemovalPlay {
  readonly removers: readonly string[];
}

export const REMOVALS: Readonly<Record<string, RemovalPlay>> = {
  parallel: { removers: ['main', 'helper-one', 'helper-two', 'explorer', 'main-later'] },
  nested: { removers: ['lead', 'helper-of-lead', 'lead-of-helper'] },
  background: { removers: ['main', 'background-helper'] },
  resumed: { removers: ['main', 'resumed-helper'] },
};

/** Types that are declared on the command line. */
export const AGENTS = JSON.stringify({ lead: { description: 'Leads others', prompt: 'You lead.' } });

/** Bash runs what is in the subscript. */
export const HIDING = 'test -v "a[\\$(touch escaped)]"; ls';

export const nameOfPlay = (play: string): string => `remove-${play}`;

/** A sub-agent in the background removes something, which a person is asked about; main runs `approve` meanwhile. */
export async function addSelfApprovalPlay(approve: string): Promise<string> {
  const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);
  const { PLAYS, FILES, agent, say, shell } = await load('plays.mjs');
  const done: Step = { items: [say('Done.')] };
  const name = 'self-approval';
  const remove = agent('Remove the build', 'Remove it. [[play:self-approval-remove]]', { background: true });
  PLAYS[name] = [{ items: [remove] }, { items: [shell(approve, 'Approve it')] }, done, done, done];
  PLAYS['self-approval-remove'] = [{ items: [shell('rm -rf build', 'Remove the build')] }, done];
  FILES[name] = { 'build/out.txt': 'x\n' };
  return name;
}

/** Puts them among the kit's own. */
export async function addRemovalPlays(): Promise<void> {
  const load = (file: string) => import(pathToFileURL(path.join(kit, file)).href);
  const [{ PLAYS, FILES, agent, message, say, shell }, { DIALECTS }] = await Promise.all(
    ['plays.mjs', 'dialects.mjs'].map(load),
  );
  // Before there were messages to agents, one was started again by its id.
  DIALECTS.claude.again = ({ text }: { text: string }, seen: { lastAgent?: string }) => ({
    name: 'Agent',
    input: { description: 'Once more', prompt: text, subagent_type: 'general-purpose', resume: seen.lastAgent },
  });
  const step = (...items: readonly unknown[]): Step => ({ items });
  const removes = (who: string) => step(shell(`rm -rf build/${who}`, `Remove what is of ${who}`));
  const done = step(say('Done.'));
  const alone = (who: string): readonly Step[] => [removes(who), done];
  const plays: Readonly<Record<string, readonly Step[]>> = {
    parallel: [
      removes('main'),
      step(
        agent('Helper one', 'Remove it. [[play:remove-helper-one]]'),
        agent('Helper two', 'Remove it. [[play:remove-helper-two]]'),
        agent('Explorer', 'Remove it. [[play:remove-explorer]]', { type: 'explore' }),
      ),
      removes('main-later'),
      done,
    ],
    nested: [
      step(agent('Lead', 'Remove it. [[play:remove-lead]]', { type: 'lead' })),
      step(agent('Helper', 'Have it removed. [[play:remove-helper]]')),
      done,
    ],
    lead: [removes('lead'), step(agent('Inner helper', 'Remove it. [[play:remove-helper-of-lead]]')), done],
    helper: [step(agent('Inner lead', 'Remove it. [[play:remove-lead-of-helper]]', { type: 'lead' })), done],
    background: [
      step(agent('Slow helper', 'Remove it. [[play:remove-background-helper]]', { background: true })),
      removes('main'),
      // Up to 2.1.25 a run with -p does not wait for those in the background.
      step(shell('sleep 3', 'Wait')),
      ...Array.from({ length: 4 }, () => done),
    ],
    resumed: [
      step(agent('First pass', 'Only look. [[play:remove-look]]')),
      step(message('Second pass', 'Now remove it. [[play:remove-resumed-helper]]')),
      removes('main'),
      ...Array.from({ length: 4 }, () => done),
    ],
    look: [step(shell('ls build', 'Look')), done],
    'allow-list': [step(agent('Lister', 'List it. [[play:remove-lister]]')), done],
    lister: [step(shell(HIDING, 'List')), step(shell('ls src', 'List')), done],
    'helper-one': alone('helper-one'),
    'helper-two': alone('helper-two'),
    explorer: alone('explorer'),
    'helper-of-lead': alone('helper-of-lead'),
    'lead-of-helper': alone('lead-of-helper'),
    'background-helper': [{ ...removes('background-helper'), delay: 400 }, done],
    'resumed-helper': alone('resumed-helper'),
  };
  for (const [name, steps] of Object.entries(plays)) PLAYS[nameOfPlay(name)] = steps;
  const [first, , ...rest] = plays['resumed'] as readonly Step[];
  PLAYS[nameOfPlay('resumed-by-id')] = [
    first,
    step({ do: 'again', text: 'Now remove it. [[play:remove-resumed-helper]]' }),
    ...rest,
  ];
  for (const [name, { removers }] of Object.entries(REMOVALS))
    for (const play of [name, `${name}-by-id`])
      FILES[nameOfPlay(play)] = Object.fromEntries(removers.map((who) => [`build/${who}/x.txt`, 'x\n']));
}
