// Hooks of Codex: `hooks.json` beside its settings. (They may be in `config.toml` as well; ours never are.)

import { createHash } from 'node:crypto';
import path from 'node:path';
import { parseHookCommand } from '../../core/index.ts';
import { asText, isObject, known } from '../../lib/json.ts';
import { readText } from '../../lib/regular-file.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type {
  HookApproval,
  HookObstacle,
  HookSettingsCapability,
  HooksCapability,
  Machine,
  ObstacleQuestion,
  SampleCall,
  SettingsFile,
} from '../index.ts';
import {
  createKeptHookReader,
  GUARD_SECONDS,
  type Handler,
  handlersIn,
  OBSERVER_SECONDS,
  type SettingsForm,
  settingsOf,
  type Told,
} from '../shared/index.ts';
import { ASKS, BEFORE_CALL, codexGuard, ENDS, toGuarded } from './guard.ts';
import { rootsOf } from './host.ts';
import { HOST } from './line-context.ts';
import { threadInName } from './thread-head.ts';

function sampleCall({ session, transcript, call, agent }: SampleCall): unknown {
  return {
    session_id: session,
    turn_id: session,
    ...known({ agent_id: agent, agent_type: agent === undefined ? undefined : 'worker' }),
    transcript_path: transcript,
    cwd: '/',
    hook_event_name: BEFORE_CALL,
    model: 'troupe-doctor',
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command: 'true # troupe doctor tries out its hooks' },
    tool_use_id: call,
  };
}

/** The rollout of the main thread. */
function sampleTranscript(session: string, version: string): string {
  const payload = { id: session, session_id: session, cwd: '/', source: 'cli', cli_version: version };
  return `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload })}\n`;
}

export const hooks: HooksCapability = {
  ...codexGuard,
  toCall: toGuarded,
  condense,
  sampleCall,
  sampleTranscript,
  namesCallers: (version) => isAtLeast(version, '0.137.0'),
  createHookReader: createKeptHookReader,
};

/** A question that waits for the person is in no file; all else stands in the rollouts. */
function condense(payload: unknown): Told | undefined {
  if (!isObject(payload)) return undefined;
  if (payload['hook_event_name'] === ENDS) return { closes: true };
  if (payload['hook_event_name'] !== ASKS) return undefined;
  const asks = asText(payload['agent_id']) ?? threadInName(asText(payload['transcript_path']) ?? '');
  return asks === undefined ? undefined : { asks };
}

// Codex runs a hook only after its person agreed to it there (`/hooks`), and keeps that in `config.toml`: under the hook's place, a
// hash of what it is. It does not say which hooks it skips, so we look. Compared with 0.131.0 to 0.166.0.

/** Before that, whatever stood in the file was run. */
const ASKS_SINCE = '0.131.0';

const approval: HookApproval = {
  files: configFiles,
  missing({ file, text }, agreed, version) {
    if (version !== undefined && !isAtLeast(version, ASKS_SINCE)) return [];
    const ours = handlersIn(text).filter(({ command }) => parseHookCommand(command, HOST));
    const isAgreed = (handler: Handler): boolean => {
      const key = `${file}:${labelOf(handler.event)}:${handler.group}:${handler.place}`;
      return agreed.some((config) => agreedHash(config, key) === hashOf(handler));
    };
    return ours.filter((handler) => !isAgreed(handler)).map(({ event }) => event);
  },
  how: 'start codex, type /hooks, and trust those that end in # troupe',
};

function configFiles(machine: Machine): readonly string[] {
  return rootsOf(machine).map((root) => path.resolve(root, 'config.toml'));
}

function labelOf(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Of the event and the entry, with its keys in order and what it leaves out filled in. */
export function hashOf({ event, value, matcher }: Handler): string {
  const { command, timeout = 600, type, async = false } = value;
  const group = {
    event_name: labelOf(event),
    hooks: [{ async, command, timeout, type }],
    ...(matcher !== undefined && { matcher }),
  };
  return `sha256:${createHash('sha256').update(JSON.stringify(group)).digest('hex')}`;
}

/**
 * `[hooks.state."/home/dev/.codex/hooks.json:pre_tool_use:0:0"]`, then `trusted_hash = "sha256:…"`: as Codex itself writes it. Whoever
 * wrote it in another way is told that it is not there.
 */
function agreedHash(config: string, key: string): string | undefined {
  const at = config.indexOf(`[hooks.state.${JSON.stringify(key)}]`);
  if (at === -1) return undefined;
  const [, body = ''] = config.slice(at).split(/\]\s*$/m, 2);
  const own = body.split(/^\s*\[/m, 1)[0] ?? '';
  if (/^\s*enabled\s*=\s*false/m.test(own)) return undefined;
  return /^\s*trusted_hash\s*=\s*"([^"]*)"/m.exec(own)?.[1];
}

