// Who calls, by more than the host's own word: which process called the hook, which agent started that process, and what was seen of the
// same agent before. Whatever is found here makes the judgement stricter, never looser: files and environments can be changed by agents.
//
// STATE/callers/PID-START/NAME.json: one agent of one process of a host, as it was first seen, and its newest commands.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { formatStartedBy, toAgentId, type toSessionId } from '../core/index.ts';
import {
  type CallerChain,
  type CallerReading,
  type CallingAgent,
  type HookEvent,
  PROCESS_MARKS,
  type ProcessMark,
} from '../hosts/index.ts';
import { digestText } from '../lib/digest.ts';
import { wordSet } from '../lib/group.ts';
import { asAmount, asObject, asText, isObject, known, parseObject } from '../lib/json.ts';
import { environmentOf, folderOf, isRunning, type LinuxProcess, linuxAncestry, startTimeOf } from '../lib/processes.ts';
import { createFileSync, readTextSync } from '../lib/regular-file.ts';
import { agentsTold } from './identity.ts';
import { labelOf } from './policy.ts';

/** Agents of other sessions, of any host, that started this one, the topmost first. */
export interface AgentsAbove {
  readonly agents: readonly CallingAgent[];
  /** There are more, or others, and nobody knows which. */
  readonly isPartial: boolean;
  /** The projects of their sessions: the policies of all of them hold. */
  readonly projects: readonly string[];
  /** `HOST:SESSION:AGENT`, where exactly one may have started it (core/join-trees.ts). */
  readonly startedBy?: string;
  /** How that is known, for people. */
  readonly words?: string;
}

export const NOBODY_ABOVE: AgentsAbove = { agents: [], isPartial: false, projects: [] };

export interface SettledCaller {
  readonly caller: CallerChain;
  readonly above: AgentsAbove;
  /** Folders whose policies hold as well, beside that of the caller's project. */
  readonly alsoIn: readonly string[];
}

interface CallerSources {
  readonly event: HookEvent | undefined;
  /** By the payload and the host's files. */
  readonly caller: CallerChain;
  /** Which process called the hook, or a shell that it started for that. */
  readonly process: number | undefined;
  /** `TROUPE_AGENT` of the host. */
  readonly told: string | undefined;
}

/** Of a process that stays: what it has seen itself outweighs the files. */
export type CallerMemory = Map<string, Seen>;

export class CallerRecords {
  readonly #folder: string;
  readonly #memory: CallerMemory | undefined;
  /** Of the last that was settled: to be looked at once only. */
  #last: { readonly process: number; readonly ancestry: readonly LinuxProcess[] } | undefined;

  constructor(stateFolder: string, memory?: CallerMemory) {
    this.#folder = path.join(stateFolder, 'callers');
    this.#memory = memory;
  }

  /** Never throws: what cannot be looked up is not known. */
  settle({ event, caller, process, told }: CallerSources): SettledCaller {
    const ancestry = process === undefined ? [] : linuxAncestry(process);
    if (process !== undefined) this.#last = { process, ancestry };
    const own = ancestry[ownIndex(ancestry)];
    const seen = event && own ? this.#read(own, event, caller) : undefined;
    const byEnvironment = agentsTold(told);
    const found = event && own ? this.#findAbove(event.host, ancestry, seen?.above) : NOBODY_ABOVE;
    const above = { ...found, agents: withoutTwins([...byEnvironment, ...found.agents]) };
    const hostFolder = own && folderOf(own.pid);
    const settled = seen ? withSeen(caller, seen) : caller;
    const alsoIn = [event?.cwd, hostFolder, seen?.project, ...above.projects];
    return { caller: settled, above, alsoIn: [...new Set(alsoIn.filter((folder) => folder !== undefined))] };
  }

