// `<task-notification>`: how the end of an agent in the background reaches whoever asked for it.

import type { RunOutcome } from '../../core/index.ts';
import { known } from '../../lib/json.ts';

export interface TaskNotification {
  readonly agent: string;
  readonly outcome: RunOutcome;
  /** In a line, by the host. */
  readonly summary?: string;
  /** What the agent said. */
  readonly report?: string;
}

const OUTCOMES: ReadonlyMap<string, RunOutcome> = new Map(
  Object.entries({ completed: 'completed', failed: 'failed', cancelled: 'stopped' } as const),
);

/** The words of `status` in notices, in results and beside transcripts; none where the agent is at work. */
export function outcomeOfStatus(status: string | undefined): RunOutcome | undefined {
  return OUTCOMES.get(status ?? '');
}

/** The report is free text and may hold the same tags: only what stands before it counts. */
export function parseNotification(text: string): TaskNotification | undefined {
  const from = text.indexOf('<result>');
  const to = text.lastIndexOf('</result>');
  const head = from === -1 ? text : text.slice(0, from);
  const agent = tagIn(head, 'task-id');
  const outcome = outcomeOfStatus(tagIn(head, 'status'));
  if (agent === undefined || outcome === undefined) return undefined;
  const report = from === -1 ? undefined : text.slice(from + '<result>'.length, to < from ? undefined : to).trim();
  return { agent, outcome, ...known({ summary: tagIn(head, 'summary'), report }) };
}

function tagIn(text: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1]?.trim() || undefined;
}
