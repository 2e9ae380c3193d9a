import {
  type AgentId,
  type AgentNode,
  isOver,
  isUnnamed,
  nativeId,
  type Run,
  type SessionTree,
  type ToolCallId,
} from '../../core/index.ts';
import type { StreamEvent } from './stream-event.ts';

interface TreeEventsOptions {
  /** When troupe learned of it: now; and of which session. */
  readonly about: () => Pick<StreamEvent, 'at' | 'session_id'>;
  /** The whole prompt that a call gave an agent. */
  readonly promptOf: (call: ToolCallId) => string | undefined;
  /** Whether the agent is of this stream, not of an earlier one of the same session. */
  readonly isOfStream: (agent: AgentNode) => boolean;
  /** Whether the parent of an agent may still become known; and the name of one without. */
  readonly mayLearnParents: boolean;
  readonly mayLearnNames: boolean;
  /** Whether the end of a run can be reported already. */
  readonly isSettled: (run: Run) => boolean;
}

/** What was reported of an agent so far. */
interface Reported {
  id: AgentId;
  readonly call: ToolCallId | undefined;
  /** How many of its runs were reported to have begun, and to have ended. */
  begun: number;
  ended: number;
  tool: ToolCallId | undefined;
  calls: number;
}

/**
 * The differences of a tree as events. It decides nothing about agents: it only remembers what it has reported, so that
 * every agent begins once and every run ends once, whatever the tree learns later.
 */
export class TreeEvents {
  readonly #options: TreeEventsOptions;
  readonly #reported = new Map<AgentId, Reported>();
  #events: StreamEvent[] = [];
  #count = 0;

  constructor(options: TreeEventsOptions) {
    this.#options = options;
  }

  /** Agents that were reported to have begun. */
  get count(): number {
    return this.#count;
  }

  /** What is new in the tree since the last time. `isLast`: nothing more will come, so agents still at work are lost. */
  takeNew(tree: SessionTree, isLast = false): readonly StreamEvent[] {
    const agents = tree.agents.filter(({ kind }) => kind !== 'main' && kind !== 'internal');
    for (const agent of agents) {
      const one = this.#reported.get(agent.id) ?? this.#identify(agent) ?? this.#begin(agent, tree, isLast);
      if (one && one.ended < one.begun) this.#addProgress(agent, one);
    }
    for (const agent of agents.toReversed()) {
      const one = this.#reported.get(agent.id);
      if (one) for (const index of agent.runs.keys()) this.#addRun(agent, one, index, isLast);
    }
    return this.#events.splice(0);
  }

  /** An agent that was reported without a name may have one now. */
  #identify({ id, link: { call } }: AgentNode): Reported | undefined {
    if (call === undefined || isUnnamed(id)) return undefined;
    const one = [...this.#reported.values()].find((candidate) => isUnnamed(candidate.id) && candidate.call === call);
    if (!one) return undefined;
    this.#reported.delete(one.id);
    one.id = id;
    this.#reported.set(id, one);
    this.#events.push({ type: 'subagent_identified', ...this.#about(one), agent_id: nativeId(id) });
    return one;
  }

  #begin(agent: AgentNode, tree: SessionTree, isLast: boolean): Reported | undefined {
    if (!isLast && this.#isTooEarly(agent)) return undefined;
    const isNew = this.#options.isOfStream(agent);
    const [begun, ended] = isNew ? [1, 0] : [agent.runs.length, agent.runs.length];
    const one: Reported = { id: agent.id, call: agent.link.call, begun, ended, tool: undefined, calls: 0 };
    this.#reported.set(agent.id, one);
    if (isNew) {
      this.#count++;
      this.#events.push({ type: 'subagent_spawned', ...this.#about(one), ...spawnOf(agent, tree, this.#options) });
    }
    return one;
  }

  /** Its parent and the call that made it may become known a moment later. */
  #isTooEarly({ id, link, currentTool, toolCallCount = 0, status }: AgentNode): boolean {
    if (isUnnamed(id) && this.#options.mayLearnNames) return true;
    if (link.parent === undefined) return this.#options.mayLearnParents;
    return link.call === undefined && currentTool === undefined && toolCallCount === 0 && !isOver(status);
  }

  #addProgress({ currentTool, toolCallCount }: AgentNode, one: Reported): void {
    const isNew = currentTool !== undefined && currentTool.call !== one.tool;
    if (!isNew && (toolCallCount ?? 0) <= one.calls) return;
    one.tool = currentTool?.call;
    one.calls = toolCallCount ?? one.calls;
    this.#events.push({
      type: 'subagent_progress',
      ...this.#about(one),
      run: one.begun,
      tool: currentTool?.tool ?? null,
      tool_id: currentTool?.call ?? null,
      summary: currentTool?.summary ?? null,
      tool_calls: toolCallCount ?? null,
    });
  }

  #addRun(agent: AgentNode, one: Reported, index: number, isLast: boolean): void {
    const run = agent.runs[index];
    if (!run) return;
    if (index === one.begun && one.ended === one.begun) {
      one.begun++;
      const prompt = run.call === undefined ? undefined : this.#options.promptOf(run.call);
      this.#events.push({
        type: 'subagent_resumed',
        ...this.#about(one),
        tool_id: run.call ?? null,
        prompt: prompt ?? null,
        run: one.begun,
      });
      this.#addProgress(agent, one);
    }
    if (index !== one.ended || one.ended >= one.begun) return;
    const isOvertaken = run.status === 'unknown' && index < agent.runs.length - 1;
    if (!isLast && !isOvertaken && !(isOver(run.status) && this.#options.isSettled(run))) return;
    one.ended++;
    this.#events.push({ ...endOf(agent, run), ...this.#about(one), run: one.ended });
  }

  #about({ id, call }: Reported) {
    return { ...this.#options.about(), agent_id: namedId(id), parent_tool_id: call ?? null };
  }
}

function namedId(id: AgentId): string | null {
  return isUnnamed(id) ? null : nativeId(id);
}

const ENDS = {
  completed: 'subagent_completed',
  failed: 'subagent_failed',
  stopped: 'subagent_stopped',
} as const;

function endOf(agent: AgentNode, { status, signal, reason, startedAt, endedAt }: Run) {
  return {
    type: status in ENDS ? ENDS[status as keyof typeof ENDS] : ('subagent_lost' as const),
    signal,
    reason: reason ?? null,
    duration_ms: startedAt === undefined || endedAt === undefined ? null : Math.max(0, Math.round(endedAt - startedAt)),
    tool_calls: agent.toolCallCount ?? null,
  };
}

function spawnOf(agent: AgentNode, { agents }: SessionTree, { promptOf }: Pick<TreeEventsOptions, 'promptOf'>) {
  const { link, promptHead } = agent;
  const prompt = link.call === undefined ? undefined : promptOf(link.call);
  const parent = agents.find(({ id }) => id === link.parent);
  return {
    prompt: prompt ?? promptHead ?? null,
    prompt_is_cut: prompt === undefined && promptHead !== undefined,
    subagent_type: agent.type ?? null,
    name: agent.name ?? null,
    description: agent.description ?? null,
    parent_agent_id: parent ? namedId(parent.id) : null,
    depth: agent.depth ?? null,
    background: agent.background ?? null,
    evidence: { rank: link.rank, source: link.evidence ?? null },
  };
}