  /**
   * After the decision: the agent as it was first seen, and the command, if it may run. What it gives writes that down, which takes longer
   * than all the rest: to be called when the host has its answer.
   */
  remember(sources: CallerSources, { above }: SettledCaller, mayRun: boolean, at: number): () => void {
    const { event, caller, process } = sources;
    const ancestry =
      process === undefined ? [] : this.#last?.process === process ? this.#last.ancestry : linuxAncestry(process);
    const own = ancestry[ownIndex(ancestry)];
    if (!event?.call || !own) return () => undefined;
    const before = this.#read(own, event, caller);
    const text = mayRun && mayRunPrograms(event.call.tool) ? textOf(event.call.input) : undefined;
    if (before && text === undefined) return () => undefined;
    const ran = text === undefined ? [] : [{ at, text: text.slice(0, MAX_TEXT) }];
    const { agent, ancestors, reason, project } = caller;
    const first: Seen = before ?? {
      ...{ host: event.host, session: event.session, agent, ancestors, commands: [] },
      ...known({ reason, project }),
      ...(above.agents.length > 0 && { above }),
    };
    const now = { ...first, commands: [...first.commands, ...ran].slice(-MAX_COMMANDS) };
    const file = this.#fileOf(own, event, caller);
    this.#memory?.set(file, now);
    if (this.#memory && this.#memory.size > MAX_REMEMBERED) this.#memory.clear();
    // Two calls of one agent may be under way: the later one has both.
    return () => this.#write(file, this.#memory?.get(file) ?? now);
  }

  #fileOf({ pid, start }: LinuxProcess, { session }: HookEvent, { agent }: CallerChain): string {
    return path.join(this.#folder, `${pid}-${start}`, `${digestText(`${session} ${agent?.id ?? ''}`)}.json`);
  }

  #read(own: LinuxProcess, event: HookEvent, caller: CallerChain): Seen | undefined {
    const file = this.#fileOf(own, event, caller);
    return this.#memory?.get(file) ?? readSeen(file);
  }

