import { createGuardLog, type GuardLog } from '../../audit/index.ts';
import { doubtedText, type Finding, type FindingArea, gapsText, type HooksStatus, plural } from '../../core/index.ts';
import { type SourceAdapter, TRIAL_SESSION } from '../../hosts/index.ts';
import { loadHosts } from '../../hosts/registry.ts';
import { systemClock } from '../../lib/clock.ts';
import { isFolder } from '../../lib/folders.ts';
import { packageVersion } from '../../lib/package.ts';
import { stateFolder } from '../../lib/state-folder.ts';
import { messageOf, UserError } from '../../lib/user-error.ts';
import { ALARM_REMEDY, createServerControl, readDaemonState } from '../../server/index.ts';
import {
  adaptersFor,
  type DataFolder,
  dataFoldersFor,
  findSessions,
  isAddress,
  type SessionScope,
  thisMachine,
} from '../../sessions/index.ts';
import { createHooks } from '../hooks/machine-hooks.ts';
import { examineHooks, examineStatusLine, tryHooks } from './examine-hooks.ts';
import { examineState, findingsOf } from './examine-state.ts';

interface ExaminedHost {
  readonly adapter: SourceAdapter;
  readonly status: HooksStatus;
}

/**
 * Examines everything that has to work, from the hosts to the audit log. Writes two calls of its own into the audit log, and
 * nothing else. A part that cannot be examined becomes a finding, and the others go on.
 */
export async function* examineMachine(where: SessionScope): AsyncGenerator<Finding> {
  const adapters = adaptersFor(await loadHosts(), where.host).filter(({ hookSettings }) => hookSettings);
  const places = dataFoldersFor(where);
  const hooks = await createHooks();
  const log = createGuardLog(where);
  const state = stateFolder(thisMachine());
  const looked: ExaminedHost[] = [];
  const absent: ExaminedHost[] = [];
  for (const adapter of adapters)
    yield* orWhyNot('hosts', async function* () {
      const host = { adapter, status: await hooks.status({ host: adapter.host }) };
      if (await isAbsent(host, places)) return void absent.push(host);
      looked.push(host);
      yield* examineHost(host);
    });
  // With no host installed, report on the one that commands mean if none is named.
  if (looked.length === 0) {
    looked.push(...absent.filter(({ status }) => !status.isToBeNamed));
    for (const host of looked) yield* examineHost(host);
  }
  for (const adapter of adapters) yield* orWhyNot('hosts', () => examineUnsupported(adapter));
  yield* orWhyNot('folders', () => examineFolders(places));
  for (const { adapter, status } of looked) {
    yield* orWhyNot('hooks', () => examineHooks(status));
    const { hooks: capability, hookSettings } = adapter;
    const files = status.places.map(({ file }) => file);
    if (hookSettings) yield* orWhyNot('hooks', () => examineStatusLine(hookSettings, files, packageVersion));
    if (capability) yield* orWhyNot('hooks', () => tryHooks({ hooks: capability, status, log }));
  }
  yield* orWhyNot('server', () => examineServer(state));
  yield* orWhyNot('server', examineApprovals);
  yield* orWhyNot('state', () => examineState(state, systemClock));
  yield* orWhyNot('audit', () => examineAudit(log));
  yield* orWhyNot('audit', () => examineCallers(log, systemClock()));
  yield* orWhyNot('telegram', examineTelegram);
}

/** A host that is not installed lacks nothing. */
async function isAbsent({ adapter, status }: ExaminedHost, places: readonly DataFolder[]): Promise<boolean> {
  if (status.hostVersion !== null || status.places.some(({ events }) => events.length > 0)) return false;
  const own = places.filter((place) => place.adapter.host === adapter.host);
  return (await findSessions(own)).sessions.length === 0;
}

