import type { AuditEntry, AuditFilter } from './audit-shapes.ts';

/** All of a line but what the tool was given. */
type Line = Omit<AuditEntry, 'input'>;

/** Whether a line of the audit is wanted: everything that is asked for holds. Names are compared without case. */
export function matchesFilter(entry: Line, filter: AuditFilter): boolean {
  const { agent, type, decision, tool, session, since, until } = filter;
  const at = Date.parse(entry.at);
  return (
    (agent === undefined || isAgent(entry, agent)) &&
    (type === undefined || isSame(entry.agent.type, type)) &&
    (decision === undefined || entry.decision === decision) &&
    (tool === undefined || isSame(entry.tool, tool)) &&
    (session === undefined || (entry.session?.startsWith(session) ?? false)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at <= until)
  );
}

function isAgent({ agent: { id, name, who, path } }: Line, wanted: string): boolean {
  return (id?.startsWith(wanted) ?? false) || [name, path.at(-1) ?? null, who].some((is) => isSame(is, wanted));
}

function isSame(is: string | null, wanted: string): boolean {
  return is?.toLowerCase() === wanted.toLowerCase();
}
