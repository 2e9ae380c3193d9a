import { isEqual } from '../../lib/json.ts';
import type { LiveSessionReport, SessionChange, SessionDetail, SourceProgressReport } from './live-shapes.ts';

/**
 * What is different between two pictures of a session; all of it, where there was none before. Nothing where nothing is
 * different and no file was read on.
 */
export function computeChange(
  before: SessionDetail | undefined,
  after: SessionDetail,
  sources: readonly SourceProgressReport[] = [],
): SessionChange | undefined {
  const old = new Map((before ? [before.main, ...before.subagents] : []).map((agent) => [agent.id, agent]));
  const now = [after.main, ...after.subagents];
  const agents = now.filter((agent) => !isEqual(old.get(agent.id), agent));
  const order = now.map(({ id }) => id);
  const isSameOrder = order.length === old.size && [...old.keys()].every((id, index) => id === order[index]);
  const there = new Set(order);
  const change: SessionChange = {
    sessionId: after.id,
    host: after.host,
    session: before && isEqual(sessionOnly(before), sessionOnly(after)) ? null : sessionOnly(after),
    agents,
    removed: [...old.keys()].filter((id) => !there.has(id)),
    order: isSameOrder ? null : order,
    diagnostics: before && isEqual(before.diagnostics, after.diagnostics) ? null : after.diagnostics,
    sources,
  };
  const isNews = change.session || agents.length > 0 || !isSameOrder || change.diagnostics || change.sources.length > 0;
  return isNews ? change : undefined;
}

/** Without its agents. */
export function sessionOnly(detail: SessionDetail): LiveSessionReport {
  const { main: _main, subagents: _subagents, diagnostics: _diagnostics, ...session } = detail;
  return session;
}
