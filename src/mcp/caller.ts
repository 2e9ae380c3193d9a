// Who calls: the coding agent that started this process. Known by the processes above it, and by what hosts and the system say of them.
// What the environment and the folder of this process say proves nothing: a command can set both.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import {
  type AgentNode,
  type AttachControl,
  type AuditFilter,
  type AuditPage,
  isAtWork,
  nativeId,
  type SessionId,
  type Sessions,
  type SessionTree,
  selectMain,
  type Transcripts,
} from '../core/index.ts';
import { type BudgetControl, type McpPolicy, projectRoot } from '../guard/index.ts';
import type { SearchControl } from '../history/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { getOrAdd } from '../lib/group.ts';
import { environmentOf, folderOf, linuxAncestry, listAncestry, startTimeOf } from '../lib/processes.ts';
import { orElse, UserError } from '../lib/user-error.ts';
import type { Redactor } from '../redact/index.ts';
import { dataFoldersFor, type FoundSession, findSessions, thisMachine } from '../sessions/index.ts';

export interface Caller {
  /** As people write it. */
  readonly host: string;
  /** The only one that its process works on; undefined if there are several. */
  readonly session: SessionId | undefined;
  /** Folder of its project. */
  readonly project: string;
}

/** `whyNot`: a sentence. */
export type FoundCaller = Caller | { readonly whyNot: string };

export function isKnown(caller: FoundCaller): caller is Caller {
  return !('whyNot' in caller);
}

interface HostProcess {
  readonly adapter: SourceAdapter;
  readonly pid: number;
  /** Number of processes between this one and ours. */
  readonly distance: number;
}

/** All hosts above have to work in one project: an agent could start another host, or a program of that name, in the project of others. */
export async function findCaller(sessions: Sessions): Promise<FoundCaller> {
  const places = dataFoldersFor({ roots: [] });
  const hosts = await hostsAbove(places.map(({ adapter }) => adapter));
  if (hosts.length === 0) return { whyNot: 'No coding agent that troupe knows started this server.' };
  const { sessions: found } = await findSessions(places);
  const callers: Caller[] = [];
  for (const [index, host] of hosts.entries()) {
    const own = found.filter(({ adapter }) => adapter.host === host.adapter.host);
    const recorded = own.filter(({ located }) => worksOn(located.facts, host.pid));
    if (recorded.length === 0 && isLauncher(hosts, index, own)) continue;
    const caller = await callerIn(host, recorded.length > 0 ? recorded : unrecorded(host, own), sessions);
    if (!isKnown(caller)) return caller;
    callers.push(caller);
  }
  const [nearest] = callers;
  if (!nearest)
    return { whyNot: 'The coding agent that started this server works on no session that troupe can read.' };
  if (callers.some(({ project }) => project !== nearest.project))
    return { whyNot: 'An agent of another project started the coding agent that started this server.' };
  return nearest;
}

/** The nearest first. */
async function hostsAbove(adapters: readonly SourceAdapter[]): Promise<readonly HostProcess[]> {
  const ancestry = await listAncestry(process.pid);
  return ancestry.slice(1).flatMap(({ pid, names }, distance) => {
    const adapter = adapters.find((one) => one.process.names.some((name) => names.has(name)));
    return adapter ? [{ adapter, pid, distance }] : [];
  });
}

function worksOn(facts: FoundSession['located']['facts'], pid: number): boolean {
  return facts.some((fact) => fact.kind === 'process-seen' && fact.pid === pid && fact.alive && !fact.movedTo);
}

/** npm starts the program by a script of the same name, which works on no session. */
function isLauncher(hosts: readonly HostProcess[], index: number, own: readonly FoundSession[]): boolean {
  const { adapter, distance } = hosts[index] as HostProcess;
  return [hosts[index - 1], hosts[index + 1]].some(
    (other) =>
      other !== undefined &&
      other.adapter.host === adapter.host &&
      Math.abs(other.distance - distance) === 1 &&
      own.some(({ located }) => worksOn(located.facts, other.pid)),
  );
}

/** Of hosts that keep no record of their processes: what was written to since the process began, and no other process works on. It has to be at work. */
function unrecorded({ pid }: HostProcess, own: readonly FoundSession[]): readonly FoundSession[] {
  const [seen] = linuxAncestry(pid);
  const start = seen && startTimeOf(seen);
  if (start === undefined) return [];
  return own.filter(
    ({ located: { facts, modifiedAt } }) =>
      modifiedAt >= start && !facts.some((fact) => fact.kind === 'process-seen' && fact.alive),
  );
}

/** A process works on few sessions; a shared server on those of the last minutes. */
const MAX_SESSIONS = 50;

