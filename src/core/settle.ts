// Which of the built states are shown live: one that the next line may take back waits a moment for that line.

import { isEqual } from '../lib/json.ts';
import { type AgentId, mainAgentOf } from './ids.ts';
import type { SessionLedger } from './ledger.ts';
import { hasLastWords } from './lifecycle.ts';
import { type AgentNode, isOver, type SessionTree } from './tree.ts';

/**
 * Hosts write one event into several files, one after the other: an agent's transcript before the call that made it, a
 * result before the agent's last words, the end of a turn before the message that wakes the agent again. A state that
 * rests on the first of them is shown when the second has come, or after this time.
 */
export const SETTLE_MS = 500;

/**
 * An agent without a parent is not shown for this long while its session goes on. On a busy machine, Claude Code 2.1.88 wrote an
 * agent's prompt, or the call that made it, more than a second after the agent's first reply.
 */
export const ORPHAN_MS = 5_000;

/** On a busy machine, files are read this late; older ones hold everything that was written with them. */
const JUST_WRITTEN_MS = 5_000;

export interface Settled {
  /** Undefined as long as there is nothing to show of the session. */
  readonly tree: SessionTree | undefined;
  /** When a state that is held back is due, if nothing comes before. */
  readonly dueAt?: number;
}

/** The trees of one session as they are shown, one after the other. */
export class Settling {
  #shown: ReadonlyMap<AgentId, AgentNode> | undefined;
  /** Since when an agent is held back, and until when. */
  readonly #held = new Map<AgentId, { readonly since: number; readonly until: number }>();

  /** What to show of a tree: an agent that is held back stays as it was, or out of sight if it was not shown yet. */
  settle(built: SessionTree, ledger: SessionLedger, now: number): Settled {
    const shown = new Map<AgentId, AgentNode>();
    const hidden = new Set<AgentId>();
    const main = built.agents.find(({ kind }) => kind === 'main');
    const orphanMs = main && !isOver(main.status) && main.status !== 'unknown' ? ORPHAN_MS : SETTLE_MS;
    for (const node of built.agents) {
      const last = this.#shown?.get(node.id);
      // Agents that the host started for itself are not shown to people.
      const before = last?.kind === 'internal' && node.kind !== 'internal' ? undefined : last;
      const isHeld =
        this.#mayBeTakenBack(node, before, ledger, now) &&
        this.#hold(node.id, now, !before && isOrphan(node) ? orphanMs : SETTLE_MS);
      if (!isHeld) this.#held.delete(node.id);
      const isBelowHidden = node.link.parent !== undefined && hidden.has(node.link.parent);
      if (isBelowHidden || (isHeld && !before)) hidden.add(node.id);
      else {
        const next = isHeld && before ? withStateOf(before, node) : node;
        // The very node of the last tree where nothing changed: a second copy of hundreds of agents costs garbage collection.
        shown.set(node.id, last && isEqual(last, next) ? last : next);
      }
    }
    for (const id of this.#held.keys()) if (!shown.has(id) && !hidden.has(id)) this.#held.delete(id);
    const hasMain = shown.has(mainAgentOf(built.id));
    this.#shown = hasMain ? shown : undefined;
    const tree = hasMain ? { ...built, agents: [...shown.values()] } : undefined;
    if (this.#held.size === 0) return { tree };
    return {
      tree,
      dueAt: [...this.#held.values()].reduce((due, { until }) => Math.min(due, until), Number.POSITIVE_INFINITY),
    };
  }

  /** False once its time is over. */
  #hold(id: AgentId, now: number, ms: number): boolean {
    const since = this.#held.get(id)?.since ?? now;
    this.#held.set(id, { since, until: since + ms });
    return now < since + ms;
  }

  #mayBeTakenBack(node: AgentNode, before: AgentNode | undefined, ledger: SessionLedger, now: number): boolean {
    if (before) {
      if (!isAtRest(node) || isSameRest(before, node)) return false;
      // At rest it was already: only an end that somebody tells of now is news.
      return isAtRest(before) ? !isOver(node.status) : !isConfirmed(node, ledger);
    }
    // A copy may come before the record of the process that goes on in it (`/branch`).
    const hasRecord = node.kind !== 'main' || ledger.processes.size > 0;
    const isNew = this.#shown !== undefined || now - (node.lastActivityAt ?? now) < JUST_WRITTEN_MS;
    return isNew && (isOrphan(node) || (isAtRest(node) && !(hasRecord && isConfirmed(node, ledger))));
  }
}

/** Nobody asked for it, as far as is known. */
function isOrphan({ kind, link }: AgentNode): boolean {
  return link.parent === undefined && kind !== 'main' && kind !== 'session' && kind !== 'internal';
}

/** It has nothing to do, or is lost. */
function isAtRest({ status, waitingOn }: AgentNode): boolean {
  return isOver(status) || status === 'unknown' || (status === 'waiting' && waitingOn === 'input');
}

function isSameRest(before: AgentNode, node: AgentNode): boolean {
  return isAtRest(before) && before.status === node.status;
}

/**
 * The main agent is over when its process is; a version without reliable process records may still write a line that says otherwise
 * (2.1.88). Any other agent is over when it wrote its last message and a second source reports its end.
 */
function isConfirmed({ id, kind, status, runs }: AgentNode, ledger: SessionLedger): boolean {
  if (status === 'unknown') return false;
  if (kind === 'main') {
    const hasProcess = [...ledger.processes.values()].some(({ alive, movedTo }) => alive && !movedTo);
    return isOver(status) && !hasProcess && ledger.keepsProcessRecords?.value !== false;
  }
  const run = runs.at(-1);
  return run?.signal !== 'transcript' && hasLastWords(ledger.agents.get(id), run?.startedAt);
}

/** The numbers of one, the status of the other. */
function withStateOf(before: AgentNode, node: AgentNode): AgentNode {
  const { completedAt: _completedAt, waitingOn: _waitingOn, currentTool: _currentTool, ...rest } = node;
  const { status, waitingOn, changes, runs, completedAt } = before;
  const activity = before.activity === 'tool_use' ? 'thinking' : before.activity;
  return {
    ...rest,
    ...{ status, activity, changes, runs, stalled: false },
    ...(waitingOn !== undefined && { waitingOn }),
    ...(completedAt !== undefined && { completedAt }),
  };
}
