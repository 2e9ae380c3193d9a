// What the harness says in the user's place, by the marks it puts around it (1.0.60 to 2.1.325). The marks stay here.

import type { NoticeBlock, NoticeKind, RunOutcome } from '../../core/index.ts';
import { asInstant, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { SpawnExchange } from '../index.ts';
import { firstLine } from '../shared/index.ts';

const MAX_TITLE = 300;
const MAX_ENVELOPE = 4096;

/** Of a text that no person and no agent wrote. */
export function toNotices(text: string): readonly NoticeBlock[] {
  if (isNotification(text)) return splitNotifications(text).map(toTaskNotice);
  return recognised(text) ?? [notice('note', titleOfNote(text), text.trim())];
}

/**
 * Of a text in a message of the user's own: only what is the host's from its first to its last character counts. A
 * person may write the same words, and mean them.
 */
export function recognised(text: string): readonly NoticeBlock[] | undefined {
  const head = text.trimStart();
  if (!head.startsWith('<') && !head.startsWith(PREFACE) && !head.startsWith(INTERRUPTED)) return undefined;
  if (head.startsWith(INTERRUPTED)) return [notice('interruption', head.replace(/^\[|\]\s*$/g, ''), '')];
  return commandIn(head) ?? outputIn(head) ?? lettersIn(head) ?? remindersIn(head);
}

export const INTERRUPTED = '[Request interrupted by user';

/** How the command stands in the session that it opens. */
export const CLEARED = /^<command-name>\/(?:clear|new|reset)<\/command-name>/;

function toTaskNotice(block: string): NoticeBlock {
  const { head, report } = reportOf(block);
  // What the agent was called stands in it, and may hold anything.
  const summary = tagAt(head, 'summary');
  const title = (summary && head.slice(summary.from, summary.to)) || tagIn(head, 'status');
  return { ...notice('background', title, report ?? withoutTaskFacts(head)), agent_id: tagIn(head, 'task-id') ?? null };
}

const ABOUT_THE_TASK = ['task-id', 'task-type', 'tool-use-id', 'output-file', 'status', 'summary', 'note', 'usage'];

/** Without a report: what is said beside the facts, like an event of a command that is being watched. */
function withoutTaskFacts(head: string): string {
  let news = head.trimEnd();
  if (news.endsWith(CLOSING_TASK)) news = news.slice(0, -CLOSING_TASK.length);
  for (const name of ABOUT_THE_TASK) {
    const tag = tagAt(news, name);
    if (tag) news = news.slice(0, tag.from - name.length - 2) + news.slice(tag.to + name.length + 3);
  }
  return news.trim();
}

const CLOSING_TASK = '</task-notification>';

/** Where the first one of that name begins and ends, inside. Texts are hostile: a pattern would look at each many times. */
function tagAt(text: string, name: string): { readonly from: number; readonly to: number } | undefined {
  const open = text.indexOf(`<${name}>`);
  const from = open + name.length + 2;
  const to = open === -1 ? -1 : text.indexOf(`</${name}>`, from);
  return to === -1 ? undefined : { from, to };
}

/** `/review src`, or `! ls` in the shell mode. */
function commandIn(head: string): readonly NoticeBlock[] | undefined {
  const shell = /^<bash-input>([\s\S]*?)<\/bash-input>\s*$/.exec(head)?.[1];
  if (shell !== undefined) return [notice('command', `! ${firstLine(shell) ?? ''}`, shell.trim())];
  if (!/^<command-(?:name|message)>/.test(head)) return undefined;
  const name = tagIn(head.slice(0, MAX_ENVELOPE), 'command-name');
  const given = tagAt(head, 'command-args');
  const args = given && head.slice(given.from, given.to).trim();
  if (name === undefined) return undefined;
  return [notice('command', [name, firstLine(args)].flatMap((part) => part ?? []).join(' '), args ?? '')];
}

/** All that `pattern` finds one behind the other at the beginning of a text, and what follows. */
function takeAll(pattern: RegExp, text: string): { readonly found: readonly RegExpExecArray[]; readonly rest: string } {
  const found: RegExpExecArray[] = [];
  let rest = text;
  for (let next = pattern.exec(rest); next; next = pattern.exec(rest)) {
    found.push(next);
    rest = rest.slice(next[0].length);
  }
  return { found, rest };
}

const OUTPUT = /^<(local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>([\s\S]*?)<\/\1>\s*/;

function outputIn(head: string): readonly NoticeBlock[] | undefined {
  const { found, rest } = takeAll(OUTPUT, head);
  if (found.length === 0 || rest !== '') return undefined;
  const texts = found.map(([, , text = '']) => text).filter((text) => text.trim() !== '');
  return [notice('command-output', undefined, texts.join('\n'))];
}

const PREFACE = 'Another Claude session sent a message:';
const LETTER = /^<teammate-message\b([^>]*)>\n?([\s\S]*?)\n?<\/teammate-message>\s*/;

/** Several may stand in one text. */
function lettersIn(head: string): readonly NoticeBlock[] | undefined {
  const { found, rest } = takeAll(LETTER, head.startsWith(PREFACE) ? head.slice(PREFACE.length).trimStart() : head);
  if (found.length === 0) return undefined;
  const letters = found.map(([, attributes = '', text = '']) => {
    const signal = signalIn(text);
    return notice('message', titleOfLetter(attributes, signal?.name), signal ? signal.words : text);
  });
  return rest === '' ? letters : [...letters, notice('note', titleOfNote(rest), rest.trim())];
}

/** What teammates tell each other without words is JSON with a `type`: that one is idle, that one may go. */
function signalIn(text: string): { readonly name: string; readonly words: string } | undefined {
  if (!/^\s*\{\s*"type"/.test(text)) return undefined;
  try {
    const { type, result, reason, content, message } = JSON.parse(text);
    const words = [result, reason, content, message].find((one) => typeof one === 'string' && one !== '');
    return typeof type === 'string' ? { name: type.replaceAll('_', ' '), words: words ?? '' } : undefined;
  } catch {
    return undefined;
  }
}

function titleOfLetter(attributes: string, signal: string | undefined): string {
  const from = /\bteammate_id="([^"]*)"/.exec(attributes)?.[1] || 'a teammate';
  const about = /\bsummary="([^"]*)"/.exec(attributes)?.[1] || signal;
  return about ? `${from}: ${about}` : `Message from ${from}`;
}