async function callerIn(
  { adapter: { title }, pid }: HostProcess,
  candidates: readonly FoundSession[],
  sessions: Sessions,
): Promise<FoundCaller> {
  const folder = folderOf(pid);
  const isRecorded = candidates.some(({ located }) => worksOn(located.facts, pid));
  const said = new Map<SessionId, string>();
  for (const { located } of candidates.slice(0, MAX_SESSIONS)) {
    const opened = await sessions.openTree(nativeId(located.id)).catch(() => undefined);
    if (opened?.tree.id !== located.id || opened.tree.cwd === undefined) continue;
    if (isRecorded || isAtWork(selectMain(opened.tree)?.status ?? 'unknown')) said.set(located.id, opened.tree.cwd);
  }
  // A server works in many projects, and a host without records may have sessions of others open: only those of its own folder count.
  const isShared = !isRecorded || said.size > 1;
  const own = [...said].filter(([, cwd]) => folder !== undefined && isWithin(folder, cwd));
  const chosen = isShared || folder !== undefined ? own : [...said];
  const projects = new Set(chosen.map(([, cwd]) => projectOf(cwd)));
  const [project] = projects;
  const name = `${title} (process ${pid})`;
  if (said.size > 0 && chosen.length === 0 && folder !== undefined)
    return { whyNot: `The session of ${name} is of another folder than the one in which it works.` };
  if (project === undefined) return { whyNot: `${name} works on no session that troupe can read.` };
  if (projects.size > 1) return { whyNot: `${name} works on sessions of several projects.` };
  const [[session], ...others] = chosen as [[SessionId, string], ...(readonly [SessionId, string])[]];
  return { host: title, session: others.length === 0 && isRecorded ? session : undefined, project };
}

/** A process in the session's folder, in its project, or below its folder. */
function isWithin(folder: string, cwd: string): boolean {
  const below = path.relative(realFolder(cwd), realFolder(folder));
  return (
    projectOf(folder) === projectOf(cwd) ||
    (!path.isAbsolute(below) && below !== '..' && !below.startsWith(`..${path.sep}`))
  );
}

/** The nearest folder above with `.git` or `.troupe`, as for policies; the home folder, and those above it, do not count. */
export function projectOf(folder: string): string {
  const real = realFolder(folder);
  const root = projectRoot(real);
  const home = realFolder(thisMachine().home);
  const isAroundHome =
    root !== undefined && (home === root || home.startsWith(root.endsWith(path.sep) ? root : root + path.sep));
  return root === undefined || isAroundHome ? real : root;
}

export function realFolder(folder: string): string {
  return orElse(() => realpathSync(folder), path.resolve(folder));
}

const FOLDER_VARIABLE = /^(?:HOME|XDG_\w+|TROUPE_\w+|\w+_(?:HOME|CONFIG_DIR|DATA_DIR))$/;

/**
 * Settings, state and data are looked for where the topmost host would: some hosts hand few variables on, and the command of an agent
 * could name a folder with a policy of its own. On Linux only.
 */
export async function adoptHostFolders(): Promise<void> {
  const adapters = dataFoldersFor({ roots: [] }).map(({ adapter }) => adapter);
  const top = (await hostsAbove(adapters)).at(-1);
  const environment = top && environmentOf(top.pid);
  if (!environment || environment.size === 0) return;
  for (const name of Object.keys(process.env)) if (FOLDER_VARIABLE.test(name)) delete process.env[name];
  for (const [name, value] of environment) if (FOLDER_VARIABLE.test(name)) process.env[name] = value;
}

// What the caller sees.

/** Made by main.ts. They read; only `agents` changes what agents do. */
export interface McpServices {
  readonly version: string;
  readonly clock: () => number;
  readonly hosts: readonly string[];
  readonly sessions: Sessions;
  readonly transcripts: Transcripts;
  readonly search: SearchControl['search'];
  readonly audit: (filter: AuditFilter, limit: number) => Promise<AuditPage>;
  /** Of the policy that holds in a folder. */
  readonly budgets: (folder: string) => ReturnType<BudgetControl['report']>;
  readonly policy: (folder: string) => Promise<McpPolicy>;
  readonly createRedactor: () => Promise<Redactor>;
  readonly agents: () => Promise<Pick<AttachControl, 'stop' | 'send'>>;
}

/** What the caller may see, and what to answer with. */
export interface Sight {
  /** Undefined: nobody knows, and everybody may see everything. */
  readonly caller: Caller | undefined;
  readonly seesEverything: boolean;
  readonly trees: readonly SessionTree[];
  /** Older sessions that were not looked at. */
  readonly older: number;
  readonly services: McpServices;
  readonly redactor: Redactor;
}

/** Of more sessions than these, only the newest are looked at. */
const MAX_LISTED = 2_000;

/** Anew for each question: sessions begin and end, a process moves to another one, the policy is edited. */
export async function look(services: McpServices, redactor: Redactor): Promise<Sight> {
  const found = await findCaller(services.sessions);
  const caller = isKnown(found) ? found : undefined;
  const { sees } = await services.policy(caller?.project ?? process.cwd());
  if (sees === 'nothing') throw new UserError('sees-nothing', 'The policy lets nobody see anything here.', POLICY);
  const seesEverything = sees === 'everything';
  if (!isKnown(found) && !seesEverything)
    throw new UserError('unknown-caller', `${found.whyNot} So it shows nothing.`, POLICY);
  const { trees, more } = await services.sessions.list({ limit: MAX_LISTED });
  const visible = seesEverything || !caller ? trees : withinProject(trees, caller.project);
  return { caller, seesEverything, trees: visible, older: more, services, redactor };
}

