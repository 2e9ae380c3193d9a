import { type AgentReport, formatCount, linkText, plural, runsText } from '../../../../src/core/index.ts';
import type { Chip, Lane } from './block.ts';
import { factsOf, sayingOf } from './facts.ts';

/** A lane in words, whole: for those who do not see it, and for tests. */
export function laneWords(lane: Lane, now: number): string {
  const { agent, name, project, depth } = lane;
  const { type, model } = factsOf(agent);
  return [
    `${name}${runsText(agent)}`,
    depth === 0 ? 'session' : `sub-agent, level ${depth}`,
    project,
    type,
    model,
    statusWords(agent, now),
    contextWords(agent),
    belowWords(lane),
    linkText(agent),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** How it stands and what it does; the status is not said twice. */
export function statusWords(agent: AgentReport, now: number): string {
  const { standing, status } = factsOf(agent);
  const saying = sayingOf(agent, now);
  if (saying === '') return status;
  if (standing === 'running') return `running: ${saying}`;
  return standing === 'silent' && agent.lastActivityAt === null ? `silent: ${saying}` : saying;
}

export function contextWords({ contextTokens, contextWindow, compactions }: AgentReport): string {
  const again = compactions > 0 ? `, ${plural(compactions, 'compaction')}` : '';
  if (contextTokens === null) return `context not known${again}`;
  const tokens = `${formatCount(contextTokens)} tokens`;
  if (contextWindow === null) return `${tokens}, window not known${again}`;
  return `${percentOf(contextTokens, contextWindow)} % of the context, ${tokens} of ${formatCount(contextWindow)}${again}`;
}

export function belowWords({ below: { agents, busy } }: Lane): string {
  if (agents === 0) return '';
  return `${busy} of ${plural(agents, 'sub-agent')} at work`;
}

/** One decimal below ten: the windows are large. */
function percentOf(tokens: number, window: number): string {
  const percent = (100 * tokens) / window;
  return percent < 10 ? percent.toFixed(1) : String(Math.round(percent));
}

/** As it stands on the chip; `isShort` where there is little room. */
export function chipText({ kind, tally, isOpen }: Chip, isShort = false): string {
  const { agents, busy, needsYou, failed, unknown } = tally;
  if (kind === 'folded') {
    const urgent = needsYou > 0 ? ` ◐ ${needsYou}` : busy > 0 ? ` ● ${busy}` : '';
    return `+${agents}${urgent}`;
  }
  const ends = [...(failed > 0 ? [`✗ ${failed}`] : []), ...(unknown > 0 ? [`? ${unknown}`] : [])];
  return [isOpen ? '▾' : '▸', isShort ? `✓ ${agents}` : `finished ${agents}`, ...ends].join(' ');
}

/** The same, said. */
export function chipWords({ kind, tally: { agents, busy, needsYou, failed, unknown }, isOpen }: Chip): string {
  const counted = [
    ...(needsYou > 0 ? [`${needsYou} ${needsYou === 1 ? 'needs' : 'need'} you`] : []),
    ...(busy > 0 ? [`${busy} at work`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} with an end that is not known`] : []),
  ];
  const what = kind === 'folded' ? plural(agents, 'more sub-agent') : plural(agents, 'finished sub-agent');
  return [what, ...counted, isOpen ? 'shown' : 'folded'].join(', ');
}
