import {
  type AuditDecision,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  cleanLine,
  plural,
} from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { When } from '../lib/when.ts';
import { type AuditLog, type CliContext, textOptionsOf, writeAnswer, writeJson, writeLines } from './context.ts';
import { type SharedFlags, whereOf } from './flags.ts';
import { formatAuditLine, formatAuditPage, formatCoverage } from './format/index.ts';

interface GuardLogFlags extends SharedFlags {
  readonly agent?: string;
  readonly type?: string;
  readonly decision?: AuditDecision;
  readonly tool?: string;
  readonly session?: string;
  readonly since?: When;
  readonly until?: When;
  readonly limit?: number;
  readonly follow: boolean;
  readonly verify: boolean;
}

const LIMIT = 50;

export async function showLog(this: CliContext<'audit'>, flags: GuardLogFlags): Promise<void> {
  if (flags.verify) refuseFilters(flags);
  const log = await this.audit.open(whereOf(flags));
  if (flags.verify) return verify(this, log, flags);
  const filter = filterOf(flags, this.clock());
  if (flags.follow) return follow(this, log, filter, flags);
  const page = await log.read(filter, flags.limit ?? LIMIT);
  if (flags.json) writeEntries(this, page.entries);
  else if (page.entries.length > 0) writeLines(this, formatAuditPage(page, textOptionsOf(this)));
  else noteEmpty(this, page, await isUnused(log, filter));
}

function filterOf({ agent, type, decision, tool, session, since, until }: GuardLogFlags, now: number): AuditFilter {
  const [from, to] = [since?.(now).from, until?.(now).to];
  if (from !== undefined && to !== undefined && to < from)
    throw new UserError(
      'empty-span',
      '--until is before --since: no call can be in between.',
      'Give the earlier time to --since: --since 2h --until 1h is from two hours ago to one hour ago.',
    );
  return known({ agent, type, decision, tool, session, since: from, until: to });
}

/** A chain is whole or not: what holds for some of its lines says nothing. */
function refuseFilters(flags: GuardLogFlags): void {
  const { json: _json, root: _root, host: _host, verify: _verify, follow, ...filters } = flags;
  const [given] = Object.keys(known({ ...filters, follow: follow || undefined }));
  if (given === undefined) return;
  throw new UserError(
    'verify-filter',
    `--verify checks every line of the audit, and cannot be narrowed by --${given}.`,
    `Leave out --${given}.`,
  );
}

function writeEntries({ terminal }: CliContext, entries: readonly AuditEntry[]): void {
  for (const entry of entries) terminal.write(`${JSON.stringify(entry)}\n`);
}

/** Without end: Ctrl-C ends the program. What comes while the first ones are read is not lost and not shown twice. */
async function follow(context: CliContext, log: AuditLog, filter: AuditFilter, flags: GuardLogFlags): Promise<void> {
  let last = 0;
  const show = (entry: AuditEntry): void => {
    // Of what was written while we began, both who reads and who follows tell, in whatever order.
    if (entry.n <= last) return;
    last = entry.n;
    if (flags.json) writeEntries(context, [entry]);
    else writeLines(context, [formatAuditLine(entry, textOptionsOf(context))]);
  };
  let waiting: AuditEntry[] | undefined = [];
  const subscription = log.follow(filter, (entry) => (waiting ? void waiting.push(entry) : show(entry)));
  try {
    const page = await log.read(filter, flags.limit ?? LIMIT);
    if (page.entries.length === 0 && !flags.json) noteEmpty(context, page, await isUnused(log, filter));
    for (const entry of [...page.entries, ...waiting]) show(entry);
    waiting = undefined;
    await new Promise(() => {});
  } finally {
    subscription.close();
  }
}

async function isUnused(log: AuditLog, filter: AuditFilter): Promise<boolean> {
  return Object.keys(filter).length === 0 || (await log.read({}, 1)).entries.length === 0;
}

function noteEmpty({ terminal }: CliContext, { badLines }: AuditPage, isEmpty: boolean): void {
  const bad = badLines > 0 ? `\n${plural(badLines, 'line')} could not be read: see troupe guard log --verify` : '';
  terminal.note(
    isEmpty
      ? `No hook has told of a tool call yet.${bad}\nInstall the hooks with: troupe hooks install`
      : `No tool call in the audit is like that.${bad}\nSee all of them with: troupe guard log`,
  );
}

async function verify(context: CliContext, log: AuditLog, { json }: GuardLogFlags): Promise<void> {
  const check = await log.verify();
  const { entries, files, firstN, lastN, problems } = check;
  if (problems.length > 0) context.endWith(1);
  if (json) return writeJson(context, check);
  const what = `${plural(entries, 'entry', 'entries')} in ${plural(files, 'file')}`;
  const range = firstN === null ? '' : `, ${firstN} to ${lastN}`;
  const start = firstN !== null && firstN > 1 ? ' Older ones were removed because of their age.' : '';
  if (problems.length === 0 && entries === 0)
    return writeLines(context, ['There is nothing to check: no hook has told of a tool call yet.']);
  const found = problems.length > 0 ? plural(problems.length, 'problem') : 'every line is as it was written';
  writeLines(context, [
    `Checked ${what}${range}: ${found}.${problems.length > 0 ? '' : start}`,
    ...problems.map((one) => cleanLine(`${one.file}:${one.line}: ${one.what}`)),
  ]);
}

export async function showCoverage(this: CliContext<'audit'>, flags: SharedFlags, session?: string): Promise<void> {
  const log = await this.audit.open(whereOf(flags));
  const report = await log.coverage(session);
  if (report.missed.length > 0) this.endWith(1);
  writeAnswer(this, flags.json, report, formatCoverage);
  if (!flags.json && report.ran > 0 && report.heard === 0 && report.unnamed === 0)
    this.terminal.note('\nNo hook heard of this session. Install the hooks with: troupe hooks install');
}
