import {
  type AgentReport,
  type ApprovalRequest,
  cleanLine,
  cutLines,
  endText,
  formatApprovalLines,
  onTimeoutText,
  requesterText,
} from '../../core/index.ts';
import { cutAt, quoteOf, type RichText, rich } from './rich-text.ts';

/** What is asked must be seen whole: so many lines, and units, of it fit into one message beside the rest. */
const MOST_LINES = 60;
const MOST_UNITS = 3_000;
const COLUMNS = 120;

/** A call that waits for a person: who asks, what it was set to do, what it wants to do, why one asks. */
export function approvalMessage(ask: ApprovalRequest, agent: AgentReport | undefined): RichText {
  const task = quoteOf(agent?.description ?? '');
  const reason = cutAt(cleanLine(ask.reason.slice(0, 2_000)), 300);
  return rich(
    ask.end === null ? '🔐 Needs your yes\n' : '🔐 Asked\n',
    { code: cutAt(requesterText(ask), 300) },
    ...(task === '' || agent?.kind === 'main' ? [] : ['\n  › Task: ', { code: task }]),
    '\n',
    { pre: calledText(ask) },
    ...(reason === '' ? [] : ['\n', { code: reason }]),
    ask.end === null ? `\nUntil ${ask.expiresAt.slice(11, 19)} UTC, ${onTimeoutText(ask)}.` : `\n${endText(ask.end)}`,
  );
}

/** Nobody should say yes to what they cannot see the end of. */
export function isShownInFull(ask: ApprovalRequest): boolean {
  const lines = formatApprovalLines(ask, COLUMNS);
  return lines.length <= MOST_LINES && lines.join('\n').length <= MOST_UNITS;
}

function calledText(ask: ApprovalRequest): string {
  const text = cutLines(formatApprovalLines(ask, COLUMNS), MOST_LINES).join('\n');
  if (text.length <= MOST_UNITS) return text;
  return `${cutAt(text.slice(0, MOST_UNITS), MOST_UNITS - 40)}\n… more: see troupe guard asks`;
}
