import type { AgentId, ToolCallId } from '../../../core/index.ts';

/** What has to be remembered from line to line of one stream. */
export interface StreamState {
  /** Whose lines those are that name a call as their parent. */
  readonly agentOf: Map<ToolCallId, AgentId>;
  /** The call that last set an agent to work. */
  readonly callOf: Map<AgentId, ToolCallId>;
  name(call: ToolCallId, agent: AgentId): void;
}

export function createStreamState(): StreamState {
  const agentOf = new Map<ToolCallId, AgentId>();
  const callOf = new Map<AgentId, ToolCallId>();
  return {
    agentOf,
    callOf,
    name(call, agent) {
      agentOf.set(call, agent);
      callOf.set(agent, call);
    },
  };
}
