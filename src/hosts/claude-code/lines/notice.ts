// Where the end of a background agent is told: a queued prompt, an attachment where it came mid-turn, a `user` line.

import type { AgentId } from '../../../core/index.ts';
import { asObject, asText, known } from '../../../lib/json.ts';
import { versionNumber } from '../../../lib/version-number.ts';
import { agentIdOf, atOf, callIdOf, type FileState, type LineContext, type LineParser } from '../line-context.ts';
import { parseNotifications } from '../notification.ts';

/** `host`: the line itself says that the host wrote it. `nobody`: it looks like a notice, and anybody can write that. */
export type Provenance = 'host' | 'nobody';

/**
 * Facts from every notification in the text. A person or a prompt can hold the same words: without the host's mark
 * (before 2.1.150) only agents that this file launched are believed to have ended.
 */
export function endRuns(text: string, provenance: Provenance, context: LineContext): void {
  for (const notification of parseNotifications(text)) {
    const agent = agentIdOf(notification.task);
    if (provenance === 'nobody' && !isCredible(agent, context.file)) continue;
    const call = callIdOf(notification.call);
    context.emit({
      kind: 'run-ended',
      agent,
      signal: 'notification',
      outcome: notification.outcome,
      ...atOf(context),
      ...known({ call, reason: notification.summary }),
      ...(notification.doubtful && { byCallOnly: true }),
    });
    if (call !== undefined && !notification.doubtful) {
      context.emit({ kind: 'agent-linked', agent, evidence: 'notification', call });
    }
  }
}

/** From this version on the host marks its notices, so that an unmarked one is somebody else's words. */
const MARKED_SINCE = versionNumber('2.1.150');

function isCredible(agent: AgentId, { launched, version }: FileState): boolean {
  return launched.has(agent) && versionNumber(version) < MARKED_SINCE;
}

/** The text is whole here even where the prompt that follows is cut or absorbed. */
export const parseQueueOperation: LineParser = (record, context) => {
  if (record['operation'] !== 'enqueue') return;
  const content = asText(record['content']);
  if (content !== undefined) endRuns(content, 'nobody', context);
};

export const parseAttachment: LineParser = (record, context) => {
  const attachment = asObject(record['attachment']);
  if (attachment?.['type'] !== 'queued_command' || attachment['commandMode'] !== 'task-notification') return;
  const prompt = asText(attachment['prompt']);
  if (prompt !== undefined) endRuns(prompt, 'host', context);
};
