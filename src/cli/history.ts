import { buildCommand, buildRouteMap } from '@stricli/core';
import { cleanLine, formatBytes, type IndexReport, type PruneReport, parseListQuery, plural } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import type { When } from '../lib/when.ts';
import { dataFoldersFor } from '../sessions/index.ts';
import { type CliContext, createProgress, textOptionsOf, writeAnswer, writeJson, writeLines } from './context.ts';
import { helpText, optional, type SharedFlags, sharedFlags, toggle, toWhen, toWord, whereOf } from './flags.ts';
import { formatPrune, formatTextIndex } from './format/index.ts';
import { assertQuery, joinTerms, textForget, textOff, textOn } from './search.ts';

export const indexRoutes = buildRouteMap<string, CliContext<'history' | 'text'>>({
  routes: {
    status: buildCommand({
      func: status,
      parameters: { flags: sharedFlags },
      docs: helpText(
        'Say how many sessions are in the index, and how large it is',
        ['troupe index status', 'troupe index status --json'],
        'What troupe read of a session is kept in an index, so that an unchanged session need not be read again. The index holds',
        'names, times, usage and places in the files, no conversations. Sessions enter it as commands read them.',
      ),
    }),
    build: buildCommand({
      func: build,
      parameters: { flags: sharedFlags },
      docs: helpText('Read every session that is not in the index yet', ['troupe index build']),
    }),
    rebuild: buildCommand({
      func: rebuild,
      parameters: { flags: sharedFlags },
      docs: helpText('Delete the index, and read every session again', ['troupe index rebuild']),
    }),
    off: buildCommand({
      func: off,
      parameters: { flags: sharedFlags },
      docs: helpText('Delete the index, and keep none until `troupe index on`', ['troupe index off']),
    }),
    text: buildRouteMap<string, CliContext<'history' | 'text'>>({
      routes: {
        on: buildCommand({
          func: textOn,
          parameters: {
            flags: {
              ...sharedFlags,
              exclude: {
                ...optional(
                  toWord,
                  'PROJECT',
                  'Leave out sessions of this project: its folder, or a part of its path; several times',
                ),
                variadic: true,
              },
              allProjects: toggle('Leave out none'),
            },
          },
          docs: helpText(
            'Allow the index of the text of your sessions, and read what is missing',
            ['troupe index text on', 'troupe index text on --exclude clients/acme --exclude diary'],
            'The index holds the words of everything that was said and done in your sessions, for troupe search. It stays on this',
            'machine, and only you can read it. Without --exclude, what was left out before stays left out.',
          ),
        }),
        off: buildCommand({
          func: textOff,
          parameters: { flags: sharedFlags },
          docs: helpText('Delete the index of the text, and keep none', ['troupe index text off']),
        }),
        forget: buildCommand({
          func: textForget,
          parameters: { flags: sharedFlags },
          docs: helpText('Delete the index of the text, and what you said about it: the next search asks again', [
            'troupe index text forget',
          ]),
        }),
      },
      docs: { brief: 'The index of the text of conversations, for troupe search' },
    }),
    on: buildCommand({
      func: on,
      parameters: { flags: sharedFlags },
      docs: helpText('Keep an index again', ['troupe index on']),
    }),
  },
  docs: { brief: 'The index of what was read of sessions, and of their text' },
});

async function status(this: CliContext<'history'>, flags: SharedFlags): Promise<void> {
  answer(this, flags, await this.history.status(whereOf(flags)));
}

async function build(this: CliContext<'history'>, flags: SharedFlags): Promise<void> {
  await read(this, flags, 'build');
}

async function rebuild(this: CliContext<'history'>, flags: SharedFlags): Promise<void> {
  await read(this, flags, 'rebuild');
}

async function read(context: CliContext<'history'>, flags: SharedFlags, how: 'build' | 'rebuild'): Promise<void> {
  const progress = createProgress(context.terminal);
  const report = await context.history[how](whereOf(flags), ({ done, sessions }) =>
    progress.show(() => `Reading: ${done} of ${plural(sessions, 'session')}`),
  );
  progress.clear();
  answer(context, flags, report);
}

async function off(this: CliContext<'history'>, flags: SharedFlags): Promise<void> {
  answer(this, flags, await this.history.off(whereOf(flags)));
}

async function on(this: CliContext<'history'>, flags: SharedFlags): Promise<void> {
  answer(this, flags, await this.history.on(whereOf(flags)));
}

function answer(context: CliContext, { json }: SharedFlags, report: IndexReport): void {
  if (report.state === 'unusable') context.endWith(1);
  if (json) writeJson(context, report);
  else writeLines(context, [...indexLines(report), ...formatTextIndex(report.text)]);
}

