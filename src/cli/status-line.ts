// `troupe statusline`: the line about a session that a host shows below its prompt.

import { text } from 'node:stream/consumers';
import { computeTree, createPaint, formatStatusLine, statusLineFacts } from '../core/index.ts';
import { asObject, asText } from '../lib/json.ts';
import { type CliContext, writeJson, writeLines } from './context.ts';
import { type SharedFlags, whereOf } from './flags.ts';

export async function statusline(
  this: CliContext<'reader' | 'approvals'>,
  flags: SharedFlags,
  session?: string,
): Promise<void> {
  const id = session ?? (await sessionOnInput());
  const opened = await this.reader.sessions(whereOf(flags)).open(id);
  const { session: report, agents } = computeTree(opened, { internal: false });
  const asks = (await this.approvals.list().catch(() => undefined)) ?? [];
  const open = asks.filter((ask) => ask.end === null && ask.session === report.id);
  const subAgents = agents.filter(({ kind }) => kind !== 'main');
  const facts = statusLineFacts(report.cost, subAgents, open.length);
  if (flags.json) writeJson(this, { sessionId: report.id, ...facts });
  else writeLines(this, [formatStatusLine(facts, createPaint(this.terminal.colours), this.terminal.width)]);
}

/** What a host tells its status line: JSON with the id of the session. */
async function sessionOnInput(): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  try {
    return asText(asObject(JSON.parse(await text(process.stdin)))?.['session_id']);
  } catch {
    return undefined;
  }
}
