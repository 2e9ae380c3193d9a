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
import type { StreamEvent, SubagentEnded } from './stream-event.ts';

export interface TellerOptions {
  /** When troupe learned of it: now. */
  readonly now: () => number;
  /** By whom a run was set to work, whole. */
  readonly promptOf: (call: ToolCallId) => string | undefined;
  /** Whether the agent is of this stream, and not of an earlier one of the same session. */
  readonly isOfStream: (agent: AgentNode) => boolean;
  /** Whether somebody may still say whose an agent is; and, of one without a name, what it is called. */
  readonly mayLearnParents: () => boolean;
  readonly mayLearnNames: () => boolean;
  /** Whether what ended a run may be told already. */
  readonly isSettled: (run: Run) => boolean;
}

/** What was said of an agent so far. */
interface Told {
  id: AgentId;
  readonly call: ToolCallId | undefined;
  /** Its runs that were told to have begun, and to have ended. */
  begun: number;
  ended: number;
  tool: ToolCallId | undefined;
  calls: number;
}

export interface Teller {
  /** What is new in the tree since the last time. `isLast`: nothing more will come, so whoever is still at work is lost. */
  tell(tree: SessionTree, isLast?: boolean): readonly StreamEvent[];
  /** Agents that were told to have begun. */
  readonly count: number;
}

/**
 * The differences of a tree as events. It decides nothing about agents: it only remembers what it has said, so that every
 * agent begins once and every run ends once, whatever the tree learns later.
 */
export function createTeller(session: () => string | null, options: TellerOptions): Teller {
  const told = new Map<AgentId, Told>();
  let count = 0;

  const tell = (tree: SessionTree, isLast = false): readonly StreamEvent[] => {
    const events: StreamEvent[] = [];
    const agents = tree.agents.filter(({ kind }) => kind !== 'main' && kind !== 'internal');
    const about = (one: Told) => ({
      at: new Date(options.now()).toISOString(),
      session_id: session(),
      agent_id: namedId(one.id),
      parent_tool_id: one.call ?? null,
    });
    const begin = (agent: AgentNode): Told | undefined => {
      const standIn = agent.link.call === undefined ? undefined : standInFor(agent.link.call);
      if (standIn && !isUnnamed(agent.id)) {
        told.delete(standIn.id);
        standIn.id = agent.id;
        told.set(agent.id, standIn);
        events.push({ type: 'subagent_identified', ...about(standIn), agent_id: nativeId(agent.id) });
        return standIn;
      }
      if (!isLast && isTooEarly(agent)) return undefined;
      const isNew = options.isOfStream(agent);
      const runs = agent.runs.length;
      const one: Told = {
        id: agent.id,
        call: agent.link.call,
        begun: isNew ? 1 : runs,
        ended: isNew ? 0 : runs,
        tool: undefined,
        calls: 0,
      };
      told.set(agent.id, one);
      if (isNew) {
        count++;
        events.push({ type: 'subagent_spawned', ...about(one), ...spawnOf(agent, tree, options) });
      }
      return one;
    };
    /** Whose it is, and by which call, may turn out a moment later; what it does is not told before that it began. */
    const isTooEarly = ({ id, link, currentTool, toolCallCount = 0, status }: AgentNode): boolean => {
      if (isUnnamed(id) && options.mayLearnNames()) return true;
      if (link.parent === undefined) return options.mayLearnParents();
      return link.call === undefined && currentTool === undefined && toolCallCount === 0 && !isOver(status);
    };
    const standInFor = (call: ToolCallId): Told | undefined =>
      [...told.values()].find((one) => isUnnamed(one.id) && one.call === call);

    for (const agent of agents) {
      const one = told.get(agent.id) ?? begin(agent);
      if (one && one.ended < one.begun) tellProgress(agent, one);
    }
    for (const agent of agents.toReversed()) {
      const one = told.get(agent.id);
      if (one) agent.runs.forEach((run, index) => void tellRun(agent, one, run, index));
    }
    return events;

    function tellProgress(agent: AgentNode, one: Told): void {
      const { currentTool, toolCallCount } = agent;
      const isNew = currentTool !== undefined && currentTool.call !== one.tool;
      if (!isNew && (toolCallCount ?? 0) <= one.calls) return;
      one.tool = currentTool?.call;
      one.calls = toolCallCount ?? one.calls;
      events.push({
        type: 'subagent_progress',
        ...about(one),
        run: one.begun,
        tool: currentTool?.tool ?? null,
        tool_id: currentTool?.call ?? null,
        summary: currentTool?.summary ?? null,
        tool_calls: toolCallCount ?? null,
      });
    }

    function tellRun(agent: AgentNode, one: Told, run: Run, index: number): void {
      if (index === one.begun && one.ended === one.begun) {
        one.begun++;
        const prompt = run.call === undefined ? undefined : options.promptOf(run.call);
        events.push({
          type: 'subagent_resumed',
          ...about(one),
          tool_id: run.call ?? null,
          prompt: prompt ?? null,
          run: one.begun,
        });
        tellProgress(agent, one);
      }
      if (index !== one.ended || one.ended >= one.begun) return;
      const isOvertaken = run.status === 'unknown' && index < agent.runs.length - 1;
      if (!isLast && !isOvertaken && !(isOver(run.status) && options.isSettled(run))) return;
      one.ended++;
      events.push({ ...endOf(agent, run), ...about(one), run: one.ended });
    }
  };
  return {
    tell,
    get count() {
      return count;
    },
  };
}

function namedId(id: AgentId): string | null {
  return isUnnamed(id) ? null : nativeId(id);
}

const ENDS = {
  completed: 'subagent_completed',
  failed: 'subagent_failed',
  stopped: 'subagent_stopped',
} as const;

type End = Pick<SubagentEnded, 'type' | 'signal' | 'reason' | 'duration_ms' | 'tool_calls'>;

function endOf(agent: AgentNode, { status, signal, reason, startedAt, endedAt }: Run): End {
  const duration =
    startedAt === undefined || endedAt === undefined ? null : Math.max(0, Math.round(endedAt - startedAt));
  return {
    type: status in ENDS ? ENDS[status as keyof typeof ENDS] : 'subagent_lost',
    signal,
    reason: reason ?? null,
    duration_ms: duration,
    tool_calls: agent.toolCallCount ?? null,
  };
}

function spawnOf(agent: AgentNode, { agents }: SessionTree, { promptOf }: TellerOptions) {
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
