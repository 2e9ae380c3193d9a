import { buildCommand, buildRouteMap } from '@stricli/core';
import { cleanLine, formatBytes, type IndexReport, plural } from '../core/index.ts';
import { type CliContext, createProgress, writeJson, writeLines } from './context.ts';
import { helpText, optional, type SharedFlags, sharedFlags, toggle, toWord, whereOf } from './flags.ts';
import { formatTextIndex } from './format/index.ts';
import { textForget, textOff, textOn } from './search.ts';

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
