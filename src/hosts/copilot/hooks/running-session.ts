// Which session a hook is about, and who of it. Up to 1.0.9x a hook says nothing but the id of the one who calls, and what Copilot
// writes about an agent comes late: but the process that calls the hook holds a lock in its session's folder.

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { asObject, asText, type JsonObject, known, parseJson } from '../../../lib/json.ts';
import { readPart } from '../../../lib/read-lines.ts';
import { EVENTS, lockOf, rootsOf, SESSIONS } from '../data-folder.ts';

export interface RunningSession {
  readonly id: string;
  /** Sub-agents that its file tells of, by their ids. */
  agents(): ReadonlyMap<string, StartedAgent>;
}

export interface StartedAgent {
  readonly type?: string;
  readonly name?: string;
  /** The main agent where it is null; left out where nobody says. */
  readonly parent?: string | null;
}

/** `caller`: an agent of it, or the session itself. `process`: that called the hook. */
export function findSession(caller: string, process: number | undefined): RunningSession | undefined {
  const folder = path.join(dataFolder(), SESSIONS);
  // Ids come from outside: none of them may lead anywhere else.
  if (/^[\w-]{1,200}$/.test(caller) && existsSync(path.join(folder, caller))) return sessionIn(folder, caller);
  const ids = namesIn(folder);
  const isOpen = (id: string): boolean => existsSync(path.join(folder, id, lockOf(process ?? 0)));
  const [only, ...others] = process === undefined ? [] : ids.filter(isOpen);
  if (only !== undefined && others.length === 0) return sessionIn(folder, only);
  // It is over, or has gone on to another session: who was in it stands in its file by now.
  return newest(folder, ids)
    .map((id) => sessionIn(folder, id))
    .find((session) => session.agents().has(caller));
}

/** A hook is about something that was written lately, or is never written. */
const LOOKED_INTO = 20;

function newest(folder: string, ids: readonly string[]): readonly string[] {
  const writtenAt = (id: string): number =>
    statSync(path.join(folder, id, EVENTS), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ids
    .map((id) => ({ id, at: writtenAt(id) }))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, LOOKED_INTO)
    .map(({ id }) => id);
}

/** The environment is the host's own: a hook has it from there. */
function dataFolder(): string {
  const { env } = globalThis.process;
  return rootsOf({ env, home: env['HOME'] ?? '/' })[0] ?? '';
}

/** Of a session that has gone on for long; an agent that was started before that is not found. */
const MAX_BYTES = 32 * 1024 * 1024;

function sessionIn(folder: string, id: string): RunningSession {
  let found: ReadonlyMap<string, StartedAgent> | undefined;
  return {
    id,
    agents() {
      found ??= agentsIn(readPart(path.join(folder, id, EVENTS), 'tail', MAX_BYTES) ?? '');
      return found;
    },
  };
}

const STARTED = '"type":"subagent.started"';

function agentsIn(text: string): ReadonlyMap<string, StartedAgent> {
  const agents = new Map<string, StartedAgent>();
  for (let at = text.indexOf(STARTED); at !== -1; at = text.indexOf(STARTED, at + 1)) {
    const begin = text.lastIndexOf('\n', at) + 1;
    const end = text.indexOf('\n', at);
    const event = asObject(parseJson(text.slice(begin, end === -1 ? undefined : end)));
    const data = asObject(event?.['data']) ?? {};
    const id = asText(event?.['agentId']) ?? asText(data['toolCallId']);
    if (id !== undefined) agents.set(id, startedIn(data));
  }
  return agents;
}

/** Up to about 1.0.7x the names are the vendor's words for the type, and an agent above is not told of. */
function startedIn(data: JsonObject): StartedAgent {
  const type = asText(data['agentType']);
  if (type === undefined) return known({ type: asText(data['agentName']) });
  return { type, ...known({ name: asText(data['agentDisplayName']) }), parent: asText(data['parentId']) ?? null };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
