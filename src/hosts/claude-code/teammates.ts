// Teammates in terminals of their own (tmux, 2.1.32 to 2.1.17x): each is a session whose lines name team and member.

import path from 'node:path';
import { listFolder } from '../../lib/folders.ts';
import { readHead } from '../../lib/read-lines.ts';
import type { AgentScan, LocatedSource } from '../index.ts';
import { agentIdOf } from './line-context.ts';
import { once } from './scan.ts';
import { nativeAgentOf, toSource } from './sources.ts';

const HEAD_BYTES = 16 * 1024;

/** Transcripts of the wanted members, `name@team` each. A member that was woken often has several. */
export async function findTeammates(
  root: string,
  project: string,
  wanted: ReadonlySet<string>,
  scan: AgentScan,
): Promise<readonly LocatedSource[]> {
  const members = [...wanted].filter((id) => id.includes('@'));
  if (members.length === 0) return [];
  const files = await once(scan, `members ${project}`, () => memberFilesIn(project));
  return members.flatMap((member) =>
    (files.get(member) ?? []).flatMap((file) => {
      const source = toSource(root, file, 'teammate');
      return source ? { ...source, agent: agentIdOf(member) } : [];
    }),
  );
}

/** Sessions of a project that are members of a team, by member. */
async function memberFilesIn(project: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const entry of await listFolder(project)) {
    const file = path.join(project, entry.name);
    if (entry.kind !== 'file' || !entry.name.endsWith('.jsonl') || nativeAgentOf(file) !== undefined) continue;
    const member = await memberIn(file).catch(() => undefined);
    if (member !== undefined) found.set(member, [...(found.get(member) ?? []), file]);
  }
  return found;
}

/** A lead's lines have the team's name only; a member's have its own as well. */
async function memberIn(file: string): Promise<string | undefined> {
  const head = Buffer.from(await readHead(file, HEAD_BYTES)).toString('utf8');
  const team = head.match(/"teamName":"([^"\\]+)"/)?.[1];
  const name = head.match(/"agentName":"([^"\\]+)"/)?.[1];
  return team !== undefined && name !== undefined ? `${name}@${team}` : undefined;
}
