// `teams/<team>/`: who is in a team, and the letters its members have not read yet. Gone when the lead's session ends.

import path from 'node:path';
import { type AgentId, nativeId, type RunEnded, type SessionId, toSessionId, toSourceId } from '../../core/index.ts';
import { listFolder, readBeside } from '../../lib/folders.ts';
import { asInstant, asText, isObject, known } from '../../lib/json.ts';
import type { LocatedSource } from '../index.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { parseWhole, type RawRecord } from './record.ts';

export interface Team {
  readonly lead: SessionId;
  readonly name: string;
  /** Letters to the lead in which a member says that it is idle: its turn is over. */
  readonly idle: readonly {
    readonly member: string;
    readonly at?: number;
    readonly interrupted: boolean;
    readonly place: RunEnded['origin'];
  }[];
}

export async function readTeams(folder: string, problems: string[]): Promise<readonly Team[]> {
  const teams: Team[] = [];
  const readDocument = async (...parts: readonly string[]): Promise<unknown> => {
    // Written anew in place, under a lock: half a document is read at the next look.
    const bytes = await readBeside(path.join(folder, ...parts), problems);
    return bytes && parseWhole(bytes);
  };
  for (const entry of await listFolder(folder)) {
    if (entry.kind !== 'folder') continue;
    const config = await readDocument(entry.name, 'config.json');
    const lead = isObject(config) ? asText(config['leadSessionId']) : undefined;
    if (lead === undefined) continue;
    const letters = await readDocument(entry.name, 'inboxes', 'team-lead.json');
    const place = { source: toSourceId(`teams/${entry.name}/inboxes/team-lead.json`), offset: 0, length: 0 };
    const idle = (Array.isArray(letters) ? letters : []).filter(isObject).flatMap((letter) => idleIn(letter, place));
    teams.push({ lead: toSessionId(HOST, lead), name: entry.name, idle });
  }
  return teams;
}

/** What the letters say about the agents of a session. In-process members have a file; others go by `name@team`. */
export function factsOf(
  teams: readonly Team[],
  session: SessionId,
  sources: readonly LocatedSource[],
): readonly RunEnded[] {
  return teams
    .filter(({ lead }) => lead === session)
    .flatMap(({ name, idle }) =>
      idle.map(({ member, at, interrupted, place }): RunEnded => {
        const agent = memberAgent(member, sources) ?? agentIdOf(`${member}@${name}`);
        const outcome = interrupted ? 'stopped' : 'completed';
        return { kind: 'run-ended', session, origin: place, agent, signal: 'inbox', outcome, ...known({ at }) };
      }),
    );
}

function memberAgent(member: string, sources: readonly LocatedSource[]): AgentId | undefined {
  return sources.find(({ agent }) => agent && nativeId(agent).startsWith(`a${member}-`))?.agent;
}

/** A letter's text may itself be JSON: what members tell each other without words. */
function idleIn(letter: RawRecord, place: RunEnded['origin']): Team['idle'] {
  const text = asText(letter['text']);
  const notice = text?.startsWith('{') ? parseWhole(new TextEncoder().encode(text)) : undefined;
  if (!isObject(notice) || notice['type'] !== 'idle_notification') return [];
  const member = asText(notice['from']) ?? asText(letter['from']);
  const at = asInstant(notice['timestamp'] ?? letter['timestamp']);
  return member === undefined
    ? []
    : [{ member, interrupted: notice['idleReason'] === 'interrupted', place, ...known({ at }) }];
}
