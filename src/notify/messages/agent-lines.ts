// What is said when an agent is asked for, ends, or calls a tool: two lines each, the same in every chat and in the terminal.

import type { AgentReport, RunReport, TimelineCall } from '../../core/index.ts';
import type { NameOf } from './agent-names.ts';
import { callQuote, quoteOf } from './quote.ts';
import { type Piece, type RichText, rich } from './rich-text.ts';

/** `task`: the prompt, or as much as is known of it. */
export function spawnLines(agent: AgentReport, nameOf: NameOf, task: string): RichText {
  return rich('📎 Subagent ', ...named(agent, nameOf), ...second('Task: ', task || (agent.description ?? '')));
}

/** Asked for by a call of which nobody can say yet which agent it made. */
export function unboundSpawnLines({ summary }: TimelineCall): RichText {
  return rich('🔧 Task', ...below('', quoteOf(summary ?? '')));
}

export function startedLines(agent: AgentReport, nameOf: NameOf): RichText {
  return rich('▶️ Subagent ', ...named(agent, nameOf), ' started');
}

/** `result`: what it gave back. */
export function endLines(agent: AgentReport, nameOf: NameOf, run: RunReport, result: string): RichText {
  if (run.status === 'completed')
    return rich('✅ Subagent ', ...named(agent, nameOf), ' completed', ...second('', result));
  return rich('❌ Subagent ', ...named(agent, nameOf), ' failed — ', ...cause(run));
}

export function unboundEndLines({ outcome }: TimelineCall, result: string): RichText {
  return rich(outcome === 'ok' ? '✅ Task result' : '❌ Task failed', ...second('', result));
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

/** Calls that there was no room for, by who made them. */
export function moreToolsLine(counts: ReadonlyMap<AgentReport | undefined, number>, nameOf: NameOf): RichText {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const whose = [...counts].flatMap(([agent, count], index): Piece[] => [
    index === 0 ? ': ' : ', ',
    ...(agent ? named(agent, nameOf) : ['main']),
    ` ${count}`,
  ]);
  return rich(`🔧 ${total} more ${total === 1 ? 'call' : 'calls'}`, ...whose);
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