/** Also without the sessions that a command started in another project: they stand in the tree of the one that started them. */
function withinProject(trees: readonly SessionTree[], project: string): readonly SessionTree[] {
  const projects = new Map<string, string>();
  const isOwn = (cwd: string | undefined): boolean =>
    cwd !== undefined && getOrAdd(projects, cwd, () => projectOf(cwd)) === project;
  return trees
    .filter(({ cwd }) => isOwn(cwd))
    .map((tree) => {
      const agents = tree.agents.filter(({ session, cwd }) => session === undefined || isOwn(cwd));
      return agents.length === tree.agents.length ? tree : { ...tree, agents };
    });
}

export const POLICY = 'The person can change that in policy.yaml (mcp: sees).';

/** By the beginning of its id; the caller's own without one. */
export function sessionIn({ trees, caller }: Sight, wanted: string | undefined): SessionTree {
  const isWanted = ({ id }: SessionTree): boolean =>
    wanted === undefined ? id === caller?.session : nativeId(id).startsWith(wanted);
  const found = trees.filter(isWanted);
  const exact = found.find(({ id }) => nativeId(id) === wanted) ?? (found.length === 1 ? found[0] : undefined);
  if (exact) return exact;
  if (wanted === undefined)
    throw new UserError(
      'no-own-session',
      'Which session is yours is not known.',
      'Name one: list_sessions has the ids.',
    );
  if (found.length > 1) throw new UserError('ambiguous', `${found.length} sessions begin so.`, 'Give more of the id.');
  throw new UserError('session-not-found', 'There is no such session among those that you may see.', SEE_SESSIONS);
}

const SEE_SESSIONS = 'list_sessions has the ids.';

export interface FoundAgent {
  readonly id: string;
  readonly session: string;
  readonly node: AgentNode;
  readonly tree: SessionTree;
}

export function agentsIn(trees: readonly SessionTree[]): readonly FoundAgent[] {
  return trees.flatMap((tree) =>
    tree.agents.map((node) => ({ id: nativeId(node.id), session: nativeId(node.session ?? tree.id), node, tree })),
  );
}

/** By its id, the beginning of it, its name or what it was asked to do; of sessions that the caller may see. */
export function agentIn(sight: Sight, wanted: string, session: string | undefined): FoundAgent {
  const trees = session === undefined ? sight.trees : [sessionIn(sight, session)];
  const all = agentsIn(trees);
  const ways = [
    ({ id }: FoundAgent) => id === wanted,
    ({ node }: FoundAgent) => node.name === wanted || node.description === wanted,
    ({ id }: FoundAgent) => id.startsWith(wanted),
  ];
  for (const way of ways) {
    const [one, ...others] = all.filter(way);
    if (one && others.every(({ id }) => id === one.id)) return one;
    if (one)
      throw new UserError(
        'ambiguous',
        `${others.length + 1} agents are called so.`,
        'Give the id: list_agents has it.',
      );
  }
  throw new UserError(
    'agent-not-found',
    'There is no such agent among those that you may see.',
    'list_agents has the ids.',
  );
}

/** Messages that are read at a time: a transcript may be larger than memory. */
const PAGE = 500;

/** The messages of an agent, with the number of the first; nothing of one that cannot be read. */
export async function* pagesOf({ transcripts }: McpServices, { id, session }: FoundAgent, from = 0) {
  for (let at = from; ; at += PAGE) {
    const read = await transcripts.read(id, session, { from: at, limit: PAGE }).catch(() => undefined);
    if (!read) return;
    yield { at, messages: read.transcript.messages };
    if (at + PAGE >= read.total) return;
  }
}

/** By redactor: how far each agent was searched, and when it was last active then. */
const searched = new WeakMap<Redactor, Map<string, { readonly count: number; readonly at: number | undefined }>>();
/** Results are added to messages that were searched before. */
const OVERLAP = 50;
const SEARCH_MS = 5_000;

/**
 * A secret that is named in one message may stand in another one without its name: all messages of the session are searched, those of the
 * agent first. False if there was no time for all.
 */
export async function searchSecrets({ services, redactor }: Sight, wanted: FoundAgent): Promise<boolean> {
  const known = getOrAdd(searched, redactor, () => new Map());
  const until = performance.now() + SEARCH_MS;
  for (const agent of [wanted, ...agentsIn([wanted.tree])]) {
    const key = `${agent.session} ${agent.id}`;
    const { lastActivityAt: at } = agent.node;
    const before = known.get(key);
    if (before && before.at === at && agent !== wanted) continue;
    let count = Math.max(0, (before?.count ?? 0) - OVERLAP);
    for await (const { messages } of pagesOf(services, agent, count)) {
      redactor.scan(messages);
      count += messages.length;
      known.set(key, { count, at: undefined });
      if (performance.now() > until) return false;
    }
    known.set(key, { count, at });
  }
  return true;
}
