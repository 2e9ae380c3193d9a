// Permissions that the program asks its person for. Neither its database nor its files have them: events and our plugin do.
import type { AgentEvent, EventOrigin } from '../../../model/event.ts';
import type { SessionId } from '../../../model/ids.ts';
import { agentIdOf } from '../record.ts';

export interface QuestionPlace {
  readonly session: SessionId;
  readonly origin: EventOrigin;
  /** The program's id of the permission. */
  readonly question: string;
  /** The session that asks. */
  readonly by: string;
  readonly at: number;
}

export function askedFact({ by, ...place }: QuestionPlace): AgentEvent {
  return { kind: 'agent-asked', ...place, agent: agentIdOf(by) };
}

export function answeredFact({ by, ...place }: QuestionPlace): AgentEvent {
  return { kind: 'agent-answered', ...place, agent: agentIdOf(by) };
}
