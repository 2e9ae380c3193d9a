import type { NoticeBlock, NoticeKind } from '../../../core/index.ts';
import { firstLine } from '../tools.ts';

export function notice(kind: NoticeKind, title: string, text: string | undefined, agent?: string): NoticeBlock {
  return { type: 'notice', kind, title, text: text ?? '', agent_id: agent ?? null };
}

/** `<task id="ses_…" state="completed"><summary>…</summary><task_result>…</task_result></task>`. */
const TASK =
  /^<task id="(ses_[^"]+)" state="\w+">\s*(?:<summary>(.*?)<\/summary>)?\s*(?:<(task_result|task_error)>\s*(.*?)\s*<\/\3>)?/s;

/** A text that the program put into the conversation itself. */
export function spokenNotice(text: string): NoticeBlock {
  const [, agent, summary, , result] = TASK.exec(text) ?? [];
  if (agent !== undefined) return notice('background', summary ?? 'A task has news', result, agent);
  return notice('note', firstLine(text)?.slice(0, 200) ?? '', text);
}
