// What is said when an agent is asked for, ends, or calls a tool: two lines each, the same in every chat and in the terminal.

import {
  type AgentReport,
  type ApprovalRequest,
  cleanLine,
  cutLines,
  endText,
  formatApprovalLines,
  isBusy,
  isOver,
  onTimeoutText,
  type RunReport,
  requesterText,
  type SessionDetail,
  type TimelineCall,
  WAITS,
} from '../../core/index.ts';
import type { Claim, EndNotification, Notification } from '../notification.ts';
import { bracketName, callQuote, cutAt, type Piece, quoteOf, type RichText, rich } from './rich-text.ts';

/** `task`: the prompt, or as much as is known of it. */
export function spawnLines(agent: AgentReport, nameOf: NameOf, task: string): RichText {
  return rich('📎 Subagent ', ...named(agent, nameOf), ...second('Task: ', task || (agent.description ?? '')));
}

export function startedLines(agent: AgentReport, nameOf: NameOf): RichText {
  return rich('▶️ Subagent ', ...named(agent, nameOf), ' started');
}

/** `result`: what it gave back. */
export function endLines(
  { agent, run, isUnclear, corrects }: Pick<EndNotification, 'agent' | 'run' | 'isUnclear' | 'corrects'>,
  nameOf: NameOf,
  result: string,
): RichText {
  const who = named(agent, nameOf);
  const was = wasSaid(corrects, run);
  if (run.status === 'completed') return rich('✅ Subagent ', ...who, ' completed', was, ...second('', result));
  if (!isUnclear && (isOver(run.status) || run.status === 'unknown'))
    return rich('❌ Subagent ', ...who, ' failed — ', ...cause(run), was);
  if (run.status === 'unknown') return rich('❔ Subagent ', ...who, ' — end not seen, outcome unknown');
  return rich('▶️ Subagent ', ...who, ' is still at work', was);
}

function wasSaid(claim: Claim | undefined, { status }: RunReport): string {
  if (!claim || claim.first === status) return '';
  return ` (corrected: it was reported as ${claim.first === 'unknown' ? 'ended without a result' : claim.first})`;
}

/** `agent`: undefined for the main agent, whose calls need no name. Told when the call is made: how it ends is not known. */
export function toolLines(agent: AgentReport | undefined, nameOf: NameOf, { tool, summary }: TimelineCall): RichText {
  return rich(
    '🔧 ',
    ...(agent ? [...named(agent, nameOf), ' '] : []),
    { code: quoteOf(tool, 60) },
    ...below('', callQuote(summary ?? '')),
  );
}

function named(agent: AgentReport, nameOf: NameOf): readonly Piece[] {
  return agent.evidence?.rank === 'guess' ? [...nameOf(agent), ' (a guess)'] : nameOf(agent);
}

function second(before: string, text: string): readonly Piece[] {
  return below(before, quoteOf(text));
}

function below(before: string, quote: string): readonly Piece[] {
  return quote === '' ? [] : [`\n  › ${before}`, { code: quote }];
}

function cause({ status, signal, reason }: RunReport): readonly Piece[] {
  const why = quoteOf(reason ?? '');
  if (status === 'unknown') return ['no output returned'];
  if (status === 'stopped') {
    const by = signal === 'stop-call' ? 'stopped by its caller' : 'stopped';
    return why === '' ? [by] : why === 'interrupted' ? ['interrupted'] : [`${by}: `, { code: why }];
  }
  return why === '' ? ['no reason given'] : [{ code: why }];
}

/** The label between brackets; a number behind it where others before it are called the same. */
export type NameOf = (agent: Pick<AgentReport, 'id' | 'label'>) => readonly Piece[];

/** Pictures of a session are never changed, and each is asked many times. */
const known = new WeakMap<readonly AgentReport[], ReadonlyMap<string, number>>();

/** Names within one session: the first of those that are called the same keeps the name as it is, whenever the others come. */
export function namesIn(agents: readonly AgentReport[]): NameOf {
  const numbers = known.get(agents) ?? numbersIn(agents);
  known.set(agents, numbers);
  return ({ id, label }) => {
    const number = numbers.get(id) ?? 1;
    return ['[', { code: bracketName(label) }, number === 1 ? ']' : `] #${number}`];
  };
}

