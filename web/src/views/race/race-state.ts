import { computed, signal } from '@preact/signals';
import { type AgentReport, agentKey, type SessionDetail, sessionKey } from '../../../../src/core/index.ts';
import { read, select } from '../../actions.ts';
import { agentsOf, nowShown, replayAt, selected, shownSessions } from '../../store.ts';
import type { Act } from './acts.ts';
import { type Folds, NO_FOLDS, setFinishedOpen, setFolded } from './block.ts';
import { factsOf } from './facts.ts';
import { columnsFor } from './geometry.ts';
import { createLayout, type Layout, laneOfRow, type Row, rowsOf } from './layout.ts';

/** What was seen of every agent that is still there. */
interface Memories {
  /** `all`: who is not among them is forgotten, even if only a part of them is shown. */
  take(sessions: readonly SessionDetail[], now: number, all?: readonly SessionDetail[]): void;
  of(key: string): Memory | undefined;
}

export function createMemories(): Memories {
  const known = new Map<string, Memory>();
  let taken: readonly SessionDetail[] = [];

  const takeSession = (session: SessionDetail, before: SessionDetail | undefined, now: number): void => {
    const { main, subagents } = session;
    const mainKey = agentKey(main);
    const isWatched = known.has(mainKey);
    known.set(mainKey, remember(known.get(mainKey), main, now));
    for (const [at, agent] of subagents.entries()) {
      // Most are the same as last time, in the same place.
      if (before?.subagents[at] === agent) continue;
      const key = agentKey(agent);
      const memory = known.get(key);
      // Who was there before we looked was asked for at a point that nobody saw.
      const parent = !memory && isWatched && agent.parentId !== null ? agentKey({ ...agent, id: agent.parentId }) : '';
      known.set(key, remember(memory, agent, now, known.get(parent)?.agent.contextTokens));
    }
  };

  const forget = (sessions: readonly SessionDetail[]): void => {
    const count = sessions.reduce((sum, { subagents }) => sum + 1 + subagents.length, 0);
    if (count === known.size) return;
    const keys = new Set(sessions.flatMap(({ main, subagents }) => [main, ...subagents]).map(agentKey));
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
  };

  return {
    take(sessions, now, all = sessions) {
      if (sessions === taken) return;
      const before = new Map(taken.map((session) => [sessionKey(session), session]));
      for (const session of sessions) {
        const old = before.get(sessionKey(session));
        if (old !== session) takeSession(session, old, now);
      }
      forget(all);
      taken = sessions;
    },
    of: (key) => known.get(key),
  };
}

// The person's choices in the race. They outlive a look at another view.

export const size = signal<{ readonly width: number; readonly height: number }>({ width: 0, height: 0 });
const folds = signal<Folds>(NO_FOLDS);
const opensEarlier = signal<boolean | undefined>(undefined);
/** The row that has the keyboard, or will have it when the person comes here with it. */
export const activeRow = signal<string | undefined>(undefined);
export const hasFocus = signal(false);
/** By keyboard: then it is drawn. */
export const showsFocus = signal(false);
export const hoveredRow = signal<string | undefined>(undefined);
/** What is explained, and beside which place of its row. */
export const tip = signal<{ readonly row: string; readonly x: number } | undefined>(undefined);

export const memories = createMemories();

export const columns = computed(() => columnsFor(size.value.width));

export const selectedKey = computed<string | undefined>(() => {
  const ref = selected.value;
  const session = ref && shownSessions.value.find(({ id }) => id === ref.session);
  return session && agentKey({ sessionId: session.id, id: ref.agent });
});

/** Nobody leaves under the person's hands. */
const kept = computed<ReadonlySet<string>>(() => {
  const keys = [
    selectedKey.value,
    hasFocus.value && activeRow.value !== undefined ? laneOfRow(activeRow.value) : undefined,
  ];
  return new Set(keys.filter((key) => key !== undefined));
});

const layoutOf = createLayout();

export const layout = computed<Layout>(() =>
  layoutOf(shownSessions.value, {
    now: nowShown.value,
    folds: folds.value,
    kept: kept.value,
    heights: columns.value.heights,
    isReplay: replayAt.value !== undefined,
    opensEarlier: opensEarlier.value,
  }),
);

export const rows = computed<readonly Row[]>(() => rowsOf(layout.value));

/** Everyone who cannot go on without the person, folded away or not. */
export const needing = computed<readonly AgentReport[]>(() =>
  shownSessions.value.flatMap((session) =>
    agentsOf(session).filter((agent) => factsOf(agent).standing === 'needs you'),
  ),
);

export function perform(act: Act): void {
  switch (act.kind) {
    case 'go':
      activeRow.value = act.row;
      return;
    case 'fold':
      folds.value = setFolded(folds.value, act.lane, act.isFolded);
      return;
    case 'finished':
      folds.value = setFinishedOpen(folds.value, act.lane, act.isOpen);
      return;
    case 'earlier':
      opensEarlier.value = act.isOpen;
      return;
    case 'select':
      select({ session: act.session, agent: act.agent });
      return;
    case 'read':
      read({ session: act.session, agent: act.agent });
      return;
  }
}

/** Unfolds whatever hides an agent, and returns its row. */
export function reveal(agent: AgentReport): string {
  const session = sessionOf(agent);
  const byId = new Map((session ? agentsOf(session) : []).map((one) => [one.id, one]));
  const key = agentKey(agent);
  const seen = new Set<AgentReport>();
  let at = parentOf(agent, byId);
  while (at && !seen.has(at) && !layout.peek().places.has(key)) {
    seen.add(at);
    folds.value = setFolded(folds.peek(), agentKey(at), false);
    at = parentOf(at, byId);
  }
  activeRow.value = key;
  return key;
}

export function sessionOf({ sessionId }: AgentReport): SessionDetail | undefined {
  return shownSessions.peek().find((session) => session.id === sessionId);
}

function parentOf({ parentId }: AgentReport, byId: ReadonlyMap<string, AgentReport>): AgentReport | undefined {
  return parentId === null ? undefined : byId.get(parentId);
}

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
