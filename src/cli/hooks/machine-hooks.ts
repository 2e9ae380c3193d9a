// Hooks on this machine: installs them here, and finds evidence in its sessions and audit log that hosts run them.

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { createGuardLog, listLogFiles, readHead, readLog } from '../../audit/index.ts';
import { type AuditEntry, nativeId, type SessionLedger } from '../../core/index.ts';
import { FAILURE_REASON, type FailureAnswers, isOwnStub, writeHookStubs } from '../../hook/index.ts';
import { type SourceAdapter, TRIAL_SESSION } from '../../hosts/index.ts';
import { loadHosts } from '../../hosts/registry.ts';
import { systemClock } from '../../lib/clock.ts';
import { hookFile, packageVersion } from '../../lib/package.ts';
import { configFolder, stateFolder } from '../../lib/state-folder.ts';
import { messageOf } from '../../lib/user-error.ts';
import {
  claim,
  type DataFolder,
  type FoundSession,
  findSessions,
  listDataFolders,
  readSession,
  thisMachine,
} from '../../sessions/index.ts';
import { createHooksControl, type HooksControl } from './hooks-control.ts';
import type { Evidence, EvidenceQuestion, FindEvidence, HeardCall, UnheardSession } from './loaded-state.ts';

export async function createHooks(): Promise<HooksControl> {
  const adapters = await loadHosts();
  const machine = thisMachine();
  const state = stateFolder(machine);
  const config = configFolder(machine.env, machine.home);
  const stubOptions = {
    ...{ node: process.execPath, hookFile, configFolder: config },
    answers: failureAnswers(adapters),
  };
  return createHooksControl({
    adapters,
    machine,
    folder: process.cwd(),
    state,
    version: packageVersion,
    policy: path.join(config, 'policy.yaml'),
    findEvidence: createFindEvidence(state, listDataFolders(adapters, machine, {})),
    clock: systemClock,
    stubs: {
      observe: path.join(state, 'bin', 'observe'),
      guard: path.join(state, 'bin', 'guard'),
      statusLine: path.join(state, 'bin', 'statusline'),
    },
    writeStubs: () => writeHookStubs(state, stubOptions),
    isOwnStub: (text) => isOwnStub(state, text, stubOptions),
    async longestWaitMs() {
      const where = { home: machine.home, configFolder: config, stateFolder: state, folder: process.cwd() };
      const { policy } = await (await import('../../guard/index.ts')).loadPolicy(where);
      return Math.max(0, ...policy.rules.map(({ wait }) => wait?.ms ?? 0));
    },
  });
}

function failureAnswers(adapters: readonly SourceAdapter[]): Readonly<Record<string, FailureAnswers>> {
  return Object.fromEntries(
    adapters.flatMap(({ host, hooks }) => {
      if (!hooks) return [];
      const say = (decision: 'ask' | 'deny'): string => hooks.formatAnswer({ decision, reason: FAILURE_REASON });
      return [[host, { ask: say('ask'), deny: say('deny') }]];
    }),
  );
}

/** Sessions that are read, newest first: the newest one with tool calls decides. */
const MOST_SESSIONS = 4;

/** Compares the newest sessions of a host with the calls that its hooks reported. */
function createFindEvidence(folder: string, places: readonly DataFolder[]): FindEvidence {
  return async (question) => {
    try {
      // Before the audit log: a hook is called before its call is in the transcript.
      const sessions = await readNewest(places, question);
      await createGuardLog({ roots: [] }).drain();
      const keptSince = await auditKeptSince(folder);
      return compare(sessions, await readAudit(folder, question, sessions), question, keptSince);
    } catch (error) {
      return { heard: [], unheard: undefined, problem: messageOf(error) };
    }
  };
}

interface ReadSession {
  readonly id: string;
  readonly ledger: SessionLedger;
  /** Epoch milliseconds; undefined: not known. */
  readonly begunAt: number | undefined;
  /** Names of its tools as rules use them. */
  toolOf(name: string): string;
}

async function readNewest(places: readonly DataFolder[], question: EvidenceQuestion): Promise<readonly ReadSession[]> {
  const { sessions } = await findSessions(places.filter(({ adapter }) => adapter.host === question.host));
  const read: ReadSession[] = [];
  for (const found of sessions) {
    if (read.length >= MOST_SESSIONS || found.located.modifiedAt < question.since) break;
    const ours = await claim(found, new Set());
    if (ours) read.push(await readOne(ours));
  }
  return read;
}

async function readOne({ adapter, located }: FoundSession): Promise<ReadSession> {
  const ledger = await readSession(adapter, located);
  const times = [
    ...[...ledger.agents.values()].flatMap(({ startedAt }) => startedAt ?? []),
    ...[...ledger.calls.values()].flatMap(({ started }) => started?.at ?? []),
  ].filter((at) => at > 0);
  return {
    id: nativeId(located.id),
    ledger,
    begunAt: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
    toolOf: (name) => adapter.hooks?.toCall?.(name, {}).tool ?? name,
  };
}

/** A call may be recorded under the day on which it was taken over. */
const LATER_MS = 3_600_000;