const REMINDER = /^<(system-reminder|local-command-caveat)>([\s\S]*?)<\/\1>\s*/;

function remindersIn(head: string): readonly NoticeBlock[] | undefined {
  const { found, rest } = takeAll(REMINDER, head);
  if (found.length === 0 || rest !== '') return undefined;
  return found.map(([, , text = '']) => notice('reminder', undefined, text.trim()));
}

const OPENING = '<system-reminder>';
const CLOSING = '</system-reminder>';

/** The host hangs its reminders behind what a tool gave. */
export function withoutReminders(text: string): { readonly text: string; readonly reminders: readonly NoticeBlock[] } {
  let end = text.length;
  for (let kept = text.trimEnd(); kept.endsWith(CLOSING); kept = text.slice(0, end).trimEnd()) {
    const from = kept.lastIndexOf(OPENING);
    if (from === -1) break;
    end = from;
  }
  const reminders = end === text.length ? undefined : remindersIn(text.slice(end));
  return reminders ? { text: text.slice(0, end).trimEnd(), reminders } : { text, reminders: [] };
}

/** The text of a skill comes right after the call that asked for it. */
const SKILL = /^Base directory for this skill: .*?([^/\\\s]+)[/\\]?\s*$/m;

function titleOfNote(text: string): string | undefined {
  const skill = SKILL.exec(text.slice(0, MAX_ENVELOPE))?.[1];
  return skill === undefined ? undefined : `Skill ${skill}`;
}

const FORK_ENDS = '</fork-boilerplate>';

/**
 * A prompt, and what the host says to the agent before it: a fork's comes behind the rules for forks, a workflow's (2.1.325)
 * behind a warning, each line indented.
 */
export function framedPrompt(text: string) {
  const end = text.startsWith('<fork-boilerplate>') ? text.indexOf(FORK_ENDS) : -1;
  if (end !== -1) {
    const rules = text.slice('<fork-boilerplate>'.length, end).trim();
    return { preface: notice('note', 'Rules for a fork', rules), prompt: text.slice(end + FORK_ENDS.length).trim() };
  }
  const line = text.startsWith('[Workflow harness') ? text.indexOf('\n') : -1;
  if (line === -1) return undefined;
  const prompt = text.slice(line + 1).replace(/^ {2}/gm, '');
  return { preface: notice('note', 'Task of a workflow', text.slice(0, line)), prompt };
}

/** What the host notes on a line of its own: `system` records that hold a text. */
export function toSystemNotice(subtype: string, text: string, metadata: unknown): readonly NoticeBlock[] {
  if (!subtype.endsWith('compact_boundary')) return toNotices(text);
  const before = isObject(metadata) ? metadata['preTokens'] : undefined;
  const size = typeof before === 'number' ? `: it held ${before} tokens` : '';
  return [notice('compaction', `Context compacted${size}`, '')];
}