// What else keeps Codex from running hooks. Seen with 0.166.0, which reports none of it.

const REQUIREMENTS = '/etc/codex/requirements.toml';

async function findObstacles({ machine, folder }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const own = configFiles(machine);
  const found: HookObstacle[] = [];
  for (const file of [...own, path.join(folder, '.codex', 'config.toml'), REQUIREMENTS]) {
    const values = readToml(await readText(file).catch(() => ''));
    if (FEATURES.some((key) => values.get(key) === 'false'))
      found.push({
        text: `${file} switches hooks off (features.hooks = false).`,
        remedy: `Remove that setting from ${file}, then restart Codex.`,
      });
    if (file === REQUIREMENTS && values.get('allow_managed_hooks_only') === 'true')
      found.push({
        text: `${file} lets only managed hooks run (allow_managed_hooks_only).`,
        remedy: 'Ask the administrator of this machine.',
      });
    const trust = own.includes(file) ? values.get(`projects.${JSON.stringify(folder)}.trust_level`) : undefined;
    if (trust === '"untrusted"')
      found.push({
        text: `Codex does not trust ${folder}, and runs no hooks of its .codex folder (${file}).`,
        remedy: 'Start codex in this folder and trust it, or install the hooks with --scope user.',
        scopes: ['project'],
      });
  }
  return found;
}

/** `codex_hooks` is the older name. */
const FEATURES = ['features.hooks', 'features.codex_hooks'];

/**
 * Keys with one word or one string behind them, by their whole path as it is written; everything else in the file is passed over. Enough for
 * switches, and wrong for none of them: a key in a string of several lines looks like one here, and at worst reports too much.
 */
function readToml(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let table = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[([^[\]]+|[^[]*"[^"]*"[^[]*)\]\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) table = `${joined(header)}.`;
    else if (/^\s*\[\[/.test(line)) table = '[].';
    const [, key, value] = /^\s*([\w."'/ -]+?)\s*=\s*(\{.*\}|"[^"]*"|[\w.-]+)\s*(?:#.*)?$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    if (value.startsWith('{'))
      for (const [, inner = '', word = ''] of value.matchAll(/([\w."-]+)\s*=\s*("[^"]*"|[\w.-]+)/g))
        values.set(`${table}${joined(key)}.${joined(inner)}`, word);
    else values.set(`${table}${joined(key)}`, value);
  }
  return values;
}

/** `features . "hooks"` is `features.hooks`; a name that needs its quotes keeps them. */
function joined(key: string): string {
  return [...key.matchAll(/"[^"]*"|'[^']*'|[^.\s"']+/g)]
    .map(([part]) => (/^["'][\w-]+["']$/.test(part) ? part.slice(1, -1) : part))
    .join('.');
}

/** The first version with each, by the schemas in its programs. 0.118 has hooks, too, behind a switch in its settings. */
const SINCE: Readonly<Record<string, string>> = { [BEFORE_CALL]: '0.124.0', [ASKS]: '0.124.0', [ENDS]: '0.150.0' };

/** It gives this one no more. */
const LONGEST_END_SECONDS = 3;
const DEFAULT_SECONDS = 600;

const FORM: SettingsForm = {
  host: HOST,
  title: 'Codex',
  beforeCalls: BEFORE_CALL,
  eventsOf: (version) => Object.keys(SINCE).filter((event) => isAtLeast(version, SINCE[event] ?? '')),
  oldest: '0.124.0',
  entryFor: (event, command, role) => ({
    type: 'command',
    command,
    timeout: role === 'guard' ? GUARD_SECONDS : event === ENDS ? LONGEST_END_SECONDS : OBSERVER_SECONDS,
  }),
  fields: new Set(['type', 'command', 'timeout']),
  secondsOf: (timeout = DEFAULT_SECONDS) => timeout,
  readSwitches: () => ({}),
};

export const hookSettings: HookSettingsCapability = {
  ...settingsOf(FORM),
  programs: ({ home }) => ['codex', path.join(home, '.local', 'bin', 'codex')],
  files: settingsFiles,
  approval,
  obstacles: findObstacles,
};

const FILE = 'hooks.json';

function settingsFiles(machine: Machine, folder: string): readonly SettingsFile[] {
  const [root = path.join(machine.home, '.codex')] = rootsOf(machine);
  return [
    { scope: 'user', path: path.resolve(root, FILE) },
    { scope: 'project', path: path.join(folder, '.codex', FILE) },
  ];
}
