import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GuardLog } from '../../audit/index.ts';
import {
  type AuditEntry,
  cleanLine,
  type Finding,
  type HookRole,
  type HooksStatus,
  type ImpatientGuard,
  installAgain,
  nameHookRole,
  notLoadedText,
  plural,
  removeDoubledHooks,
  repairInstall,
  type ScriptStatus,
  type SettingsStatus,
} from '../../core/index.ts';
import { type HookSettingsCapability, type HooksCapability, TRIAL_SESSION } from '../../hosts/index.ts';
import { known } from '../../lib/json.ts';
import { createFile, readText } from '../../lib/regular-file.ts';
import { messageOf } from '../../lib/user-error.ts';
import { findingsOf } from './examine-state.ts';

const { good, note, warning, problem } = findingsOf('hooks');

/** What stands in a host's settings, and what keeps it from working. */
export function* examineHooks(status: HooksStatus): Generator<Finding> {
  yield* status.places.flatMap((place) => onPlace(place, status));
  yield* onLoaded(status);
  yield* status.impatient.map((guard) => onImpatient(guard, status));
  const again = repairInstall(status);
  yield* status.scripts.flatMap((script) => onScript(script, status));
  const heard = new Set(status.places.flatMap(({ events, problem: why }) => (why === null ? events : [])));
  if (status.events.length === 0) {
    if (status.loaded.state === 'not-loaded') return;
    yield note(
      'hooks-unusable',
      `${[status.hostTitle, status.hostVersion ?? []].flat().join(' ')} has no hooks that troupe could use.`,
    );
    return;
  }
  if (heard.size === 0) {
    // That the file is not read is said already.
    if (status.places.some(({ events }) => events.length > 0)) return;
    const [refusal] = status.loaded.reasons;
    yield refusal
      ? warning('hooks-none', `No hooks are installed. ${refusal.text}`, refusal.remedy)
      : warning('hooks-none', `${status.hostTitle} tells troupe nothing at once: no hooks are installed.`, again);
    return;
  }
  yield* onMissing(status, heard, again);
}

function onPlace(place: SettingsStatus, status: HooksStatus): readonly Finding[] {
  const { hostTitle, loaded } = status;
  const { file, scope, problem: why, tooNew, events, guard, changed, versions, othersBeforeCalls } = place;
  const loud = loaded.reasons.some(({ kind }) => kind === 'unread') && events.length > 0;
  const unread = (text: string): string => (loud ? `${notLoadedText(loaded)} ${text}` : text);
  if (tooNew.length > 0) {
    const isOurs = tooNew.every((event) => events.includes(event));
    const byHand = `Take the hooks for ${tooNew.join(', ')} out of it, or update ${hostTitle}.`;
    return [
      problem(
        'hooks-too-new',
        unread(`${file} is not read: ${why}.`),
        (isOurs && installAgain(place, status)) || byHand,
      ),
    ];
  }
  if (why !== null)
    return [problem('settings-unread', unread(`${file}: ${why}`), 'Mend the file, or restore it from a backup.')];
  const others = othersBeforeCalls.map((command) =>
    note('hooks-others', `another program stands in front of tool calls, too: ${command} (${file})`),
  );
  if (events.length === 0) return others;
  const what = `${plural(events.length, 'event')}${guard ? ', with the guard' : ''}`;
  return [
    note('hooks-installed', `installed: ${what}, by troupe ${versions.join(', ')} (${scope}: ${file})`),
    ...changed.map(({ event, how }) =>
      problem('hooks-changed', `The entry for ${event} was changed: ${how} (${file}).`, installAgain(place, status)),
    ),
    ...others,
  ];
}

/** Whether the host runs our hooks: an entry in its settings is no proof of it. */
function* onLoaded({ loaded, hostTitle, unapproved }: HooksStatus): Generator<Finding> {
  const { state, reasons, lastCall } = loaded;
  if (!reasons.some(({ kind }) => kind === 'unapproved'))
    for (const { file, events, how } of unapproved)
      yield problem('hooks-unapproved', `${hostTitle} does not run ${events.join(', ')} of ${file} yet.`, `${how}.`);
  if (state === 'active')
    yield good(
      'hooks-active',
      `${[hostTitle, lastCall?.hostVersion ?? []].flat().join(' ')} runs ${nameHookRole(loaded)}: last called at ${lastCall?.at}${lastCall?.session == null ? '' : ` (session ${lastCall.session})`}`,
    );
  if (state === 'unproven')
    for (const { text, remedy } of reasons)
      yield warning('hooks-unproven', `Installed, not yet seen working: ${text}`, remedy);
  if (state !== 'not-loaded') return;
  for (const reason of reasons) {
    const text = `${notLoadedText(loaded)} ${reason.text}`;
    if (reason.kind === 'off') yield problem('hooks-off', text, reason.remedy);
    else if (reason.kind === 'managed') yield problem('hooks-managed', text, reason.remedy);
    else if (reason.kind === 'unapproved')
      yield problem(
        'hooks-unapproved',
        `${text} Not run: ${unapproved.flatMap(({ events }) => events).join(', ')}.`,
        reason.remedy,
      );
    // Of the others there is a finding of its own.
    else if (!['unread', 'script', 'no-calls'].includes(reason.kind))
      yield problem('hooks-not-loaded', text, reason.remedy);
  }
}