function indexLines({ file, state, problem, bytes, indexedSessions, sessions }: IndexReport): readonly string[] {
  if (state === 'off')
    return ['The index is off: every session is read from its files. Switch it on with: troupe index on'];
  if (problem !== null) return [cleanLine(problem)];
  return [
    `${indexedSessions} of ${plural(sessions, 'session')} in the index, ${formatBytes(bytes)}: ${file}`,
    ...(indexedSessions < sessions
      ? ['The others are read when they are needed, or all of them by: troupe index build']
      : []),
  ];
}

export const pruneCommand = buildCommand({
  func: prune,
  parameters: {
    flags: {
      ...sharedFlags,
      olderThan: optional(toWhen, 'TIME', 'Choose sessions in which nothing happened since: 90d, 52w, 2026-01-31'),
      delete: toggle('Delete the chosen sessions, after asking; without --delete nothing changes'),
      yes: toggle('Delete without asking'),
    },
    aliases: { y: 'yes' },
    positional: {
      kind: 'array',
      parameter: { parse: String, placeholder: 'FILTER', brief: 'Only sessions that match, as for troupe ls' },
    },
  },
  docs: helpText(
    'Show how much space old sessions take, and delete some',
    [
      'troupe prune',
      'troupe prune --older-than 90d',
      'troupe prune --older-than 1d project:scratch -- -title',
      'troupe prune --older-than 52w --delete',
      'troupe prune --older-than 90d --json | jq -r .chosen[].paths[]',
    ],
    'Without --older-than: the sessions of this machine by host, project and age, with their size. With it: every file and',
    'folder that --delete would delete: transcripts of the session and its sub-agents, and what the host keeps by its id, such',
    'as copies of changed files and to-do lists. What you delete is gone for good, also for the host.',
    'Sessions that run, or were written to in the last hour, are never deleted, nor those whose agents a newer copy (fork)',
    'shows. Of a host that keeps sessions in a database, its own command is shown.',
  ),
});

interface PruneFlags extends SharedFlags {
  readonly olderThan?: When;
  readonly delete: boolean;
  readonly yes: boolean;
}

async function prune(this: CliContext<'history'>, flags: PruneFlags, ...words: readonly string[]): Promise<void> {
  const { terminal } = this;
  const text = joinTerms(words);
  const hosts = [...new Set(dataFoldersFor({ roots: [] }).map(({ adapter }) => adapter.host))];
  const { query, problem } = parseListQuery(text, hosts);
  assertQuery(text, problem);
  const now = this.clock();
  const olderThan = flags.olderThan?.(now).from;
  if (olderThan === undefined && (flags.delete || text !== ''))
    throw new UserError('prune-age', 'Say how old sessions have to be.', 'Add --older-than, such as --older-than 90d.');
  if (flags.delete && !flags.yes && !terminal.ask)
    throw new UserError(
      'prune-alone',
      'Sessions are deleted only after asking, and this is not a terminal.',
      'Add --yes to delete without asking.',
    );
  const write = (report: PruneReport, isAsking = false): void =>
    writeAnswer(this, flags.json, report, (one, options) => formatPrune(one, options, isAsking));
  const confirm = async (plan: PruneReport): Promise<boolean> => {
    progress.clear();
    if (!flags.json) write(plan, true);
    const bytes = plan.chosen.reduce((sum, one) => sum + one.bytes, 0);
    const what = `${plural(plan.chosen.length, 'session')}, ${formatBytes(bytes)}`;
    return flags.yes || ((await terminal.ask?.(`Delete ${what} for good?`)) ?? false);
  };
  const progress = createProgress(terminal);
  const report = await this.history.prune(
    { where: whereOf(flags), olderThan, query: text === '' ? undefined : query },
    flags.delete ? confirm : undefined,
    ({ done, sessions }) => progress.show(() => `Reading: ${done} of ${plural(sessions, 'session')}`),
  );
  progress.clear();
  if (report.failed.length > 0) this.endWith(1);
  if (flags.json || !report.isDeleted) {
    if (flags.json || !flags.delete || report.chosen.length === 0) write(report);
    else terminal.note('Nothing was deleted.');
    return;
  }
  const { paint } = textOptionsOf(this);
  const gone = plural(report.chosen.length, 'session');
  writeLines(this, [
    report.failed.length === 0 ? `Deleted: ${gone}.` : `Not all of ${gone} could be deleted:`,
    ...report.failed.map(({ path, problem }) => `  ${cleanLine(path)}: ${paint.red(cleanLine(problem))}`),
  ]);
}