function notice(kind: NoticeKind, title: string | undefined, text: string): NoticeBlock {
  return { type: 'notice', kind, title: title?.trim().slice(0, MAX_TITLE) || null, text, agent_id: null };
}

// `<task-notification>` blocks: how a background agent's end reaches its parent (2.1.7 and later).

interface TaskNotification {
  /** The agent, or a background command or workflow. */
  readonly task: string;
  /** The call that began the run; absent for agents lost by an earlier process, and up to 2.1.2x. */
  readonly call?: string;
  readonly outcome: RunOutcome;
  readonly summary?: string;
  /** By a process that resumed the session: it found no end in the files. */
  readonly isAssumed?: true;
  /** It stands behind another one's report, which may have quoted it: only its call can prove it. */
  readonly doubtful?: true;
}

const OPEN = '<task-notification>';

/** The second words are those of 2.1.161. Up to 2.1.287, the status is `failed`. */
const LOST =
  /^Background agent [\s\S]*(?:didn't finish before the previous session ended|was running when the previous Claude Code process exited)/;

/** The words for a kill differ by channel: `killed` here, `stopped` for an agent whose process is taken to be gone. */
export const TASK_OUTCOMES: ReadonlyMap<string, RunOutcome> = new Map(
  Object.entries({ completed: 'completed', failed: 'failed', killed: 'stopped', stopped: 'stopped' } as const),
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
    const status = tagIn(head, 'status') ?? '';
    const outcome = TASK_OUTCOMES.get(status);
    if (task === undefined || outcome === undefined) return [];
    const call = tagIn(head, 'tool-use-id');
    const summary = tagIn(head, 'summary');
    const isAssumed =
      call === undefined && (status === 'stopped' || (outcome === 'failed' && LOST.test(summary ?? '')));
    const doubts = { ...(doubtful && { doubtful }), ...(isAssumed && { isAssumed }) };
    return [{ task, outcome, ...known({ call, summary }), ...doubts }];
  });
}

/** A block begins where the opening tag begins a line right after the end of another, not where a report quotes one. */
function splitNotifications(text: string): readonly string[] {
  return text
    .trimStart()
    .slice(OPEN.length)
    .split(/<\/task-notification>[^\S\n]*\n\s*<task-notification>\n(?=<task-id>)/);
}

/** What stands before the report counts; the report itself goes to the last closing tag, for it may hold the same tags. */
function reportOf(block: string): { readonly head: string; readonly report?: string } {
  const from = block.indexOf('<result>');
  if (from === -1) return { head: block };
  const to = block.lastIndexOf('</result>');
  return {
    head: block.slice(0, from),
    report: block.slice(from + '<result>'.length, to < from ? undefined : to).trim(),
  };
}

/** The text in the first pair of tags without others in it. */
export function tagIn(text: string, tag: string): string | undefined {
  return text.match(new RegExp(`<${tag}>([^<]*)</${tag}>`))?.[1]?.trim() || undefined;
}

// The call that makes an agent: what it was asked, and its report in the result.

/** Of an agent in the background (2.0.64 and later) and of a teammate: they report elsewhere. */
const SENT_OFF = /^(?:Async agent launched|Spawned successfully)/;

export function readSpawnExchange(input: unknown, result: string | undefined): SpawnExchange {
  const answer = result === undefined || SENT_OFF.test(result) ? undefined : reportIn(result);
  return known({ prompt: asText(asObject(input)?.['prompt']), answer });
}

const FRAME = /^\[Subagent hand-back\].*The report follows:$/m;
const TRAILER = /^agentId: [\s\S]*$/m;

/** What the agent itself reported, without the frame (2.1.286 and later) and the host's lines behind it. */
export function reportIn(text: string): string {
  const frame = FRAME.exec(text);
  const report = frame ? text.slice(frame.index + frame[0].length).replace(/^ {2}/gm, '') : text;
  return report.replace(TRAILER, '').trim();
}

/** What a member of a team tells its lead, without words, when its turn is over. */
export function idleNoticeIn(letter: JsonObject | undefined) {
  if (letter?.['type'] !== 'idle_notification') return undefined;
  const [member, at] = [asText(letter['from']), asInstant(letter['timestamp'])];
  const outcome: RunOutcome = letter['idleReason'] === 'interrupted' ? 'stopped' : 'completed';
  return { outcome, ...known({ member, at }) };
}
