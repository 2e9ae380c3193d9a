// Members of a team whose transcripts are not named after them. In a terminal of its own (tmux, 2.1.32 to 2.1.17x) each is a session
// whose lines name team and member; in the lead's process (2.1.88 to 2.1.161) each has a file for every message it got.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type SessionId, toSessionId } from '../../core/index.ts';
import { listFolder } from '../../lib/folders.ts';
import { asInstant, asObject, asText } from '../../lib/json.ts';
import { readHead, readLines } from '../../lib/read-lines.ts';
import type { AgentScan, LocatedSession, LocatedSource } from '../index.ts';
import { nativeAgentOf, toSource } from './data-folder.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { parseLine, parseWhole } from './record.ts';

export type FilesById = ReadonlyMap<string, readonly string[]>;

/** What a scan has found already is not looked for again. */
export function once(scan: AgentScan, key: string, look: () => Promise<FilesById>): Promise<FilesById> {
  const known = scan.found.get(key) ?? look();
  scan.found.set(key, known);
  return known;
}

const HEAD_BYTES = 16 * 1024;

/** Transcripts of the wanted members, `name@team` each. A member that was woken often has several. */
export async function findTeammates(
  { id }: LocatedSession,
  { root, project }: { readonly root: string; readonly project: string },
  wanted: ReadonlySet<string>,
  scan: AgentScan,
): Promise<readonly LocatedSource[]> {
  const members = [...wanted].filter((agent) => agent.includes('@'));
  if (members.length === 0) return [];
  const files = await once(scan, `members ${project}`, () => memberFilesIn(project));
  const found: LocatedSource[] = [];
  for (const member of members)
    for (const file of files.get(member) ?? []) {
      const source = toSource(root, file, 'teammate');
      if (source && (await leadOf(file)) === id) found.push({ ...source, agent: agentIdOf(member) });
    }
  return found;
}

/** The lead of the team whose member worked in this session. */
export async function findLead({ sources }: LocatedSession): Promise<SessionId | undefined> {
  const own = sources.find(({ role }) => role === 'session');
  return own && leadOf(own.path);
}

/** Sessions of a project that are members of a team, by member. */
async function memberFilesIn(project: string): Promise<FilesById> {
  const found = new Map<string, string[]>();
  for (const file of await sessionFilesIn(project)) {
    const member = (await memberIn(file))?.id;
    if (member !== undefined) found.set(member, [...(found.get(member) ?? []), file]);
  }
  return found;
}

async function sessionFilesIn(project: string): Promise<readonly string[]> {
  return (await listFolder(project))
    .filter(({ name, kind }) => kind === 'file' && name.endsWith('.jsonl') && nativeAgentOf(name) === undefined)
    .map(({ name }) => path.join(project, name));
}

interface Member {
  readonly id: string;
  readonly startedAt: number;
}

/** A lead's lines have the team's name only; a member's have its own as well. */
async function memberIn(file: string): Promise<Member | undefined> {
  const head = Buffer.from(await readHead(file, HEAD_BYTES).catch(() => new Uint8Array())).toString('utf8');
  const team = head.match(/"teamName":"([^"\\]+)"/)?.[1];
  const name = head.match(/"agentName":"([^"\\]+)"/)?.[1];
  const startedAt = asInstant(head.match(/"timestamp":"([^"\\]+)"/)?.[1]) ?? 0;
  return team !== undefined && name !== undefined ? { id: `${name}@${team}`, startedAt } : undefined;
}

/** Clocks of one machine, in two programs. */
const SLACK_MS = 2_000;

/** Teams and members may be called the same again: the lead is the one that asked for the member last before it began. */
async function leadOf(file: string): Promise<SessionId | undefined> {
  const member = await memberIn(file);
  if (!member) return undefined;
  let lead: Asked | undefined;
  for (const other of await sessionFilesIn(path.dirname(file)))
    for (const asked of other === file ? [] : await readAsked(other))
      if (asked.member === member.id && asked.at <= member.startedAt + SLACK_MS && isNearer(asked, lead)) lead = asked;
  return lead?.lead;
}

/** A fork of a lead repeats its lines: the older file is the lead's. */
function isNearer(a: Asked, b: Asked | undefined): boolean {
  return !b || a.at > b.at || (a.at === b.at && a.born < b.born);
}

interface Asked {
  readonly lead: SessionId;
  readonly member: string;
  readonly at: number;
  readonly born: number;
}

/** By file, as it was when it was last read: nearly all sessions have no team. */
const readLeads = new Map<string, { readonly state: string; readonly asked: readonly Asked[] }>();
const SPAWNED = '"teammate_spawned"';

/** The members that a session asked for. */
async function readAsked(file: string): Promise<readonly Asked[]> {
  const { ino, size, mtimeMs, birthtimeMs: born = 0 } = (await stat(file).catch(() => undefined)) ?? {};
  const state = `${ino} ${size} ${mtimeMs}`;
  const known = readLeads.get(file);
  if (known?.state === state) return known.asked;
  const asked: Asked[] = [];
  await readLines(file, ({ bytes }) => {
    if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(SPAWNED)) return;
    const record = asObject(parseLine(bytes));
    const member = asText(asObject(record?.['toolUseResult'])?.['agent_id']);
    const at = asInstant(record?.['timestamp']);
    const lead = toSessionId(HOST, path.basename(file, '.jsonl'));
    if (member !== undefined && at !== undefined) asked.push({ lead, member, at, born });
  }).catch(() => undefined);
  readLeads.set(file, { state, asked });
  return asked;
}

/**
 * Members that work in the lead's process (2.1.88 to 2.1.161): each delivered message begins a new file, which repeats the
 * conversation so far under an id of its own. The sidecar says whose it is, and nothing else.
 */
export async function findDeliveries(
  { sources }: LocatedSession,
  wanted: ReadonlySet<string>,
): Promise<readonly LocatedSource[]> {
  const members = new Map(
    [...wanted].filter((id) => id.includes('@')).map((id) => [id.slice(0, id.lastIndexOf('@')), id]),
  );
  if (members.size === 0) return [];
  const found: LocatedSource[] = [];
  for (const { agent, path: file } of sources.filter(({ role }) => role === 'sidecar')) {
    const facts = asObject(parseWhole(await readHead(file, HEAD_BYTES).catch(() => new Uint8Array())));
    const member = facts?.['description'] === undefined ? members.get(asText(facts?.['agentType']) ?? '') : undefined;
    if (member === undefined) continue;
    // The session may lie in several projects.
    for (const source of sources)
      if (source.role === 'agent' && source.agent === agent && !found.some(({ path }) => path === source.path))
        found.push({ ...source, role: 'teammate', agent: agentIdOf(member) });
  }
  return found;
}
