// Where our plugin for OpenCode is installed. OpenCode 2 reads the same folder as OpenCode 1, but does not load plugins of OpenCode 1: it
// evaluates the module, never calls its function, and runs every tool; `run` and `serve` print nothing about it (2.0.15). Both versions share
// the command, the data folder and the database, so `findVersionTwo` looks up which one is in use.

import path from 'node:path';
import { parseHookCommand } from '../../../core/index.ts';
import { listFolder, modifiedAt } from '../../../lib/folders.ts';
import { asAmount, asText, known, parseObject } from '../../../lib/json.ts';
import { isStillRunning } from '../../../lib/processes.ts';
import { readText } from '../../../lib/regular-file.ts';
import { type ReadOnlyDatabase, readDatabase, textOf } from '../../../lib/sqlite.ts';
import { isAtLeast } from '../../../lib/version-number.ts';
import type {
  HookCommands,
  HookObstacle,
  HookSettingsCapability,
  Machine,
  ObstacleQuestion,
  SettingsFile,
  SettingsHook,
  SettingsView,
} from '../../index.ts';
import { GUARD_SECONDS } from '../../shared/index.ts';
import { columnsOf } from '../database/schema.ts';
import { ASKED, BEFORE_CALL, REPLIED } from '../guard.ts';
import { ifAbsolute, isDatabaseName, rootsOf } from '../host.ts';
import { HOST } from '../record.ts';
import { commandsIn, isOurs, pluginText } from './plugin-text.ts';

export const hookSettings: HookSettingsCapability = {
  // OpenCode 2 was called opencode2 before its release.
  programs: ({ home }) => ['opencode', path.join(home, '.opencode', 'bin', 'opencode'), 'opencode2'],
  versionIn: (output) => output.match(/\d+\.\d+\.\d+/)?.[0],
  files: pluginFiles,
  isOwnFile: true,
  isBeforeCalls: (event) => event === BEFORE_CALL,
  eventsFor: () => EVENTS,
  problemIn: (text) => (isOurs(text) ? undefined : NOT_OURS),
  install: (_text, _version, commands) => pluginText(commands),
  uninstall: (text) => (isOurs(text) ? '' : text),
  inspect,
  refusal,
  obstacles: findVersionTwo,
};

/** All of them work in 1.1.65 to 1.18.33. */
const EVENTS: readonly string[] = [BEFORE_CALL, ASKED, REPLIED];

const FILE = path.join('plugins', 'troupe.js');

const NOT_OURS = 'it is a plugin that troupe did not write';

function pluginFiles({ env, home }: Machine, folder: string): readonly SettingsFile[] {
  const config = ifAbsolute(env['XDG_CONFIG_HOME']) ?? path.join(home, '.config');
  return [
    { scope: 'user', path: path.join(config, 'opencode', FILE) },
    { scope: 'project', path: path.join(folder, '.opencode', FILE) },
  ];
}

function inspect(text: string): SettingsView {
  const commands = isOurs(text) ? commandsIn(text) : undefined;
  const problem = text.trim() !== '' && !isOurs(text) ? NOT_OURS : undefined;
  const ours = commands ? EVENTS.flatMap((event) => hookOf(event, commands, text) ?? []) : [];
  return { ours, othersBeforeCalls: [], ...known({ problem }) };
}

function hookOf(event: string, commands: HookCommands, text: string): SettingsHook | undefined {
  const command = (event === BEFORE_CALL ? commands.guard : undefined) ?? commands.observe;
  const found = parseHookCommand(command, HOST);
  if (!found) return undefined;
  const { isAsWritten, ...own } = found;
  const changed = isAsWritten && text === pluginText(commands) ? undefined : 'its text is not what troupe writes';
  return { event, command, seconds: GUARD_SECONDS, ...own, ...known({ changed }) };
}

const REMEDY =
  'Use OpenCode 1 until troupe supports OpenCode 2, or deny tools in opencode.json, for example: "permission": { "bash": "deny" }';

