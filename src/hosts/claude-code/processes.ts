// `sessions/<pid>.json`: one record for each running process, removed at a clean exit, left behind by a kill.

import path from 'node:path';
import { type ProcessSeen, type ProcessState, type SessionId, toSessionId, toSourceId } from '../../core/index.ts';
import { listFolder, readBeside } from '../../lib/folders.ts';
import { asAmount, asText, isObject, known } from '../../lib/json.ts';
import { isProcessAlive } from '../../lib/processes.ts';
import { besideProjects } from './data-folder.ts';
import { HOST } from './line-context.ts';

/** `status` is written from 2.1.197 on in a terminal, from 2.1.286 on everywhere. */
const STATES: ReadonlyMap<string, ProcessState> = new Map([
  ['busy', 'busy'],
  ['shell', 'busy'],
  ['idle', 'idle'],
  ['waiting', 'waiting'],
]);

export async function readProcesses(
  root: string,
  problems: string[],
): Promise<ReadonlyMap<SessionId, readonly ProcessSeen[]>> {
  const bySession = new Map<SessionId, ProcessSeen[]>();
  const folder = await besideProjects(root, 'sessions');
  for (const entry of await listFolder(folder)) {
    if (!entry.name.endsWith('.json')) continue;
    // The record may vanish between the look into the folder and the reading: its process just ended.
    const text = (await readBeside(path.join(folder, entry.name), problems))?.toString('utf8');
    const seen = text === undefined ? undefined : await toProcess(text, entry.name);
    if (seen) bySession.set(seen.session, [...(bySession.get(seen.session) ?? []), seen]);
  }
  return bySession;
}

async function toProcess(text: string, name: string): Promise<ProcessSeen | undefined> {
  const record = parseDocument(text);
  const native = isObject(record) ? asText(record['sessionId']) : undefined;
  const pid = isObject(record) ? asAmount(record['pid']) : undefined;
  if (!isObject(record) || native === undefined || pid === undefined) return undefined;
  const procStart = asText(record['procStart']);
  const startedAt = asAmount(record['startedAt']);
  const state = STATES.get(asText(record['status']) ?? '');
  const waitingFor = asText(record['waitingFor']);
  const started = startedAt === undefined ? {} : { startedAt };
  return {
    kind: 'process-seen',
    session: toSessionId(HOST, native),
    origin: { source: toSourceId(`sessions/${name}`), offset: 0, length: text.length },
    pid,
    alive: await isProcessAlive({ pid, ...started, ...known({ procStart }) }),
    ...started,
    ...known({ state, waitingFor }),
  };
}

/** The record is written anew in place: half a record is no record yet. */
function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