async function* orWhyNot(
  area: FindingArea,
  part: () => AsyncIterable<Finding> | Iterable<Finding>,
): AsyncGenerator<Finding> {
  try {
    yield* part();
  } catch (error) {
    const remedy = error instanceof UserError ? error.remedy : 'Mend what it says, and try again.';
    yield findingsOf(area).problem('not-examined', `This could not be examined: ${messageOf(error)}`, remedy);
  }
}

function* examineHost({ adapter, status: { hostVersion } }: ExaminedHost): Generator<Finding> {
  const { good, note } = findingsOf('hosts');
  const { title } = adapter;
  if (hostVersion === null) {
    yield note('host-missing', `${title}: no program of it answers here. What it left behind is read all the same.`);
    return;
  }
  yield good('host-found', `${title} ${hostVersion}`);
  for (const { isTold, text } of adapter.factsOf?.(hostVersion) ?? [])
    yield isTold ? good('host-tells', text) : note('host-silent', text, `Update ${title}.`);
}

async function* examineUnsupported({ unsupported }: SourceAdapter): AsyncGenerator<Finding> {
  for (const { title, folder } of (await unsupported?.(thisMachine())) ?? []) {
    const text = `${title} keeps its data in ${folder}. troupe does not support it yet: its sessions are not shown, and its tool calls are not guarded.`;
    yield findingsOf('hosts').warning(
      'host-unsupported',
      text,
      'Use a supported agent where you need to see or guard it.',
    );
  }
}

async function* examineFolders(places: readonly DataFolder[]): AsyncGenerator<Finding> {
  const { good, note, problem } = findingsOf('folders');
  for (const place of places) {
    const { root, adapter } = place;
    if (!isAddress(root) && !(await isFolder(root))) {
      yield note('folder-missing', `${root} (${adapter.title}) is not there yet. troupe looks at it as soon as it is.`);
      continue;
    }
    try {
      const { sessions, ignoredFiles, problems } = await findSessions([place]);
      yield good('folder-read', `${root} (${adapter.title}): ${plural(sessions.length, 'session')}`);
      for (const text of problems)
        yield problem('folder-part-unreadable', text, 'Everything else there is shown. See the README of the host.');
      if (ignoredFiles.size > 0)
        yield note('folder-ignored', `Of no use to troupe there: ${plural(ignoredFiles.size, 'file')}`);
    } catch (error) {
      yield problem('folder-unreadable', `${root} cannot be read: ${messageOf(error)}`, 'Make it readable for you.');
    }
  }
}

async function* examineServer(state: string): AsyncGenerator<Finding> {
  const { good, note, warning, problem } = findingsOf('server');
  const found = await readDaemonState(state);
  if (found.state === 'none') {
    yield note('server-none', 'No server runs. Hook events are queued until one starts.', 'troupe server start');
    return;
  }
  const { daemon } = found;
  const restart = 'troupe server stop, then troupe server start';
  const where = `process ${daemon.pid}, port ${daemon.port}`;
  if (found.state !== 'running') {
    yield problem('server-silent', `A server is there, but does not answer (${where}).`, restart);
    return;
  }
  yield good('server-runs', `A server of troupe ${daemon.version} runs (${where})`);
  if (daemon.version !== packageVersion)
    yield warning('server-old', `It is of troupe ${daemon.version}; this is ${packageVersion}.`, restart);
}

/** Who may allow calls that need a proof. */
async function* examineApprovals(): AsyncGenerator<Finding> {
  const { note, problem } = findingsOf('server');
  const { state, setAt, alarm, browsers } = await createServerControl().passphrase.status();
  if (alarm !== null) yield problem('approvals-alarm', alarm, ALARM_REMEDY);
  if (state === 'set')
    yield note(
      'approvals-set',
      `The passphrase for approvals was set at ${setAt}; ${plural(browsers.length, 'paired browser')}.`,
      'If that was not you: docs/explanation/guard-model.md',
    );
}

const MAX_NAMED = 5;