function onImpatient({ file, scope, seconds, waitSeconds }: ImpatientGuard, status: HooksStatus): Finding {
  return problem(
    'hooks-impatient',
    `A rule waits ${waitSeconds} s for an answer, but the host waits ${seconds} s for the guard, and then goes on without it (${file}).`,
    `${repairInstall(status, scope)} has it wait longer.`,
  );
}

function onScript({ file, state, scope, version }: ScriptStatus, status: HooksStatus): readonly Finding[] {
  if (state === 'ours') return [];
  const words = {
    missing: `${file} is gone, so nothing is heard.`,
    'not-ours': `${file} is not what this troupe writes. It was changed, or installed with another node.`,
    'not-runnable': `${file} may not be run, so nothing is heard.`,
    elsewhere: `${file} keeps what it hears in another state folder than this one (TROUPE_HOME).`,
    'other-version': `${file} is of troupe ${version ?? 'of an unknown version'}.`,
  };
  const say = state === 'other-version' ? warning : problem;
  return [say('hooks-script', words[state], `${repairInstall(status, scope)} writes it anew.`)];
}

function* onMissing(status: HooksStatus, heard: ReadonlySet<string>, again: string): Generator<Finding> {
  const { events, hostVersion, hostTitle, version, places, doubled, beforeCalls } = status;
  if (beforeCalls.length === 0)
    yield problem(
      'hooks-no-calls',
      'No entry of troupe stands in front of tool calls: none of them can reach the audit.',
      again,
    );
  if (doubled.length > 0)
    yield warning(
      'hooks-twice',
      `Different entries tell of the same, so it is told twice: ${doubled.join(', ')}`,
      removeDoubledHooks(status),
    );
  const missing = events.filter((event) => !heard.has(event));
  if (missing.length > 0)
    yield warning(
      'hooks-missing',
      `${[hostTitle, hostVersion ?? []].flat().join(' ')} could tell more: ${missing.join(', ')}`,
      again,
    );
  const old = places.flatMap(({ versions }) => versions).filter((one) => one !== version);
  if (old.length > 0) yield warning('hooks-old', `Entries of troupe ${old.join(', ')}; this is ${version}.`, again);
}

interface TryOptions {
  readonly hooks: HooksCapability;
  readonly status: HooksStatus;
  readonly log: Pick<GuardLog, 'read'>;
}

