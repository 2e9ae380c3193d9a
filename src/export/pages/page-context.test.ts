import { expect, it } from 'vitest';
import { readRecorded } from '../../audit/testing/recorded-sessions.ts';
import type { AgentReport } from '../../core/index.ts';
import { amountsOf, notKnownTexts } from './page-context.ts';

const [recorded] = await readRecorded('2.1.325-parallel');
if (!recorded) throw new Error('no session');
const { shared } = recorded;
const everyone = (change: Partial<AgentReport>) => shared.agents.map((agent) => ({ ...agent, ...change }));

it('says nothing is missing when nothing is', () => {
  expect(notKnownTexts(shared)).toEqual([]);
});

it('says once for all agents how their ends are not known', () => {
  const agents = shared.agents.map(
    (agent): AgentReport => ({
      ...agent,
      status: 'unknown',
      runs: agent.runs.map((run) => ({
        ...run,
        status: 'unknown',
        reason: 'its process is gone, and no end was seen',
      })),
    }),
  );
  expect(notKnownTexts({ ...shared, agents })).toEqual([
    'How all 3 agents ended is not recorded: its process is gone, and no end was seen.',
  ]);
  const some = agents.with(0, shared.agents[0] as AgentReport);
  expect(notKnownTexts({ ...shared, agents: some })).toEqual([
    'How Inspect source files and Write a note ended is not recorded: its process is gone, and no end was seen.',
  ]);
});

it('gives no count of tokens that cannot be all of them', () => {
  const [agent] = everyone({ usageIsLowerBound: true, toolCallCount: 340 });
  if (!agent?.usage) throw new Error('no usage');
  const written = (output: number): string =>
    amountsOf({ ...agent, usage: { ...agent.usage, output } as never }).join();
  expect(written(210)).not.toContain('token');
  expect(written(210)).not.toContain('210');
  expect(written(90_000)).toContain('≥90k tokens written');
});