export function refusal(version: string): Pick<HookObstacle, 'text' | 'remedy'> | undefined {
  return isVersionTwo(version) ? { text: `OpenCode ${version} ${DOES_NOT_LOAD}`, remedy: REMEDY } : undefined;
}

const DOES_NOT_LOAD = 'does not load this plugin, which is written for OpenCode 1.';

function isVersionTwo(version: string | undefined): boolean {
  return isAtLeast(version, '2.0.0');
}

export async function findVersionTwo({ machine }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  return [...(await findService(machine)), ...(await findSessions(machine))];
}

/** OpenCode 2 keeps a service running in the background, and every client talks to it. */
async function findService({ env, home }: Machine): Promise<readonly HookObstacle[]> {
  const state = ifAbsolute(env['XDG_STATE_HOME']) ?? path.join(home, '.local', 'state');
  const file = path.join(state, 'opencode', 'service.json');
  const service = parseObject(await readText(file).catch(() => undefined));
  const version = asText(service?.['version']);
  const pid = asAmount(service?.['pid']);
  if (!isVersionTwo(version) || pid === undefined || !(await isStillRunning(pid, await modifiedAt(file)))) return [];
  return [{ text: `OpenCode ${version} is running (pid ${pid}); it ${DOES_NOT_LOAD}`, remedy: REMEDY }];
}

async function findSessions(machine: Machine): Promise<readonly HookObstacle[]> {
  const found: NonNullable<ReturnType<typeof readLastRun>>[] = [];
  for (const root of rootsOf(machine))
    for (const { name, kind } of await listFolder(root).catch(() => [])) {
      if (kind !== 'file' || !isDatabaseName(name)) continue;
      // `troupe doctor` reports unreadable databases with the data folders.
      const last = await readDatabase(path.join(root, name), readLastRun).catch(() => undefined);
      if (last) found.push(last);
    }
  const [newest] = found.toSorted((a, b) => b.at - a.at);
  if (!newest) return [];
  const { session, version, at } = newest;
  const who = isVersionTwo(version) ? `OpenCode ${version}` : 'OpenCode 2';
  const when = new Date(at).toISOString();
  return [{ text: `${who} ran session ${session} (last activity ${when}); it ${DOES_NOT_LOAD}`, remedy: REMEDY, at }];
}

/** Newest rows first; a large database is not read as a whole. */
const MOST_ROWS = 500;

/**
 * What OpenCode 2 did last. Its first start copies every session of OpenCode 1 into its own tables and leaves theirs as they were,
 * so a session is its own if only it has it, and a copied one was continued by it if it has rows of a kind that copies lack.
 */
function readLastRun(database: ReadOnlyDatabase) {
  const columns = columnsOf(database, 'session_v2');
  if (!['id', 'version', 'time_created'].every((column) => columns.has(column))) return undefined;
  const isCopied = columnsOf(database, 'session').has('id') ? 'run.id in (select id from session)' : '0';
  const messages = columnsOf(database, 'session_message').has('session_id')
    ? `union all select * from (select session_id, type, time_created from session_message order by rowid desc limit ${MOST_ROWS})`
    : '';
  const rows = database.all(`
    with run(id, type, at) as (
      select * from (select id, null, time_created from session_v2 order by time_created desc limit ${MOST_ROWS}) ${messages}
    )
    select ${textOf('run.id')} as id, ${textOf('run.type')} as type, run.at as at, ${isCopied} as is_copied,
      (select ${textOf('version')} from session_v2 where session_v2.id = run.id) as version
    from run order by run.at desc`);
  for (const { id, type, at: time, is_copied, version: said } of rows) {
    const [session, at, version] = [asText(id), asAmount(time), asText(said)];
    if (session === undefined || at === undefined) continue;
    if (type === 'idle' || isVersionTwo(version) || is_copied === 0) return { session, version, at };
  }
  return undefined;
}
