import type { AgentReport, DiagnosticReport, SessionDetail } from '../../../src/core/index.ts';

/** Of a sub-agent, those that stand in its files or name it. How many there are beyond the examples is not known then. */
export function diagnosticsOf({ diagnostics }: SessionDetail, agent: AgentReport): readonly DiagnosticReport[] {
  if (agent.kind === 'main') return diagnostics.items;
  return diagnostics.items
    .map((item) => ({
      ...item,
      examples: item.examples.filter(
        ({ source, detail }) =>
          (source !== null && agent.transcripts.includes(source)) || (source === null && detail.startsWith(agent.id)),
      ),
    }))
    .filter(({ examples }) => examples.length > 0)
    .map((item) => ({ ...item, count: item.examples.length }));
}
