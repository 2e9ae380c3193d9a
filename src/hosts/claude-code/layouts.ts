// Where the transcripts of a session's agents lie, by generation. A layout is an object: a new one is a new entry.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isFileEntry, isFolder, listFilesBelow, listFolder } from '../../lib/folders.ts';
import { readHead } from '../../lib/read-lines.ts';
import { nativeAgentOf } from './sources.ts';

export interface Layout {
  readonly name: string;
  /** Host versions it was seen with. */
  readonly versions: string;
  /** Files of sub-agents, by the name of their session, of one project's folder; of some sessions only, where they are named. */
  find(project: string, sessions?: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** `<project>/<session>/subagents/…` and `<project>/<session>/workflows/wf_….json`; nested agents lie flat in there. */
const sessionFolder: Layout = {
  name: 'a folder per session',
  versions: '2.1.2 and later',
  async find(project, sessions) {
    const found = new Map<string, readonly string[]>();
    const entries = sessions?.map((name) => ({ name, kind: 'folder' as const })) ?? (await listFolder(project));
    for (const entry of entries) {
      if (entry.kind !== 'folder') continue;
      const folder = path.join(project, entry.name);
      const files = await listFilesBelow(path.join(folder, 'subagents'));
      const manifests = (await listFolder(path.join(folder, 'workflows'))).filter(isFileEntry);
      const all = [...files, ...manifests.map(({ name }) => path.join(folder, 'workflows', name))];
      if (all.length > 0 || (await isFolder(path.join(folder, 'subagents')))) found.set(entry.name, all);
    }
    return found;
  },
};

/** `<project>/agent-<id>.jsonl` beside the sessions of all; the lines name the session. */
const besideSession: Layout = {
  name: 'beside the session',
  versions: '2.0.42 to 2.1.1',
  async find(project) {
    const found = new Map<string, string[]>();
    for (const entry of await listFolder(project)) {
      const file = path.join(project, entry.name);
      if (entry.kind !== 'file' || nativeAgentOf(file) === undefined) continue;
      const session = await sessionNamedIn(file);
      if (session !== undefined) found.set(session, [...(found.get(session) ?? []), file]);
    }
    return found;
  },
};

/** Generation A, agents inside the session's own file (up to 2.0.41), needs no files: `speaker.ts` sorts it out. */
export const LAYOUTS: readonly Layout[] = [sessionFolder, besideSession];

const HEAD_BYTES = 16 * 1024;

/** Which session a file named when it was last looked into. Not looked into again while it stays as it was. */
const named = new Map<string, { readonly state: string; readonly session: string }>();
const MAX_NAMED = 50_000;

export async function sessionNamedIn(file: string): Promise<string | undefined> {
  try {
    const { ino, size, ctimeMs } = await stat(file);
    const state = `${ino} ${size} ${ctimeMs}`;
    const known = named.get(file);
    if (known?.state === state) return known.session;
    const head = Buffer.from(await readHead(file, HEAD_BYTES)).toString('utf8');
    const session = head.match(/"sessionId":"([^"\\]+)"/)?.[1];
    if (session !== undefined && named.size < MAX_NAMED) named.set(file, { state, session });
    return session;
  } catch {
    return undefined;
  }
}
