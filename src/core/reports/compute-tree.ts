import { DIAGNOSTICS, type DiagnosticCount } from '../diagnostic.ts';
import type { OpenedSession } from '../ports.ts';
import { selectAgents } from '../select.ts';
import { computeAgent } from './compute-agent.ts';
import { computeHues } from './compute-hues.ts';
import { computeSession } from './compute-session.ts';
import { orNull } from './json-values.ts';
import type { DiagnosticReport, TreeReport } from './shapes.ts';

/** `troupe tree --json`. */
export function computeTree(
  { tree, ignoredFiles }: Pick<OpenedSession, 'tree' | 'ignoredFiles'>,
  options: { readonly internal: boolean },
): TreeReport {
  const hues = computeHues(tree.agents);
  return {
    session: computeSession(tree),
    agents: selectAgents(tree, options).map((agent) => computeAgent(agent, tree.id, hues.get(agent.id))),
    diagnostics: {
      total: tree.diagnostics.reduce((sum, { count }) => sum + count, 0),
      ignoredFiles,
      items: tree.diagnostics.map(computeDiagnostic),
    },
  };
}

function computeDiagnostic({ code, severity, count, examples }: DiagnosticCount): DiagnosticReport {
  return {
    code,
    severity,
    text: DIAGNOSTICS[code].text,
    count,
    examples: examples.map(({ detail, origin }) => ({
      detail,
      source: orNull(origin?.source),
      offset: orNull(origin?.offset),
      length: orNull(origin?.length),
    })),
  };
}
