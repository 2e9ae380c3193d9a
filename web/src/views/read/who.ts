import { type AgentReport, cleanLine, isAtWork, type SessionDetail, typeText } from '../../../../src/core/index.ts';
import { type AgentRef, agentsOf, sessions } from '../../store.ts';

/** As it is now, also while the past is replayed: a transcript is read whole. */
export function sessionOf(id: string): SessionDetail | undefined {
  return sessions.value.find((session) => session.id === id);
}

export function agentIn(session: string, id: string): AgentReport | undefined {
  const found = sessionOf(session);
  return found && agentsOf(found).find((agent) => agent.id === id);
}

/** From the main agent down to the one that asked for this one. */
export function ancestorsOf({ session, agent }: AgentRef): readonly AgentReport[] {
  const path: AgentReport[] = [];
  let above = agentIn(session, agent)?.parentId ?? null;
  while (above !== null) {
    const parent = agentIn(session, above);
    // What asks for itself, over however many steps, asks for ever.
    if (!parent || path.includes(parent)) break;
    path.unshift(parent);
    above = parent.parentId;
  }
  return path;
}

export function nameOf({ kind, label }: AgentReport): string {
  return kind === 'main' ? 'main' : cleanLine(label);
}

/** What kind of agent it is, in the words it was asked for by. */
export function typeOf(agent: AgentReport): string {
  return cleanLine(typeText({ ...agent, background: false }));
}

export function isBusy({ session, agent }: AgentRef): boolean {
  const report = agentIn(session, agent);
  return report !== undefined && isAtWork(report.status);
}
