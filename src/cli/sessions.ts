import {
  cleanLine,
  computeExplanation,
  computeHues,
  computeIdentity,
  computeListEntry,
  computeSessionList,
  computeSessions,
  computeTree,
  createPaint,
  hostOf,
  type IdentityReport,
  ledgerFor,
  localDay,
  nativeId,
  type OpenedSession,
  type OpenedTree,
  parseListQuery,
  plural,
  type SessionGrouping,
  type SessionListFacts,
  type SessionListing,
  type SessionListRequest,
  type SessionSort,
  type Sessions,
  toToolCallId,
} from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import { dataFoldersFor } from '../sessions/index.ts';
import { type CliContext, createProgress, textOptionsOf, writeAnswer, writeJson, writeLines } from './context.ts';
import { type SharedFlags, whereOf } from './flags.ts';
import { formatExplanation, formatSessions, formatTranscript, formatTree } from './format/index.ts';
import { assertQuery, joinTerms } from './search.ts';

interface ListFlags extends SharedFlags {
  readonly limit: number;
  readonly all: boolean;
  readonly empty: boolean;
  readonly sort: SessionSort;
  readonly group: SessionGrouping;
}

export async function ls(this: CliContext<'reader'>, flags: ListFlags, ...words: readonly string[]): Promise<void> {
  const { empty, sort, group } = flags;
  const limit = flags.all ? Number.MAX_SAFE_INTEGER : flags.limit;
  const query = joinTerms(words);
  const isWhole = query !== '' || sort !== 'time' || group !== 'none';
  const hosts = [...new Set(dataFoldersFor({ roots: [] }).map(({ adapter }) => adapter.host))];
  assertQuery(query, parseListQuery(query, hosts).problem);
  const progress = createProgress(this.terminal);
  const listing = await this.reader.sessions(whereOf(flags)).list({
    limit: isWhole ? Number.MAX_SAFE_INTEGER : limit,
    withEmpty: empty,
    onProgress: ({ done, sessions }) => progress.show(() => `Reading: ${done} of ${plural(sessions, 'session')}`),
  });
  progress.clear();
  const { groups, ...report } = isWhole
    ? arrange(listing, { query, sort, group, from: 0, limit }, { hosts, now: this.clock(), dayOf: localDay })
    : { ...computeSessions(listing), groups: [] };
  for (const problem of listing.problems) this.terminal.note(problem);
  if (report.sessions.length === 0 && query !== '') this.endWith(1);
  if (flags.json) return writeJson(this, report);
  if (report.sessions.length === 0) {
    const where = listing.places.join(', ');
    const hidden =
      listing.emptySessions > 0
        ? ` ${plural(listing.emptySessions, 'empty session')} not listed: troupe ls --empty.`
        : '';
    const none =
      query === ''
        ? `No sessions found (looked in ${where}).${hidden}\nRun one of the supported programs once, or name a data folder with --root.`
        : `None of ${plural(listing.trees.length, 'session')} matches. To search what was said in them: troupe search`;
    this.terminal.note(none);
    return;
  }
  writeLines(this, formatSessions(report, textOptionsOf(this), { isEmptyShown: empty, groups }));
}

/** Those that match, in order; `more` counts those that match and are not listed. */
function arrange(listing: SessionListing, request: SessionListRequest, facts: SessionListFacts) {
  const keyOf = ({ host, id }: { readonly host: string; readonly id: string }): string => `${host} ${id}`;
  const trees = new Map(listing.trees.map((tree) => [keyOf({ host: hostOf(tree.id), id: nativeId(tree.id) }), tree]));
  const { sessions, groups, matching } = computeSessionList(listing.trees.map(computeListEntry), request, facts);
  const report = computeSessions({
    ...listing,
    trees: sessions.flatMap((one) => trees.get(keyOf(one)) ?? []),
    more: matching - sessions.length,
  });
  return { ...report, matching, groups };
}

interface TreeFlags extends SharedFlags {
  readonly internal: boolean;
  readonly orDemo: boolean;
  readonly explain?: string;
}

