import type { QuestionKind } from './event.ts';
import type { AgentRecord, ProcessRecord } from './ledger.ts';
import { type SessionLife, tailOf } from './session-life.ts';

/** What an agent has asked the person and nobody has answered yet, by the host's own record of questions. */
export function openQuestionOf(agent: AgentRecord, life: SessionLife): QuestionKind | undefined {
  if (!agent.questions || !life.alive) return undefined;
  const tail = tailOf(agent);
  // A new word to the agent ends the turn that the question was in. Results of its other calls come in meanwhile, and the
  // very reply that makes the call may be written behind the question about it (Copilot 1.0.102).
  const overtakenAt = tail && (tail.entry === 'prompt' || tail.entry === 'interruption') ? tail.at : 0;
  // One that an earlier process asked went down with it.
  const since = Math.max(overtakenAt, life.aliveSince ?? 0);
  const open = [...agent.questions.values()].filter(
    ({ at = 0, isAnswered, holds }) => !isAnswered && at > 0 && at >= since && !(holds && at < (tail?.at ?? 0)),
  );
  if (open.length === 0) return undefined;
  // Asked for both, the person has to allow something first.
  return open.every(({ about }) => about === 'input') ? 'input' : 'permission';
}

/** What a process waits for. `waitingFor` is text for people: «permission prompt», «input needed», «dialog open». */
export function questionOfProcess(process: ProcessRecord | undefined): QuestionKind {
  return process?.waitingFor === undefined || /permission|approv/i.test(process.waitingFor) ? 'permission' : 'input';
}
