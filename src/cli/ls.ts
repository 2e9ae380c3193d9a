import { computeSessions } from '../core/index.ts';
import { type SharedFlags, whereOf, writeJson, writeLines } from './flags.ts';
import { formatSessions } from './format/index.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

export interface LsFlags extends SharedFlags {
  readonly limit: number;
}

export async function ls(this: CliContext, flags: LsFlags): Promise<void> {
  const listing = await this.face.sessions(whereOf(flags)).list({ limit: flags.limit });
  const report = computeSessions(listing);
  for (const problem of listing.problems) this.face.terminal.note(problem);
  if (flags.json) return writeJson(this, report);
  if (report.sessions.length === 0) {
    const where = listing.places.join(', ');
    this.face.terminal.note(
      `No sessions found (looked in ${where}).\nRun one of the supported programs once, or name a data folder with --root.`,
    );
    return;
  }
  writeLines(this, formatSessions(report, textOptionsOf(this.face)));
}
