// What a person is answered who asks in a chat: short, and cut where a phone ends.

import {
  type AgentReport,
  type CostReport,
  formatAge,
  formatCount,
  formatStatus,
  isAtWork,
  isSessionBusy,
  type LiveSnapshot,
  linkText,
  type SessionDetail,
  shortId,
  timeText,
} from '../../core/index.ts';
import { bracketName, callQuote, quoteOf } from './quote.ts';
import { joinRich, type Piece, type RichText, rich } from './rich-text.ts';

const MOST_SESSIONS = 20;
const MOST_AGENTS = 80;
const MOST_COSTS = 15;

export function sessionsText({ sessions, olderTotal }: LiveSnapshot, now: number): RichText {
  if (sessions.length === 0) return rich('No session is followed.');
  const shown = [...sessions.filter(isSessionBusy), ...sessions.filter((one) => !isSessionBusy(one))].slice(
    0,
    MOST_SESSIONS,
  );
  const left = sessions.length - shown.length + olderTotal;
  return joinRich([
    ...shown.map((session) =>
      rich(
        `${isSessionBusy(session) ? '⚙️' : '·'} `,
        { code: shortId(session.id) },
        ' ',
        { code: quoteOf(session.project ?? '', 40) || '–' },
        ': ',
        { code: quoteOf(session.title ?? '', 60) || 'untitled' },
        ` · ${formatStatus({ ...session, stalled: false })} · ${formatAge(session.lastActivityAt, now)}`,
      ),
    ),
    ...(left > 0 ? [rich(`… ${left} more`)] : []),
  ]);
}

export function treeText(session: SessionDetail, now: number): RichText {
  const agents = [session.main, ...session.subagents].filter(({ kind }) => kind !== 'internal');
  const shown = agents.slice(0, MOST_AGENTS);
  return joinRich([
    ...shown.map((agent) => treeLine(agent, now)),
    ...(agents.length > shown.length ? [rich(`… ${agents.length - shown.length} more`)] : []),
  ]);
}

const MARKS: Readonly<Record<AgentReport['status'], string>> = {
  spawning: '○',
  running: '⚙️',
  waiting: '⏳',
  completed: '✅',
  failed: '❌',
  stopped: '⏹',
  unknown: '❔',
};

function treeLine(agent: AgentReport, now: number): RichText {
  const name = agent.kind === 'main' ? 'main' : bracketName(agent.label);
  const doing = isAtWork(agent.status) ? callQuote(agent.currentToolSummary ?? agent.currentTool ?? '', 60) : '';
  return rich(
    `${'  '.repeat(Math.min(agent.depth ?? 1, 8))}${MARKS[agent.status]} [`,
    { code: name },
    '] ',
    { code: shortId(agent.id) },
    ` · ${formatStatus(agent)} · ${timeText(agent, now)}`,
    agent.tokensUsed === null ? '' : ` · ${formatCount(agent.tokensUsed)} tokens`,
    ...(doing === '' ? [] : [' · ', { code: doing }]),
  );
}

export function agentText(agent: AgentReport, session: SessionDetail, now: number): RichText {
  const names = new Map([session.main, ...session.subagents].map((one) => [one.id, one]));
  const parent = agent.parentId === null ? undefined : names.get(agent.parentId);
  const rows: readonly (readonly [string, string])[] = [
    ['id', agent.id],
    ['status', formatStatus(agent)],
    ['asked for by', parent ? (parent.kind === 'main' ? 'main' : bracketName(parent.label)) : ''],
    ['how that is known', linkText(agent)],
    ['type', agent.type ?? ''],
    ['task', quoteOf(agent.description ?? '')],
    ['now', callQuote([agent.currentTool, agent.currentToolSummary].filter((part) => part !== null).join(' '))],
    ['model', agent.model ?? ''],
    ['time', timeText(agent, now)],
    ['calls', agent.toolCallCount === null ? '' : String(agent.toolCallCount)],
    ['cost', agent.cost === null ? '' : costWord(agent.cost)],
    ['why', quoteOf(agent.runs.at(-1)?.reason ?? '')],
  ];
  const name = agent.kind === 'main' ? 'main' : bracketName(agent.label);
  return joinRich([
    rich(`${MARKS[agent.status]} [`, { code: name }, ']'),
    ...rows
      .filter(([, value]) => value !== '')
      .map(([word, value]) => rich(`  ${word}: `, { code: callQuote(value) || '–' })),
  ]);
}

export function costText(session: SessionDetail): RichText {
  const agents = [session.main, ...session.subagents].filter(({ cost }) => cost !== null && cost.usd > 0);
  const dearest = agents.toSorted((a, b) => (b.cost?.usd ?? 0) - (a.cost?.usd ?? 0)).slice(0, MOST_COSTS);
  return joinRich([
    rich(`💰 ${costWord(session.cost)} in all`),
    ...dearest.map((agent) => {
      const name: Piece = { code: agent.kind === 'main' ? 'main' : bracketName(agent.label) };
      return rich('  [', name, `] ${agent.cost ? costWord(agent.cost) : '–'}`);
    }),
    ...(agents.length > dearest.length ? [rich(`  … ${agents.length - dearest.length} more`)] : []),
  ]);
}

function costWord({ usd, isLowerBound }: CostReport): string {
  return `${isLowerBound ? '≥ ' : ''}$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
