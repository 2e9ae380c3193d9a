// Which threads a running process works on, by the locks it holds: `thread-writer-locks/<thread>.lock` (0.15x and later). The files
// are empty, and stay behind after a kill; only the system knows who holds one.

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgentEvent,
  type EventOf,
  mainAgentOf,
  nativeId,
  type ProcessSeen,
  toSourceId,
} from '../../core/index.ts';
import { listFolder, readBeside } from '../../lib/folders.ts';
import { asInstant, asObject, asText, known, parseJsonBytes } from '../../lib/json.ts';
import type { LocatedSession } from '../index.ts';
import { LOCKS_FOLDER, NAMES_FILE } from './data-folder.ts';

/** `1: FLOCK  ADVISORY  WRITE 20228 fe:00:2999098 0 EOF`: the process and, last of the three numbers, the file's inode. */
const HELD = /^\d+: FLOCK +ADVISORY +WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gm;

/**
 * Locks that were held when we looked, and by whom. One that is free says nothing by itself: it may be held where we
 * cannot see it, in another container. One that we saw being held, and that nobody holds any more, says that its
 * process is gone; at a clean exit the file goes, too.
 */
const seenHeld = new Map<string, number>();

export type FactsOf = (session: LocatedSession) => readonly AgentEvent[];

export async function readProcesses(root: string): Promise<FactsOf> {
  const threads = new Map<string, { readonly pid: number; readonly alive: boolean }>();
  const folder = path.join(root, LOCKS_FOLDER);
  const files = (await listFolder(folder)).filter(({ name }) => name.endsWith('.lock') && !name.startsWith('.'));
  const held = files.length === 0 ? new Map<string, number>() : await readHeld();
  for (const { name } of files) {
    const file = path.join(folder, name);
    const stats = await stat(file, { bigint: true }).catch(() => undefined);
    const pid = stats && held.get(String(stats.ino));
    if (pid !== undefined) seenHeld.set(file, pid);
    const last = pid ?? seenHeld.get(file);
    if (last !== undefined) threads.set(name.slice(0, -'.lock'.length), { pid: last, alive: pid !== undefined });
  }
  return ({ id, sources }) => {
    const own = new Set([mainAgentOf(id), ...sources.flatMap(({ agent }) => agent ?? [])]);
    return [...own].flatMap((agent): readonly ProcessSeen[] => {
      const process = threads.get(nativeId(agent));
      const origin = { source: toSourceId(`${LOCKS_FOLDER}/${nativeId(agent)}.lock`), offset: 0, length: 0 };
      return process ? [{ kind: 'process-seen', session: id, origin, ...process }] : [];
    });
  };
}

/** By inode. Only Linux lets everybody read who holds a lock; elsewhere the age of the last line has to do. */
async function readHeld(): Promise<ReadonlyMap<string, number>> {
  const text = await readFile('/proc/locks', 'utf8').catch(() => '');
  return new Map([...text.matchAll(HELD)].map(([, pid, inode]) => [inode ?? '', Number(pid)]));
}

// Names that people gave to threads (`/rename`): one line each time, beside the sessions.

export async function readNames(root: string, problems: string[]): Promise<FactsOf> {
  const names = new Map<string, Omit<EventOf<'session-titled'>, 'session'>>();
  const text = (await readBeside(path.join(root, NAMES_FILE), problems))?.toString('latin1') ?? '';
  let offset = 0;
  for (const line of text.split('\n')) {
    // Latin-1: a character is a byte, so that places in the text are places in the file.
    const { id, thread_name, updated_at } = asObject(parseJsonBytes(Buffer.from(line, 'latin1'))) ?? {};
    const [thread, title, at] = [asText(id), asText(thread_name), asInstant(updated_at)];
    const origin = { source: toSourceId(NAMES_FILE), offset, length: line.length };
    if (thread !== undefined && title !== undefined)
      names.set(thread, { kind: 'session-titled', origin, title, titleKind: 'custom', ...known({ at }) });
    offset += line.length + 1;
  }
  return ({ id }) => {
    const name = names.get(nativeId(id));
    return name ? [{ ...name, session: id }] : [];
  };
}