/** Proof instead of belief: two calls through the very text that stands in the settings, and a look whether the audit has them. */
export async function* tryHooks({ hooks, status, log }: TryOptions): AsyncGenerator<Finding> {
  const again = repairInstall(status);
  const version = status.hostVersion ?? undefined;
  for (const { role, command } of status.beforeCalls) {
    const folder = await mkdtemp(path.join(tmpdir(), 'troupe-doctor-'));
    const session = `${TRIAL_SESSION}${randomUUID()}`;
    const agent = `troupe-doctor-${randomUUID().slice(0, 8)}`;
    try {
      yield await tryCommand(command, log, { role, hooks, version, again, folder, session, agent });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

interface Trial {
  readonly role: HookRole;
  readonly hooks: HooksCapability;
  /** Of the host. */
  readonly version: string | undefined;
  /** The command that installs the hooks again. */
  readonly again: string;
  /** For the transcript that the calls name. */
  readonly folder: string;
  readonly session: string;
  /** The id of the sub-agent. */
  readonly agent: string;
}

async function tryCommand(command: string, log: TryOptions['log'], trial: Trial): Promise<Finding> {
  const { role, hooks, version, again, folder, session, agent } = trial;
  const transcript = path.join(folder, `${session}.jsonl`);
  if (version !== undefined) await createFile(transcript, hooks.sampleTranscript(session, version));
  const begin = performance.now();
  for (const [call, caller] of [[`${session}-main`], [`${session}-sub`, agent]] as const) {
    const payload = hooks.sampleCall({ session, transcript, call, ...known({ agent: caller }) });
    const { words } = await runCommand(command, JSON.stringify(payload));
    if (words !== undefined) return problem('hooks-fail', `The installed ${role} command fails: ${words}`, again);
  }
  const ms = Math.round((performance.now() - begin) / 2);
  try {
    const { entries } = await log.read({ session }, 10);
    return judge(trial, entries, ms);
  } catch (error) {
    return problem(
      'hooks-unheard',
      `What went through the installed ${role} command cannot be taken over into the audit: ${messageOf(error)}`,
      'See below: own files, audit.',
    );
  }
}

function judge(trial: Trial, entries: readonly AuditEntry[], ms: number): Finding {
  const { role, hooks, version, again, session, agent } = trial;
  // Some hosts' calls are known by the caller's id as well, which stands in front; some by what they run.
  const of = (call: string): AuditEntry | undefined =>
    entries.find(({ call: id, summary }) => [id, summary].some((text) => text?.endsWith(`${session}-${call}`)));
  const [main, sub] = [of('main'), of('sub')];
  if (!main || !sub) {
    const lost = main ? 'A call of a sub-agent' : `A call of the main agent${sub ? '' : ' and a call of a sub-agent'}`;
    return problem(
      'hooks-unheard',
      `${lost} went through the installed ${role} command, but ${main || sub ? 'is' : 'are'} not in the audit.`,
      `Look into hook-errors.log and hook-failure in the state folder, then run: ${again}`,
    );
  }
  if (hooks.namesNobody)
    return [main, sub].some(({ agent: { who } }) => who !== 'unknown')
      ? MISNAMED
      : good(
          'hooks-proven',
          `${ALONE} Two calls went through the installed ${role} command, and both are in the audit, as of an unknown agent: this host never says who calls (${ms} ms a call)`,
        );
  const isMainNamed = hooks.namesCallers(version);
  const isMainRight = isMainNamed ? main.agent.who === 'main' : main.agent.who !== 'subagent';
  if (!isMainRight || sub.agent.who !== 'subagent' || sub.agent.id !== agent) return MISNAMED;
  const asWhat = main.agent.who === 'main' ? "as the main agent's, which is a guess" : 'as of an unknown agent';
  return good(
    'hooks-proven',
    isMainNamed
      ? `${ALONE} A call of the main agent and one of a sub-agent went through the installed ${role} command: both are in the audit, each under its name (${ms} ms a call)`
      : `${ALONE} Two calls went through the installed ${role} command, and both are in the audit (${ms} ms a call): the one that named its sub-agent under that name, the other ${asWhat}. Not every version of every host says who calls`,
  );
}

/** The host has no part in it. */
const ALONE = 'Test of the command alone:';

const MISNAMED = problem(
  'hooks-misnamed',
  'A call is in the audit under the name of another agent.',
  'Please report this as a bug of troupe.',
);

/** Says nothing where the line is not ours. Runs our script, and not the command of before that ours runs first. */
export async function* examineStatusLine(
  { statusLine }: HookSettingsCapability,
  files: readonly string[],
  version: string,
): AsyncGenerator<Finding> {
  const again = 'troupe hooks install --statusline';
  for (const file of files) {
    const script = statusLine?.scriptIn((await readText(file).catch(() => undefined)) ?? '');
    if (script === undefined) continue;
    const text = await readText(script).catch(() => undefined);
    const writtenBy = /^# troupe (\S+): prints the status line of a session/m.exec(text ?? '')?.[1];
    if (text === undefined || writtenBy === undefined) {
      const why = text === undefined ? 'is not there' : 'is not what troupe wrote';
      yield problem('status-line-script', `The script of the status line in ${file} ${why}: ${script}`, again);
      continue;
    }
    if (writtenBy !== version)
      yield warning('status-line-script', `The script of the status line is of troupe ${writtenBy}: ${script}`, again);
    const begin = performance.now();
    const { words, printed } = await runCommand(`'${script.replaceAll("'", "'\\''")}'`, STATUS_LINE_INPUT);
    const ms = Math.round(performance.now() - begin);
    if (words !== undefined || printed.trim() === '')
      yield problem('status-line-fails', `The status line in ${file} fails: ${words ?? 'it prints nothing'}`, again);
    else
      yield good('status-line', `The status line in ${file} prints ${JSON.stringify(cleanLine(printed))} (${ms} ms)`);
  }
}

/** Of a session that is in no transcript: the line has the host's own cost. */
const STATUS_LINE_INPUT = JSON.stringify({ session_id: TRIAL_SESSION, cost: { total_cost_usd: 1.25 } });

const PATIENCE_MS = 15_000;

/** As hosts run it: by a shell, with the payload on its input. `words`: what went wrong. */
function runCommand(command: string, input: string): Promise<{ readonly words?: string; readonly printed: string }> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'], timeout: PATIENCE_MS });
    let [printed, stderr] = ['', ''];
    child.stdout.on('data', (bytes) => {
      printed += bytes;
    });
    child.stderr.on('data', (bytes) => {
      stderr += bytes;
    });
    child.on('error', (error) => resolve({ words: error.message, printed }));
    child.on('close', (code) => {
      const end = code === null ? 'it did not come to an end by itself' : `it ended with code ${code}`;
      resolve({ printed, ...(code !== 0 && { words: stderr.trim() || end }) });
    });
    // A command that does not read is told nothing, and that is for the audit to show.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
