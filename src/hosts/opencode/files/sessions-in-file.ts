// Which sessions a kept file is about.

import { isMissing, modifiedAt } from '../../../lib/folders.ts';
import { asObject, asText, known, parseObject } from '../../../lib/json.ts';
import { readHead, readLines } from '../../../lib/read-lines.ts';
import { MAX_DOCUMENT_BYTES, readText } from '../../../lib/regular-file.ts';
import type { SessionPlace } from '../database/session-rows.ts';
import { isSessionId, toSessionInfo } from '../record.ts';
import { type FileKind, kindOf } from './file-kinds.ts';
import { eventOf } from './read-events.ts';

const HEAD_BYTES = 8 * 1024;

/** Undefined where it is none of OpenCode's, or cannot be read. */
export async function sessionsInFile(
  file: string,
): Promise<{ readonly kind: FileKind; readonly sessions: readonly SessionPlace[] } | undefined> {
  try {
    const head = await readHead(file, HEAD_BYTES);
    const kind = kindOf(head);
    if (!kind) return undefined;
    const at = await modifiedAt(file);
    const sessions =
      kind === 'events' ? await inEvents(file) : kind === 'stream' ? inStream(head) : await inExport(file, head);
    return { kind, sessions: [...sessions].map(([id, parent]) => ({ id, modifiedAt: at, ...known({ parent }) })) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

type Parents = ReadonlyMap<string, string | undefined>;

/** The session's record comes first; of half an export, its beginning has to do. */
async function inExport(file: string, head: Uint8Array): Promise<Parents> {
  const info = toSessionInfo(asObject(parseObject(await readText(file, MAX_DOCUMENT_BYTES))?.['info']));
  if (info) return new Map([[info.id, info.parent]]);
  const [, id] = /"id"\s*:\s*"(ses_[^"]+)"/.exec(Buffer.from(head).toString('utf8')) ?? [];
  return new Map(id === undefined ? [] : [[id, undefined]]);
}

function inStream(head: Uint8Array): Parents {
  const [, id] = /"sessionID":"(ses_[^"]+)"/.exec(Buffer.from(head).toString('utf8')) ?? [];
  return new Map(id === undefined ? [] : [[id, undefined]]);
}

const RECORD = Buffer.from('"session.');
const INFO = Buffer.from('"info":');

async function inEvents(file: string): Promise<Parents> {
  const parents = new Map<string, string | undefined>();
  await readLines(file, ({ bytes }) => {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!line.includes(RECORD) || !line.includes(INFO)) return;
    const record = parseObject(line.toString('utf8'));
    const event = record && eventOf(record);
    const info = toSessionInfo(asObject(asObject(event?.['properties'])?.['info']));
    if (info && isSessionId(info.id) && asText(event?.['type'])?.startsWith('session.'))
      parents.set(info.id, info.parent);
  });
  return parents;
}