export async function tree(this: CliContext<'reader'>, flags: TreeFlags, session?: string): Promise<void> {
  if (flags.explain !== undefined) {
    const opened = await inDemo(this, flags, (sessions, isDemo) => sessions.open(isDemo ? undefined : session));
    return explain(this, flags, opened, flags.explain);
  }
  const opened = await inDemo(this, flags, (sessions, isDemo) => sessions.openTree(isDemo ? undefined : session));
  writeAnswer(this, flags.json, computeTree(opened, { internal: flags.internal }), formatTree);
}

function explain(context: CliContext, { json }: TreeFlags, opened: OpenedSession, wanted: string): void {
  const { tree } = opened;
  const hits = tree.agents.filter((agent) => nativeId(agent.id).startsWith(wanted) || agent.name === wanted);
  const agent = hits.find(({ id }) => nativeId(id) === wanted) ?? hits[0];
  if (!agent || (hits.length > 1 && nativeId(agent.id) !== wanted)) {
    const found = hits.length === 0 ? 'No agent of this session begins' : `${hits.length} agents of this session begin`;
    throw new UserError('agent-not-found', `${found} with «${wanted}».`, 'See the ids with: troupe tree --json');
  }
  const report = computeExplanation(agent, ledgerFor(agent, opened));
  writeAnswer(context, json, report, (answer, { paint }) => formatExplanation(answer, paint));
}

/** In the recording that ships with troupe, if that is wanted and there is nothing else. */
async function inDemo<Opened extends OpenedTree>(
  { reader, terminal }: CliContext<'reader'>,
  flags: TreeFlags,
  open: (sessions: Sessions, isDemo: boolean) => Promise<Opened>,
): Promise<Opened> {
  const opened = await open(reader.sessions(whereOf(flags)), false).catch((error: unknown) => {
    const nothingThere = error instanceof UserError && error.code === 'no-sessions';
    if (!flags.orDemo || !nothingThere) throw error;
    terminal.note(`${error.message} This is the recording that ships with troupe:\n`);
    return open(reader.demo(), true);
  });
  for (const problem of opened.problems) terminal.note(problem);
  return opened;
}

interface ShowFlags extends SharedFlags {
  readonly from: number;
  readonly limit?: number;
  readonly full: boolean;
}

export async function show(this: CliContext<'reader'>, flags: ShowFlags, agent: string): Promise<void> {
  const { terminal } = this;
  const range = { from: flags.from, limit: flags.limit ?? Number.POSITIVE_INFINITY };
  const opened = await this.reader.transcripts(whereOf(flags)).read(agent, undefined, range);
  const { transcript, tree, total } = opened;
  for (const problem of opened.problems) terminal.note(problem);
  if (flags.json) return writeJson(this, transcript);
  const lines = formatTranscript(transcript, {
    paint: createPaint(terminal.colours),
    hue: computeHues(tree.agents).get(opened.agent) ?? null,
    full: flags.full,
    from: flags.from,
    problems: tree.diagnostics.filter(({ severity }) => severity !== 'info').reduce((sum, { count }) => sum + count, 0),
    total,
    ...known({ width: terminal.width }),
  });
  await terminal.page(`${lines.join('\n')}\n`);
}

interface IdentifyFlags extends Pick<SharedFlags, 'json' | 'host'> {
  readonly transcript?: string;
  readonly toolUseId?: string;
}

export async function identify(this: CliContext<'identifier'>, flags: IdentifyFlags): Promise<void> {
  const { host, transcript, toolUseId } = flags;
  const toolCall = toolUseId === undefined ? undefined : toToolCallId(toolUseId);
  const identity = await this.identifier.identify(known({ host, transcript, toolCall }));
  writeAnswer(this, flags.json, computeIdentity(identity), formatIdentity);
}

function formatIdentity(report: IdentityReport): readonly string[] {
  const { agent_type: who, evidence, reason, candidates } = report;
  const name =
    who === 'subagent'
      ? ` ${report.subagent_name ?? ''} «${report.subagent_description ?? ''}» ${report.agent_id ?? ''}`
      : '';
  const how = evidence.rank === 'none' ? (reason ?? 'nothing to go by') : `${evidence.rank}: ${evidence.source}`;
  const list = candidates.map(
    (one) => `  may be ${one.subagent_name ?? 'main'} «${one.subagent_description ?? ''}» ${one.agent_id ?? ''}`,
  );
  return [`${who}${name} (${how})`, ...list].map(cleanLine);
}