  #write(file: string, seen: Seen): void {
    const draft = `${file}.${process.pid}`;
    const write = (): void => {
      createFileSync(draft, JSON.stringify(seen));
      renameSync(draft, file);
    };
    try {
      write();
    } catch {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      rmSync(draft, { force: true });
      write();
      this.#prune();
    }
  }

  /** Of processes that ended a day ago: until then, one that they started may still run. */
  #prune(): void {
    for (const name of namesIn(this.#folder)) {
      const folder = path.join(this.#folder, name);
      const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
      if (Date.now() - changed > DAY_MS && !isRunning(Number(name.split('-')[0])))
        rmSync(folder, { recursive: true, force: true });
    }
  }

  /** All that was seen of the agents of one process. */
  #ofProcess(name: string): readonly Seen[] {
    const folder = path.join(this.#folder, name);
    return namesIn(folder).flatMap((file) => {
      const place = path.join(folder, file);
      return (file.endsWith('.json') && (this.#memory?.get(place) ?? readSeen(place))) || [];
    });
  }

  #findAbove(host: string, ancestry: readonly LinuxProcess[], before: AgentsAbove | undefined): AgentsAbove {
    const at = ownIndex(ancestry);
    const starters = startersIn(host, ancestry, at, ({ pid, start }) => namesIn(this.#pathOf(pid, start)).length > 0);
    if (starters.length > 0) {
      const found = starters.map(({ process, child, inner, mark }) =>
        findStarter(
          this.#ofProcess(`${process.pid}-${process.start}`),
          child,
          inner,
          `${mark} (process ${process.pid})`,
        ),
      );
      return join([...found, ...(before ? [before] : [])]);
    }
    if (before) return before;
    const own = ancestry[at];
    return own ? this.#findByEnvironment(own) : NOBODY_ABOVE;
  }

  /** A process that was cut off from the one that started it (`nohup … &`) still has its variables. They prove nothing: they add. */
  #findByEnvironment(own: LinuxProcess): AgentsAbove {
    const environment = environmentOf(own.pid);
    const found = Object.entries(MARKS).find(([, { variable }]) => environment.has(variable));
    const variable = found?.[1].variable ?? (environment.has('AI_AGENT') ? 'AI_AGENT' : undefined);
    if (variable === undefined) return NOBODY_ABOVE;
    const [host = '', { process: ofProcess = '', session: ofSession = '' } = {}] = found ?? [];
    const [pid, session] = [environment.get(ofProcess), environment.get(ofSession)];
    const seen = namesIn(this.#folder)
      .filter((name) => pid === undefined || name.startsWith(`${pid}-`))
      .flatMap((name) => this.#ofProcess(name))
      .filter(
        (one) => one.host === host && (session === undefined || pid !== undefined || one.session.endsWith(session)),
      );
    const words = `${variable} is set for its process, as agents set it for their commands`;
    const starter = seen.length > 0 ? findStarter(seen, undefined, own, words) : NOBODY_ABOVE;
    return { ...starter, isPartial: true, words };
  }

  #pathOf(pid: number, start: string): string {
    return path.join(this.#folder, `${pid}-${start}`);
  }
}

/** What of it goes into the audit, beside the decision. */
export function auditFieldsOf({ caller, above }: SettledCaller) {
  return known({
    parent: above.startedBy,
    under:
      above.words === undefined ? undefined : [...unique(above.agents.map(labelOf)), ...(above.isPartial ? ['?'] : [])],
    doubts: caller.contradictions,
    gap: gapIn(caller, above),
  });
}

/** Why the agent, or one above it, is not known: every rule that may be about it was applied. */
function gapIn({ agent, reason }: CallerChain, { isPartial, words }: AgentsAbove): string | undefined {
  const why = [
    ...(reason === undefined || agent?.kind === 'main' ? [] : [reason]),
    ...(isPartial ? [`an agent that is not known started its session (${words})`] : []),
  ];
  return why.length === 0 ? undefined : why.join('; ');
}

/** What was seen of an agent when it first called. */
interface Seen extends CallerReading {
  readonly host: string;
  readonly session: string;
  readonly project?: string;
  readonly above?: AgentsAbove;
  readonly commands: readonly { readonly at: number; readonly text: string }[];
}

const MAX_COMMANDS = 8;
const MAX_TEXT = 4_000;
const MAX_REMEMBERED = 10_000;
const MAX_BYTES = 256 * 1024;
const DAY_MS = 86_400_000;

const MARKS: Readonly<Record<string, ProcessMark>> = PROCESS_MARKS;
const SHELLS = wordSet('sh bash dash zsh fish ksh ash');

function isShell({ names }: LinuxProcess): boolean {
  return [...names].some((name) => SHELLS.has(name));
}

/** Hosts run hooks through a shell, which may stay between. */
function ownIndex(ancestry: readonly LinuxProcess[]): number {
  const at = ancestry.findIndex((one) => !isShell(one));
  return at === -1 ? 0 : at;
}

function hostOfProcess({ names }: LinuxProcess): string | undefined {
  return Object.entries(MARKS).find(([, mark]) => mark.names.some((name) => names.has(name)))?.[0];
}

interface FoundStarter {
  readonly process: LinuxProcess;
  readonly mark: string;
  /** What it started, and the host's process that came of that. */
  readonly child: LinuxProcess | undefined;
  readonly inner: LinuxProcess;
}

/**
 * Processes of hosts above this one, the topmost first. The launcher of a program is none: it is the direct parent, of the same host,
 * has not called a hook, and does not set the variable that agents have for their commands.
 */
function startersIn(
  host: string,
  ancestry: readonly LinuxProcess[],
  at: number,
  hasCalled: (process: LinuxProcess) => boolean,
): readonly FoundStarter[] {
  const found: FoundStarter[] = [];
  let inner = ancestry[at];
  let innerHost = host;
  let isBeside = true;
  for (const [index, process] of ancestry.entries()) {
    if (index <= at || !inner) continue;
    const mark = hostOfProcess(process);
    const child = ancestry[index - 1];
    if (mark === undefined) isBeside = false;
    else if (isBeside && mark === innerHost && !hasCalled(process) && !setsVariable(mark, process, child))
      inner = process;
    else {
      found.unshift({ process, mark, child: child === inner ? undefined : child, inner });
      [inner, innerHost, isBeside] = [process, mark, true];
    }
  }
  return found;
}

function setsVariable(host: string, parent: LinuxProcess, child: LinuxProcess | undefined): boolean {
  const variable = MARKS[host]?.variable ?? '';
  return child !== undefined && environmentOf(child.pid).has(variable) && !environmentOf(parent.pid).has(variable);
}

/** Which of the agents of a process started another: by the command that it ran, else any of them. */
function findStarter(
  seen: readonly Seen[],
  child: LinuxProcess | undefined,
  inner: LinuxProcess,
  words: string,
): AgentsAbove {
  if (seen.length === 0) return { ...NOBODY_ABOVE, isPartial: true, words: `${words}, of which nothing is known` };
  const candidates = candidatesIn(seen, child, inner);
  const [only, ...others] = candidates;
  const startedBy = only && others.length === 0 ? startedByOf(only) : undefined;
  return {
    agents: withoutTwins(
      candidates.flatMap(({ above, ancestors, agent }) => [
        ...(above?.agents ?? []),
        ...ancestors,
        ...(agent ? [agent] : []),
      ]),
    ),
    isPartial: candidates.some(({ agent, reason, above }) => !agent || reason !== undefined || above?.isPartial),
    projects: candidates.flatMap(({ project, above }) => [...(project ? [project] : []), ...(above?.projects ?? [])]),
    words,
    ...known({ startedBy }),
  };
}

function startedByOf({ host, session, agent }: Seen): string | undefined {
  return agent ? formatStartedBy(session as ReturnType<typeof toSessionId>, toAgentId(host, agent.id)) : undefined;
}

/** A command may begin a moment before the clock says that it was allowed. */
const SLACK_MS = 50;

function candidatesIn(seen: readonly Seen[], child: LinuxProcess | undefined, inner: LinuxProcess): readonly Seen[] {
  const until = (startTimeOf(inner) ?? Number.POSITIVE_INFINITY) + SLACK_MS;
  const ran = seen
    .flatMap((by) => by.commands.map(({ at, text }) => ({ by, at, text: bare(text) })))
    .filter(({ at, text }) => at <= until && text !== '')
    .sort((a, b) => b.at - a.at);
  // The command stands in the words of the shell that the host started for it. Of several, the one that holds the others.
  if (child && isShell(child)) {
    const line = bare(child.words.join(' '));
    const inside = ran.filter(({ text }) => line.includes(text));
    const longest = Math.max(...inside.map(({ text }) => text.length));
    if (inside.length > 0) return unique(inside.filter(({ text }) => text.length === longest).map(({ by }) => by));
  }
  // A shell that became the program itself, or a program that an MCP server started: any command since the last one that names it.
  const own = bare(inner.words.slice(1).join(' '));
  const named = own.length < 4 ? -1 : ran.findIndex(({ text }) => text.includes(own));
  const possible = named === -1 ? ran : ran.slice(0, named + 1);
  return possible.length === 0 ? seen : unique(possible.map(({ by }) => by));
}

/** Without what quoting adds and takes. */
function bare(text: string): string {
  return text.replace(/['"\\\s]+/g, '');
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

function join(found: readonly AgentsAbove[]): AgentsAbove {
  const nearest = found.findLast(({ words }) => words !== undefined);
  return {
    agents: withoutTwins(found.flatMap(({ agents }) => agents)),
    isPartial: found.some(({ isPartial }) => isPartial),
    projects: found.flatMap(({ projects }) => projects),
    ...known({ startedBy: nearest?.startedBy, words: nearest?.words }),
  };
}

function withoutTwins(agents: readonly CallingAgent[]): readonly CallingAgent[] {
  return [...new Map(agents.map((agent) => [JSON.stringify(agent), agent])).values()];
}

const QUIET_TOOLS = wordSet(
  'Read Edit Write MultiEdit NotebookEdit Grep Glob LS WebFetch WebSearch TodoWrite TodoRead AskUserQuestion Agent Task',
);

function mayRunPrograms(tool: string): boolean {
  return !QUIET_TOOLS.has(tool);
}

function textOf(input: unknown): string {
  const command = asText(asObject(input)?.['command']);
  return command ?? JSON.stringify(input) ?? '';
}

/** The same agent was another one when it first called: files were changed since, and both readings are judged. */
function withSeen(caller: CallerChain, seen: Seen): CallerChain {
  const differs = (['kind', 'type', 'name', 'depth'] as const).filter(
    (field) => caller.agent && seen.agent && caller.agent[field] !== seen.agent[field] && seen.agent[field] !== null,
  );
  const isLineOther = seen.reason === undefined && linesOf(seen) !== linesOf(caller);
  const isProjectOther = seen.project !== undefined && caller.project !== undefined && seen.project !== caller.project;
  if (differs.length === 0 && !isLineOther && !isProjectOther) return caller;
  const words = [
    ...differs.map(
      (field) => `its ${field} was ${seen.agent?.[field]} when it first called, and is ${caller.agent?.[field]}`,
    ),
    ...(isLineOther ? [`above it were ${lineText(seen)} when it first called, and now ${lineText(caller)}`] : []),
    ...(isProjectOther ? [`its session began in ${seen.project}, and says ${caller.project} now`] : []),
  ];
  const { agent, ancestors, reason } = seen;
  return {
    ...caller,
    otherwise: [...(caller.otherwise ?? []), { agent, ancestors, ...known({ reason }) }],
    contradictions: [...(caller.contradictions ?? []), ...words],
  };
}

function linesOf({ ancestors }: CallerReading): string {
  return JSON.stringify(ancestors.map(({ id, kind, type }) => [id, kind, type]));
}

function lineText({ ancestors }: Pick<CallerReading, 'ancestors'>): string {
  return ancestors.map(labelOf).join(' › ') || 'nobody';
}

/** Undefined where there is none, or not one of ours. */
function readSeen(file: string): Seen | undefined {
  try {
    const raw = parseObject(readTextSync(file, MAX_BYTES));
    const [host, session] = [asText(raw?.['host']), asText(raw?.['session'])];
    if (!raw || host === undefined || session === undefined) return undefined;
    const commands = listIn(raw['commands']).flatMap((one) => {
      const [at, text] = [asAmount(asObject(one)?.['at']), asText(asObject(one)?.['text'])];
      return at === undefined || text === undefined ? [] : [{ at, text }];
    });
    const above = asObject(raw['above']);
    return {
      ...{ host, session, agent: agentIn(raw['agent']) ?? null, ancestors: agentsIn(raw['ancestors']), commands },
      ...known({ reason: asText(raw['reason']), project: asText(raw['project']) }),
      ...(above && {
        above: {
          agents: agentsIn(above['agents']),
          isPartial: above['isPartial'] === true,
          projects: listIn(above['projects']).flatMap((one) => asText(one) ?? []),
          ...known({ startedBy: asText(above['startedBy']), words: asText(above['words']) }),
        },
      }),
    };
  } catch {
    return undefined;
  }
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function agentsIn(value: unknown): readonly CallingAgent[] {
  return listIn(value).flatMap((one) => agentIn(one) ?? []);
}

function agentIn(value: unknown): CallingAgent | undefined {
  if (!isObject(value)) return undefined;
  const [id, kind] = [asText(value['id']), asText(value['kind'])];
  if (id === undefined || kind === undefined) return undefined;
  const [type, name, depth] = [asText(value['type']), asText(value['name']), asAmount(value['depth'])];
  return { id, kind, type: type ?? null, name: name ?? null, depth: depth ?? null };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