async function readAudit(folder: string, question: EvidenceQuestion, sessions: readonly ReadSession[]) {
  const { host, since, isBeforeCalls } = question;
  const oldest = sessions.reduce((at, { begunAt }) => Math.min(at, begunAt ?? at), Date.now()) - LATER_MS;
  /** Calls of the host's own hook, newest first. */
  const hooked: AuditEntry[] = [];
  /** Sessions whose calls `troupe run --intercept` reported. */
  const intercepted = new Set<string>();
  for await (const entry of readLog(folder, { since })) {
    if (hooked.length > 0 && Date.parse(entry.at) < oldest) break;
    if (entry.host !== host || entry.session?.startsWith(TRIAL_SESSION)) continue;
    if (entry.via === 'intercept') intercepted.add(entry.session ?? '');
    else if (isBeforeCalls(entry.event)) hooked.push(entry);
  }
  return { hooked, intercepted };
}

/** From this time on the audit log has every call; older days may have been removed (`audit.keepDays`). */
async function auditKeptSince(folder: string): Promise<number> {
  const head = await readHead(folder);
  if (head === undefined || head === 'broken' || !head.pruned) return 0;
  const [first] = await listLogFiles(folder);
  return first ? Date.parse(first.day) : Number.POSITIVE_INFINITY;
}

async function compare(
  sessions: readonly ReadSession[],
  { hooked, intercepted }: Awaited<ReturnType<typeof readAudit>>,
  question: EvidenceQuestion,
  keptSince: number,
): Promise<Evidence> {
  const since = Math.max(question.since, keptSince);
  const own = question.folder === undefined ? undefined : await realOf(question.folder);
  const isHere = async (folder: string | undefined | null): Promise<boolean> =>
    own === undefined || (typeof folder === 'string' && isWithin(own, await realOf(folder)));
  // An observer's record does not show that the guard was asked.
  const counting = hooked.filter(({ decision }) => question.role === 'observe' || decision !== 'observed');
  const heard: HeardCall[] = [];
  for (const { at, session, cwd } of counting) {
    if (heard.some((call) => call.session === session) || !(await isHere(cwd))) continue;
    const read = sessions.find(({ id }) => id === session);
    heard.push({ at: Date.parse(at), session, hostVersion: versionOf(read?.ledger) });
  }
  let unheard: UnheardSession | undefined;
  for (const session of sessions) {
    const { ledger, begunAt } = session;
    // Hosts read their hooks when a session begins.
    if (begunAt === undefined || begunAt < since || intercepted.has(session.id)) continue;
    if (!(await isHere(ledger.cwd?.value))) continue;
    const calls = callsThatHooksHear(session, hooked);
    if (calls.length === 0) continue;
    unheard = toUnheard(session, calls, counting, question);
    break;
  }
  return { heard: heard.toSorted((a, b) => b.at - a.at), unheard };
}

const COMMAND = 'Bash';

/**
 * Not every host has hooks for all its tools: commands, and whatever its hooks reported before. Calls that failed may have been refused
 * before any hook, so they prove nothing.
 */
function callsThatHooksHear({ ledger, toolOf }: ReadSession, hooked: readonly AuditEntry[]) {
  const tools = new Set([COMMAND, ...hooked.flatMap(({ tool }) => tool ?? [])]);
  return [...ledger.calls.values()].flatMap(({ id, started, ended }) => {
    const tool = started && toolOf(started.value.tool);
    if (!started || ended?.value.outcome !== 'ok' || tool === undefined || !tools.has(tool)) return [];
    const at = Math.max(started.at, ended.at);
    return [{ heardAs: started.value.heardAs ?? id, at, isCommand: tool === COMMAND }];
  });
}

function toUnheard(
  { id, ledger }: ReadSession,
  calls: ReturnType<typeof callsThatHooksHear>,
  counting: readonly AuditEntry[],
  { role }: EvidenceQuestion,
): UnheardSession | undefined {
  const own = counting.filter(({ session, call }) => session === id || calls.some(({ heardAs }) => heardAs === call));
  const names = new Set(own.flatMap(({ call }) => call ?? []));
  // Hooks without ids of calls prove that they run, not for which calls. Observers in the background may be lost at the end.
  const isPartKnown = role === 'guard' && own.every(({ call }) => call !== null);
  if (own.length > 0 && !isPartKnown) return undefined;
  const judged = own.length > 0 ? calls.filter(({ isCommand }) => isCommand) : calls;
  const missed = judged.filter(({ heardAs }) => !names.has(heardAs));
  if (missed.length === 0) return undefined;
  return {
    session: id,
    at: missed.reduce((latest, { at }) => Math.max(latest, at), 0),
    hostVersion: versionOf(ledger),
    folder: ledger.cwd?.value,
    missed: missed.length,
    ran: judged.length,
  };
}

function versionOf(ledger: SessionLedger | undefined): string | undefined {
  return ledger?.hostVersion?.value.match(/\d+\.\d+\.\d+/)?.[0];
}

function realOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}

function isWithin(folder: string, place: string): boolean {
  const below = path.relative(folder, place);
  return below === '' || (!below.startsWith('..') && !path.isAbsolute(below));
}