function numbersIn(agents: readonly AgentReport[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const numbers = new Map<string, number>();
  for (const { id, label } of agents.toSorted((a, b) => order(begunAt(a), begunAt(b)) || order(a.id, b.id))) {
    const name = bracketName(label);
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    numbers.set(id, number);
  }
  return numbers;
}

/** Times are ISO 8601, UTC. One without is the newest. */
function begunAt({ runs, startedAt }: AgentReport): string {
  return runs[0]?.startedAt ?? startedAt ?? '~';
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `[a], [b]` */
export function listNames(agents: readonly AgentReport[], nameOf: NameOf): readonly Piece[] {
  return agents.flatMap((agent, index) => [...(index === 0 ? [] : [', ']), ...nameOf(agent)]);
}

const MOST_NAMES = 6;

function needsYouLines({ needsYou, main, subagents }: SessionDetail): RichText {
  const [first] = needsYou;
  if (!first) return rich('🔔 Needs you');
  const who: readonly Piece[] = first.id === main.id ? [] : ['Subagent ', ...namesIn(subagents)(first), ' '];
  const others = needsYou.length > 1 ? `, and ${needsYou.length - 1} more` : '';
  return rich('🔔 Needs you\n  › ', ...who, `${WAITS[first.waitingOn]}${others}`);
}

/** `said`: the last words of the main agent. */
function restLines({ main, subagents }: SessionDetail, said: string): RichText {
  const still = subagents.filter((agent) => isBusy(agent) && agent.kind !== 'internal');
  const named = still.slice(0, MOST_NAMES);
  const left = still.length - named.length;
  return rich(
    restWord(main),
    ...(still.length > 0 ? [`, ${still.length} ${still.length === 1 ? 'subagent' : 'subagents'} still running: `] : []),
    ...listNames(named, namesIn(subagents)),
    left > 0 ? ` and ${left} more` : '',
    ...second('', said),
  );
}

function restWord({ status }: AgentReport): string {
  switch (status) {
    case 'failed':
      return '❌ The session failed';
    case 'stopped':
      return '⏹ The session was stopped';
    case 'unknown':
      return '❔ The session ended without a word';
    default:
      return '🏁 Done';
  }
}

/** Which session a message is about, where several share a chat. */
export function sessionLine({ project, title, id }: Pick<SessionDetail, 'project' | 'title' | 'id'>): RichText {
  const name = quoteOf(title ?? '', 60) || id.slice(0, 8);
  return rich('📁 ', { code: quoteOf(project ?? '', 40) || '–' }, ': ', { code: name });
}

/** As a person reads it. `session`: the session it is about. `words`: from `readNotificationText`. */
export function formatNotification(news: Notification, session: SessionDetail, words: string): RichText {
  const nameOf = namesIn(session.subagents);
  switch (news.kind) {
    case 'spawned':
      return spawnLines(news.agent, nameOf, words);
    case 'started':
      return startedLines(news.agent, nameOf);
    case 'ended':
      return endLines(news, nameOf, words);
    // The call asks for an agent, but it is not known yet which agent it started.
    case 'unbound-spawn':
      return rich('🔧 Task', ...second('', news.call.summary ?? ''));
    case 'unbound-end':
      return rich(news.call.outcome === 'ok' ? '✅ Task result' : '❌ Task failed', ...second('', words));
    case 'called':
      return toolLines(news.agent.kind === 'main' ? undefined : news.agent, nameOf, news.call);
    case 'budget':
      return rich('⏳ Budget ', ...(news.agent.kind === 'main' ? ['main'] : nameOf(news.agent)), '\n  › ', {
        code: quoteOf(news.alert.text, 300),
      });
    case 'needs-you':
      return needsYouLines(news.session);
    case 'rest':
      return restLines(news.session, words);
  }
}

/** Calls that there is no room for, in one line. */
export function moreCallsLine(
  calls: readonly Extract<Notification, { kind: 'called' }>[],
  { subagents }: SessionDetail,
): RichText {
  const nameOf = namesIn(subagents);
  const counts = new Map<AgentReport, number>();
  for (const { agent } of calls) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  const whose = [...counts].flatMap(([agent, count], index): Piece[] => [
    index === 0 ? ': ' : ', ',
    ...(agent.kind === 'main' ? ['main'] : named(agent, nameOf)),
    ` ${count}`,
  ]);
  return rich(`🔧 ${calls.length} more ${calls.length === 1 ? 'call' : 'calls'}`, ...whose);
}

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
