// `troupe search`, and what it may keep: `troupe index text`.

import { cleanLine, type QueryProblem, type SearchReport } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import { type CliContext, createProgress, textOptionsOf, writeJson, writeLines } from './context.ts';
import { type SharedFlags, whereOf } from './flags.ts';
import { formatSearch, formatTextIndex } from './format/index.ts';

interface SearchFlags extends SharedFlags {
  readonly limit: number;
  readonly hits: number;
  readonly wait: boolean;
}

/** What is not indexed by then is said to be missing. */
const PATIENCE_MS = 2_000;

export async function search(
  this: CliContext<'text' | 'server'>,
  flags: SearchFlags,
  ...words: readonly string[]
): Promise<void> {
  const { terminal, text } = this;
  const where = whereOf(flags);
  // Whoever reads it there may be anybody; an agent has read what it reads.
  const isRedacted = terminal.width === undefined || (await text.isAgent());
  const query = joinTerms(words);
  const ask = async (patience: number): Promise<SearchReport> => {
    const progress = createProgress(terminal);
    const request = { where, text: query, limit: flags.limit, perSession: flags.hits, patience, isRedacted };
    const report = await text.search(request, ({ done, sessions }) =>
      progress.show(() => `Reading the text of your sessions: ${done} of ${sessions}`),
    );
    progress.clear();
    return report;
  };
  const patience = flags.wait ? Number.POSITIVE_INFINITY : PATIENCE_MS;
  let report = await ask(patience);
  assertSearched(report);
  if (report.index.state === 'undecided') {
    if (!(await askFirst(this, where)))
      return terminal.note('Nothing was indexed. Allow it later with: troupe index text on');
    // The person waits for it anyway, and can stop it: what was read until then is kept.
    report = await ask(Number.POSITIVE_INFINITY);
  }
  if (report.index.state === 'off')
    throw new UserError('text-off', 'The text of your sessions is not indexed.', 'Allow it with: troupe index text on');
  assertSearched(report);
  const running = flags.json ? undefined : (await this.server.status().catch(() => undefined))?.server.url;
  await text.close();
  if (flags.json) writeJson(this, report);
  else
    writeLines(
      this,
      formatSearch(report, { ...textOptionsOf(this), isElsewhere: where.roots.length > 0, page: running }),
    );
  if (report.sessions.length === 0) this.endWith(1);
}

function assertSearched({ problem, query }: SearchReport): void {
  assertQuery(query, problem);
}

/** Throws what is wrong with a query, and marks the place. */
export function assertQuery(query: string, problem: QueryProblem | null | undefined): void {
  if (!problem) return;
  const { message, remedy, offset, length } = problem;
  const isMarked = length > 0 && offset < MAX_MARKED;
  if (!isMarked) throw new UserError('bad-query', message, remedy);
  const mark = `${' '.repeat(offset)}${'^'.repeat(Math.min(length, MAX_MARKED - offset))}`;
  throw new UserError('bad-query', `${message}\n  ${cleanLine(query.slice(0, MAX_MARKED))}\n  ${mark}`, remedy);
}

const MAX_MARKED = 120;

/** The words of a command line as one query. */
export function joinTerms(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : words.map(asTerm).join(' ');
}

/** The shell has taken the quotes away. */
export function asTerm(word: string): string {
  const [, filter = '', value = ''] = /^(-?[a-z]+:)(?=\S*\s)([^"]*)$/is.exec(word) ?? [];
  return filter === '' ? word : `${filter}"${value}"`;
}

/** False if the person said no, or cannot be asked. */
async function askFirst({ terminal, text }: CliContext<'text'>, where: ReturnType<typeof whereOf>): Promise<boolean> {
  const status = await text.status(where);
  if (!terminal.ask || (await text.isAgent()))
    throw new UserError(
      'text-undecided',
      'To be searched, the text of your sessions has to be indexed, and only you can allow that.',
      'In a terminal of your own: troupe index text on',
    );
  terminal.note(
    [
      'To search, troupe makes an index of everything that your sessions hold: prompts, answers, commands and their output.',
      `It stays on this machine, in ${status.file}, readable by you only.`,
      'You can leave out projects (troupe index text on --exclude NAME) and delete it (troupe index text off).',
    ].join('\n'),
  );
  if (await terminal.ask('Make it?')) {
    await text.allow();
    return true;
  }
  await text.forbid();
  return false;
}

interface TextFlags extends SharedFlags {
  readonly exclude?: readonly string[];
  readonly allProjects: boolean;
}

export async function textOn(this: CliContext<'text'>, flags: TextFlags): Promise<void> {
  await this.text.allow(flags.allProjects ? [] : flags.exclude);
  const progress = createProgress(this.terminal);
  await this.text.build(whereOf(flags), ({ done, sessions }) =>
    progress.show(() => `Reading the text of your sessions: ${done} of ${sessions}`),
  );
  progress.clear();
  await answer(this, flags);
}

export async function textOff(this: CliContext<'text'>, flags: SharedFlags): Promise<void> {
  await this.text.forbid();
  await answer(this, flags);
}

export async function textForget(this: CliContext<'text'>, flags: SharedFlags): Promise<void> {
  await this.text.drop();
  await answer(this, flags);
}

async function answer(context: CliContext<'text'>, flags: SharedFlags): Promise<void> {
  const report = await context.text.status(whereOf(flags));
  await context.text.close();
  if (report.state === 'unusable') context.endWith(1);
  if (flags.json) writeJson(context, report);
  else writeLines(context, formatTextIndex(report));
}
