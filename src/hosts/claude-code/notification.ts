// `<task-notification>` blocks: how a background agent's end reaches its parent (2.1.7 and later).

import type { RunOutcome } from '../../core/index.ts';
import { known } from '../../lib/json.ts';

export interface TaskNotification {
  /** The agent, or a background command or workflow. */
  readonly task: string;
  /** The call that began the run; absent for agents lost by an earlier process, and up to 2.1.2x. */
  readonly call?: string;
  readonly outcome: RunOutcome;
  readonly summary?: string;
  /** It stands behind another one's report, which may have quoted it: only its call can prove it. */
  readonly doubtful?: true;
}

const OPEN = '<task-notification>';

/** The words for a kill differ by channel: `killed` here, `stopped` for an agent whose process went away. */
const OUTCOMES: ReadonlyMap<string, RunOutcome> = new Map(
  Object.entries({
    completed: 'completed',
    failed: 'failed',
    killed: 'stopped',
    stopped: 'stopped',
  } as const),
);

export function isNotification(text: string): boolean {
  return text.trimStart().startsWith(OPEN);
}

/**
 * Several may stand in one text. The report inside `<result>` is free text that may hold the same tags, so only what
 * stands before it counts: the host writes id, call and status first.
 */
export function parseNotifications(text: string): readonly TaskNotification[] {
  if (!isNotification(text)) return [];
  let behindReport = false;
  return splitNotifications(text).flatMap((block) => {
    const { head, report } = reportOf(block);
    const doubtful = behindReport;
    behindReport ||= report !== undefined;
    const task = tagIn(head, 'task-id');
    const outcome = OUTCOMES.get(tagIn(head, 'status') ?? '');
    if (task === undefined || outcome === undefined) return [];
    const call = tagIn(head, 'tool-use-id');
    const summary = tagIn(head, 'summary');
    return [{ task, outcome, ...known({ call, summary }), ...(doubtful && { doubtful }) }];
  });
}

/** A block begins where the opening tag begins a line right after the end of another, not where a report quotes one. */
export function splitNotifications(text: string): readonly string[] {
  return text
    .trimStart()
    .slice(OPEN.length)
    .split(/<\/task-notification>[^\S\n]*\n\s*<task-notification>\n(?=<task-id>)/);
}

/** What stands before the report counts; the report itself goes to the last closing tag, for it may hold the same tags. */
export function reportOf(block: string): { readonly head: string; readonly report?: string } {
  const from = block.indexOf('<result>');
  if (from === -1) return { head: block };
  const to = block.lastIndexOf('</result>');
  return {
    head: block.slice(0, from),
    report: block.slice(from + '<result>'.length, to < from ? undefined : to).trim(),
  };
}

export function tagIn(text: string, tag: string): string | undefined {
  return text.match(new RegExp(`<${tag}>([^<]*)</${tag}>`))?.[1]?.trim() || undefined;
}
