// The one message of a session that is always true: who is doing what now.

import {
  type AgentReport,
  formatStatus,
  isBusy,
  isSilence,
  outputText,
  type SessionDetail,
  WAITS,
} from '../../core/index.ts';
import { listNames, type NameOf, namesIn } from './notification-lines.ts';
import { callQuote, joinRich, type Piece, quoteOf, type RichText, rich } from './rich-text.ts';

/** Names in the first line, and lines below it: a phone shows so many at once. */
const MOST_NAMES = 8;
const MOST_LINES = 16;
const LONGEST_DOING = 80;

export function statusMessage(session: SessionDetail, now: number): RichText {
  const busy = session.subagents.filter((agent) => isBusy(agent) && agent.kind !== 'internal');
  const [first] = busy;
  if (!first) return rich(...mainPieces(session));
  const nameOf = namesIn(session.subagents);
  if (busy.length === 1) return rich('⚙️ subagent ', ...nameOf(first), ': ', ...activity(first), markOf(first));
  const depths = depthsIn(busy, session.subagents);
  const shown = busy.slice(0, busy.length > MOST_LINES ? MOST_LINES - 1 : MOST_LINES);
  const left = busy.length - shown.length;
  return joinRich([
    headline(busy, nameOf),
    ...shown.map((agent) => agentLine(agent, nameOf, depths.get(agent.id) ?? 0, now)),
    ...(left > 0 ? [rich(`  … ${left} more`)] : []),
  ]);
}

function mainPieces({ main, needsYou }: SessionDetail): readonly Piece[] {
  switch (main.status) {
    case 'completed':
      return ['✅ done'];
    case 'failed':
    case 'stopped':
      return [`❌ ${main.status}`, ...because(main)];
    case 'unknown':
      // Whether it still runs cannot be told.
      return [isSilence(main.runs.at(-1)?.reason) ? '❔ no news for a while' : '❔ ended without a word'];
    case 'waiting':
      if (main.waitingOn === 'input' && needsYou.length === 0) return ['⏸ waits for you'];
      return main.waitingOn === null || main.waitingOn === 'child'
        ? ['⚙️ working…']
        : [`⏳ ${WAITS[main.waitingOn]}`, ...(main.currentToolSummary === null ? [] : [': ', ...activity(main)])];
    default:
      return ['⚙️ ', ...activity(main)];
  }
}

function because({ runs }: AgentReport): readonly Piece[] {
  const reason = quoteOf(runs.at(-1)?.reason ?? '', LONGEST_DOING);
  return reason === '' ? [] : [' — ', { code: reason }];
}

/** The current tool in a line. */
function activity({ currentTool, currentToolSummary }: AgentReport): readonly Piece[] {
  const doing = callQuote(currentToolSummary ?? currentTool ?? '', LONGEST_DOING);
  return doing === '' ? ['working…'] : [{ code: doing }, doing.endsWith('…') ? '' : '…'];
}

function headline(busy: readonly AgentReport[], nameOf: NameOf): RichText {
  const named = busy.slice(0, busy.length > MOST_NAMES ? MOST_NAMES - 1 : MOST_NAMES);
  const left = busy.length - named.length;
  return rich(`⚙️ ${busy.length} subagents running: `, ...listNames(named, nameOf), left > 0 ? ` and ${left} more` : '');
}

/** How many of those who are listed stand above it: one whose parent is done is not indented below nobody. */
function depthsIn(busy: readonly AgentReport[], all: readonly AgentReport[]): ReadonlyMap<string, number> {
  const listed = new Set(busy.map(({ id }) => id));
  const parents = new Map(all.map(({ id, parentId }) => [id, parentId]));
  const depthOf = (id: string): number => {
    const seen = new Set<string>();
    let depth = 0;
    for (let at = parents.get(id); at != null && !seen.has(at); at = parents.get(at)) {
      seen.add(at);
      if (listed.has(at)) depth++;
    }
    return depth;
  };
  return new Map(busy.map(({ id }) => [id, depthOf(id)]));
}

const DEEPEST = 6;

function agentLine(agent: AgentReport, nameOf: NameOf, depth: number, now: number): RichText {
  const { currentTool, currentToolSummary, usage } = agent;
  const doing = callQuote([currentTool, currentToolSummary].filter((part) => part !== null).join(' '), LONGEST_DOING);
  const amounts = [sinceText(agent, now), usage === null ? '' : `${outputText(agent)} tokens written`];
  return rich(
    '  '.repeat(1 + Math.min(depth, DEEPEST)),
    ...nameOf(agent),
    ' ',
    doing === '' ? 'working…' : { code: doing },
    ...amounts.filter((amount) => amount !== '').map((amount) => ` · ${amount}`),
    markOf(agent),
  );
}

function markOf(agent: AgentReport): string {
  if (agent.stalled) return ' · ⚠️ silent';
  if (agent.status !== 'waiting') return '';
  return ` · ⏳ ${formatStatus(agent)}`;
}

/** In steps: a second more is no news, and every one of them would be another edit. */
function sinceText({ startedAt }: AgentReport, now: number): string {
  if (startedAt === null) return '';
  const seconds = Math.max(0, (now - Date.parse(startedAt)) / 1000);
  if (seconds < 60) return `${Math.floor(seconds / 10) * 10} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
