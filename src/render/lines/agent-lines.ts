// What is said when an agent is asked for, ends, or calls a tool: two lines each, the same in every chat and in the terminal.
import type { AgentReport, RunReport } from '../../reports/shapes.ts';
import type { TimelineCall } from '../../reports/timeline-shapes.ts';
import { bracketName, quoteOf } from './quote.ts';
import { type Piece, type RichText, rich } from './rich-text.ts';

/** `task`: the prompt, or as much as is known of it. */
export function spawnLines(agent: AgentReport, task: string): RichText {
  return rich('📎 Subagent ', ...named(agent), ...second('Task: ', task || (agent.description ?? '')));
}

/** Asked for by a call of which nobody can say yet which agent it made. */
export function unboundSpawnLines({ summary }: TimelineCall): RichText {
  return rich('🔧 Task', ...second('', summary ?? ''));
}

export function startedLines(agent: AgentReport): RichText {
  return rich('▶️ Subagent ', ...named(agent), ' started');
}

/** `result`: what it gave back. */
export function endLines(agent: AgentReport, run: RunReport, result: string): RichText {
  if (run.status === 'completed') return rich('✅ Subagent ', ...named(agent), ' completed', ...second('', result));
  return rich('❌ Subagent ', ...named(agent), ' failed — ', ...cause(run));
}

export function unboundEndLines({ outcome }: TimelineCall, result: string): RichText {
  return rich(outcome === 'ok' ? '✅ Task result' : '❌ Task failed', ...second('', result));
}

/** `agent`: undefined for the main agent, whose calls need no name. Told when the call is made: how it ends is not known. */
export function toolLines(agent: AgentReport | undefined, { tool, summary }: TimelineCall): RichText {
  return rich(
    '🔧 ',
    ...(agent ? [...named(agent), ' '] : []),
    { code: quoteOf(tool, 60) },
    ...second('', summary ?? ''),
  );
}

/** Calls that there was no room for, by who made them. */
export function moreToolsLine(counts: ReadonlyMap<AgentReport | undefined, number>): RichText {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const whose = [...counts].flatMap(([agent, count], index): Piece[] => [
    index === 0 ? ': ' : ', ',
    ...(agent ? named(agent) : ['main']),
    ` ${count}`,
  ]);
  return rich(`🔧 ${total} more ${total === 1 ? 'call' : 'calls'}`, ...whose);
}

function named({ label, evidence }: AgentReport): readonly Piece[] {
  const isGuess = evidence?.rank === 'guess';
  return ['[', { code: bracketName(label) }, isGuess ? '] (a guess)' : ']'];
}

function second(before: string, text: string): readonly Piece[] {
  const quote = quoteOf(text);
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
