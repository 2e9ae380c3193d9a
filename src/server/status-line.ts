// The status line of a session, for the command that its host runs.

import { createPaint, formatStatusLine, statusLineFacts } from '../core/index.ts';
import type { Live } from '../sessions/index.ts';
import type { ServedAsks } from './http/approval-routes.ts';

interface StatusLineContext {
  readonly live: Pick<Live, 'session'>;
  readonly asks?: Pick<ServedAsks, 'list'> | undefined;
  readonly columns?: number;
}

/** Undefined if there is no such session. */
export async function statusLineOf(
  session: string,
  { live, asks, columns }: StatusLineContext,
): Promise<string | undefined> {
  const found = await live.session(session, { internal: false });
  if (!found) return undefined;
  const open = asks?.list().filter((ask) => ask.end === null && ask.session === session) ?? [];
  return formatStatusLine(statusLineFacts(found.cost, found.subagents, open.length), createPaint('16'), columns);
}