async function* examineAudit(log: GuardLog): AsyncGenerator<Finding> {
  const { good, note, problem } = findingsOf('audit');
  try {
    const { entries, files, problems } = await log.verify();
    if (entries === 0 && problems.length === 0) yield note('audit-empty', 'No tool call was heard of so far.');
    else if (problems.length === 0)
      yield good('audit-whole', `${plural(entries, 'tool call')} in ${plural(files, 'file')}, the chain is whole`);
    for (const { file, line, what } of problems.slice(0, MAX_NAMED))
      yield problem('audit-broken', `${file}:${line}: ${what}`, 'troupe guard log --verify has all of it.');
    if (problems.length > MAX_NAMED) yield problem('audit-broken', `${problems.length - MAX_NAMED} more such places`);
  } catch (error) {
    yield problem(
      'audit-unwritable',
      `The audit cannot be kept: ${messageOf(error)}`,
      'Make room, or give troupe back its rights.',
    );
  }
}

const WEEK_MS = 7 * 86_400_000;
const MOST_READ = 20_000;

/** Calls of the last week of which it was not certain who made them. */
export async function* examineCallers(log: Pick<GuardLog, 'read'>, now: number): AsyncGenerator<Finding> {
  const { warning } = findingsOf('audit');
  const { entries } = await log.read({ since: now - WEEK_MS }, MOST_READ);
  const real = entries.filter(({ session }) => !session?.startsWith(TRIAL_SESSION));
  const doubted = real.filter(({ doubts }) => doubts !== undefined);
  const last = doubted.at(-1);
  if (last)
    yield warning(
      'callers-disputed',
      `In the last 7 days: ${doubtedText(doubted.length)} Last, entry ${last.n}: ${last.doubts?.join('; ')}.`,
      `troupe guard explain ${last.n} says more. An agent may have changed files of its host.`,
    );
  const gaps = real.filter(({ gap }) => gap !== undefined);
  const newest = gaps.at(-1);
  if (newest)
    yield warning(
      'callers-unknown',
      `In the last 7 days: ${gapsText(gaps.length)} Last, entry ${newest.n}: ${newest.gap}.`,
      'troupe guard log shows them. Newer versions of a host say more (docs/GUARD.md, Who calls).',
    );
}

/** Reports nothing if no bot is set up. */
async function* examineTelegram(): AsyncGenerator<Finding> {
  const { good, note, warning, problem } = findingsOf('telegram');
  const health = await (await import('../../notify/index.ts')).checkTelegram();
  if (!health) return;
  const { reached, name, chats, running } = health;
  if (reached === 'network')
    yield problem(
      'telegram-unreachable',
      'Telegram cannot be reached from here.',
      'Look at the network, or at telegram.apiRoot in config.json.',
    );
  if (reached === 'revoked')
    yield problem(
      'telegram-revoked',
      'Telegram does not know the token of the bot any more.',
      'Ask @BotFather for a new one, then: troupe telegram setup',
    );
  if (reached === 'refused') yield problem('telegram-refused', 'Telegram refuses the bot.', 'troupe telegram setup');
  if (reached === 'ok') yield good('telegram-bot', `The bot is @${name ?? '?'}; it tells ${plural(chats, 'chat')}`);
  if (chats === 0) yield warning('telegram-no-chat', 'No chat is named that may be told.', 'troupe telegram setup');
  if (!running) {
    yield note('telegram-idle', 'The bot does not run.', 'troupe telegram');
    return;
  }
  if (running.state === 'conflict')
    yield problem(
      'telegram-conflict',
      'Another program asks for the updates of this bot: commands and buttons may go there.',
      'Stop it, or use a bot of its own.',
    );
  else if (running.state !== 'ok' && running.state !== reached) yield warning('telegram-trouble', running.text);
  if (running.strangers > 0)
    yield note('telegram-strangers', `Strangers wrote to the bot and got no answer (messages: ${running.strangers}).`);
}
