import type { AgentReport } from '../../../../src/core/index.ts';

/** What the page saw of an agent over time: a report tells only how it stands now. */
export interface Memory {
  readonly agent: AgentReport;
  /** What filled its parent's context when it first appeared; undefined: it was there before we looked. */
  readonly spawnedAt: number | undefined;
  /** Tokens from which a compaction set it back, the last few. */
  readonly setBacks: readonly number[];
  /** What it had written, over the last seconds. */
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly at: number;
  readonly output: number;
}

const WINDOW_MS = 10_000;
const MOST_SETBACKS = 4;
const MOST_SAMPLES = 40;
/** So many tokens a second make the longest trail. */
const FULL_SPEED = 120;

export function remember(
  before: Memory | undefined,
  agent: AgentReport,
  now: number,
  parentTokens?: number | null,
): Memory {
  if (before?.agent === agent) return before;
  const output = agent.usage?.output ?? 0;
  if (!before) return { agent, spawnedAt: parentTokens ?? undefined, setBacks: [], samples: [{ at: now, output }] };
  return {
    agent,
    spawnedAt: before.spawnedAt,
    setBacks: setBacksOf(before, agent),
    samples: samplesOf(before.samples, { at: now, output }),
  };
}

function setBacksOf({ agent: before, setBacks }: Memory, agent: AgentReport): readonly number[] {
  // A replay may go back before the compaction.
  if (agent.compactions < before.compactions) return setBacks.slice(0, agent.compactions);
  if (agent.compactions === before.compactions || before.contextTokens === null) return setBacks;
  return [...setBacks, before.contextTokens].slice(-MOST_SETBACKS);
}

function samplesOf(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (!last || next.at < last.at || next.output < last.output) return [next];
  if (next.output === last.output) return samples;
  const base = samples.findLastIndex(({ at }) => at <= next.at - WINDOW_MS);
  return [...samples.slice(Math.max(0, base)), next].slice(-MOST_SAMPLES);
}

/** Tokens written per second over the last seconds. */
export function speedOf({ samples }: Memory, now: number): number {
  const last = samples.at(-1);
  const base = samples.findLast(({ at }) => at <= now - WINDOW_MS) ?? samples[0];
  if (!last || !base || last.at > now) return 0;
  return ((last.output - base.output) * 1000) / WINDOW_MS;
}

/** 0 to 1: slow ones can still be told from standing ones. */
export function trailOf(tokensPerSecond: number): number {
  return Math.sqrt(Math.min(1, Math.max(0, tokensPerSecond) / FULL_SPEED));
}
