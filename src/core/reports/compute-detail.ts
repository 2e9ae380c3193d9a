import { assertFound } from '../../lib/user-error.ts';
import type { SessionTree } from '../tree.ts';
import { computeTree } from './compute-tree.ts';
import type { LiveSessionReport, SessionDetail } from './live-shapes.ts';
import type { AgentReport, SessionReport } from './shapes.ts';

/** One session with its agents: `/api/sessions/:id`, and each session of a snapshot. */
export function computeDetail(tree: SessionTree, options: { readonly internal: boolean }): SessionDetail {
  const { session, agents, diagnostics } = computeTree({ tree, ignoredFiles: 0 }, options);
  const [main, ...subagents] = agents;
  return { ...withActivity(session, main), main: assertFound(main, 'a tree has a main agent'), subagents, diagnostics };
}

function withActivity(session: SessionReport, main: AgentReport | undefined): LiveSessionReport {
  return {
    ...session,
    activity: main?.activity ?? 'unknown',
    currentTool: main?.currentTool ?? null,
    currentToolSummary: main?.currentToolSummary ?? null,
  };
}
