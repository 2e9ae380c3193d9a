// Permissions that the program asks its person for. Neither its database nor its files have them: events and our plugin do.

import type { AgentEvent, EventOrigin, SessionId } from '../../../core/index.ts';
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

export function askedFact({ by, question: id, ...place }: QuestionPlace): AgentEvent {
  return { kind: 'agent-asked', ...place, id, about: 'permission', holds: true, agent: agentIdOf(by) };
}

export function answeredFact({ by, question: id, session, origin }: QuestionPlace): AgentEvent {
  return { kind: 'agent-answered', session, origin, id, agent: agentIdOf(by) };
}
