import { type SharedFlags, whereOf, writeJson, writeLines } from './flags.ts';
import { formatCoverage } from './format/index.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

export async function guardCoverage(this: CliContext, flags: SharedFlags, session?: string): Promise<void> {
  const log = await this.face.guardLog(whereOf(flags));
  const report = await log.coverage(session);
  if (report.missed.length > 0) this.endWith(1);
  if (flags.json) return writeJson(this, report);
  writeLines(this, formatCoverage(report, textOptionsOf(this.face)));
  if (report.ran > 0 && report.heard === 0 && report.unnamed === 0)
    this.face.terminal.note('\nNo hook heard of this session. Install the hooks with: troupe hooks install');
}
