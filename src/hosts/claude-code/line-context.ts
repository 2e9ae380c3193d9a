// What a line parser knows beside its line, and the few ways in which it speaks.

import {
  type AgentId,
  type EntryAdded,
  type EventOrigin,
  mainAgentOf,
  nativeId,
  type SessionId,
  type ToolCallId,
  toAgentId,
  toToolCallId,
} from '../../core/index.ts';
import { asText } from '../../lib/json.ts';
import type { AskedCommands, Fact } from '../shared/index.ts';
import type { RawRecord } from './record.ts';

export const HOST = 'claude-code';

export interface LineContext {
  readonly session: SessionId;
  /** Whose line it is. */
  readonly agent: AgentId;
  readonly origin: EventOrigin;
  readonly at?: number;
  /** The line stands in another agent's file (`progress`, 2.1.9 to 2.1.83). */
  readonly copied: boolean;
  readonly file: FileState;
  emit(fact: Fact): void;
}

/** What has to be remembered from line to line of one file. */
export interface FileState {
  /** Tools of calls whose results say something about agents. */
  readonly toolOf: Map<ToolCallId, string>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  readonly prompted: Set<AgentId>;
  /** Some prompt of main's asked for something. */
  isTitled?: true;
  /** Lines of main's, with their times, and the summaries of those that may yet come (up to 2.1.29). */
  readonly leaves: Map<string, number | undefined>;
  readonly summaries: Map<string, string>;
  /** The file's name says what the host started its agent for. */
  readonly isInternal: boolean;
  /** The last line that a local command left: what follows it at the same time belongs to the command, whatever it says. */
  localCommand?: { readonly id: string; readonly at: unknown };
  /** A fork's file may begin with lines of its parent, of this session; they end with the directive. */
  inherited?: string;
  /** What was last told of each agent, so that only changes are. */
  readonly told: Map<AgentId, Map<string, string>>;
  /** Agents that calls in this file set to work in the background: the only ones of which a notice may come. */
  readonly launched: Set<AgentId>;
  /** Agents on side branches of this very file. */
  readonly inline: InlineAgents;
  /** The first line that has a time; a session that begins as a copy puts older lines behind it. */
  first?: { readonly at: number; readonly isQueued: boolean };
  /** The session of which its first line says that it is a copy (`/branch`). */
  branchOf?: SessionId;
  isCopy?: true;
  /** Time of the last line that has one. */
  lastAt?: number;
  /** The last sum of the program's, and the time of the first line after it. */
  cost?: { readonly from: number; readonly durationMs: number; readonly at: number; nextAt?: number };
  /** The last title that the program asked its model for. */
  aiTitle?: string;
  /** The last reply of each agent that ended a turn. */
  readonly turnEnds: Map<AgentId, EntryAdded>;
  /** No line so far is the first of its agent: it began in another file. */
  isContinued?: boolean;
  /** Since the last line of `user`, a prompt was taken out of the program's queue. */
  isDequeued?: true;
  /** The person has typed `/exit`, and nothing since. */
  isExited?: boolean;
  /** The conversation began with `/clear`. */
  isCleared?: true;
  /** Of the program that wrote the last line. */
  version?: string;
}

/** `commands` is handed in: what hooks load of this file must not load the shell's grammar. */
export function createFileState(commands: AskedCommands, isInternal = false): FileState {
  return {
    isInternal,
    toolOf: new Map(),
    commands,
    prompted: new Set(),
    leaves: new Map(),
    summaries: new Map(),
    told: new Map(),
    inline: new Map(),
    launched: new Set(),
    turnEnds: new Map(),
  };
}

/** A parser of one kind of line. Never throws on data. */
export type LineParser = (record: RawRecord, context: LineContext) => void;

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

export function callIdOf(value: unknown): ToolCallId | undefined {
  const text = asText(value);
  return text === undefined ? undefined : toToolCallId(text);
}

export function isMain(context: LineContext): boolean {
  return context.agent === mainAgentOf(context.session);
}

// Whose line it is. Up to 2.0.41 agents speak in the session's own file, on side branches without a name.

/** Which agent each line of a side branch belongs to, by the line's id. */
type InlineAgents = Map<string, AgentId>;

const INLINE = 'inline-';

/** Its id is of our making: the host has none for it. */
export function isInline(agent: AgentId): boolean {
  return nativeId(agent).startsWith(INLINE);
}

/** `owner`: whose file it is. The lines of an agent's file name the agent themselves, unless it is known to be a teammate's. */
export function speakerOf(
  record: RawRecord,
  {
    owner,
    isTeammates,
    session,
  }: { readonly owner: AgentId; readonly isTeammates: boolean; readonly session: SessionId },
  inline: InlineAgents,
): AgentId {
  if (isTeammates) return owner;
  if (owner === mainAgentOf(session)) return inlineAgentOf(record, inline) ?? owner;
  const named = asText(record['agentId']);
  return named === undefined ? owner : agentIdOf(named);
}

/**
 * A branch begins with a line without a parent; every other line follows one of its branch. Branches of agents that work
 * at the same time lie mixed in the file. The host gives them no id, so the first line's makes one.
 */
function inlineAgentOf(record: RawRecord, inline: InlineAgents): AgentId | undefined {
  if (record['isSidechain'] !== true) return undefined;
  const id = asText(record['uuid']);
  if (id === undefined) return undefined;
  const parent = asText(record['parentUuid']);
  const agent =
    (parent === undefined ? undefined : (inline.get(parent) ?? onlyOne(inline))) ??
    agentIdOf(`${INLINE}${id.slice(0, 8)}`);
  inline.set(id, agent);
  return agent;
}

/** The line before is damaged or gone: with one branch in the file, there is no question whose it is. */
function onlyOne(inline: InlineAgents): AgentId | undefined {
  const agents = new Set(inline.values());
  return agents.size === 1 ? [...agents][0] : undefined;
}

/** Lines are written in another order than they were made, up to 2 s apart (2.1.45, 2.1.161). */
export const UNORDERED_MS = 1_000;
