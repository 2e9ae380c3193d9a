// Whose a chat is, by its first bytes: names have only the beginning of the session's id.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { listFolder } from '../../lib/folders.ts';
import { readHead } from '../../lib/read-lines.ts';
import { isWrongFile } from '../../lib/regular-file.ts';

const HEAD_BYTES = 2048;
const SESSION = /^\s*\{\s*"sessionId"\s*:\s*"([^"\\]+)"\s*,\s*"projectHash"\s*:/;
const CHAT = /^session-.+\.jsonl?$/;

export function isChatName(name: string): boolean {
  return CHAT.test(name);
}

export function sessionInHead(head: Uint8Array): string | undefined {
  return SESSION.exec(
    Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString('utf8'),
  )?.[1];
}

/** What a file named when it was last looked into. Not looked into again while it stays as it was. */
const named = new Map<string, { readonly state: string; readonly session: string }>();
const MAX_NAMED = 50_000;

/** Of a chat whose beginning cannot be read, its name has to do. */
export async function sessionOfChat(file: string): Promise<string | undefined> {
  try {
    const { ino, size, ctimeMs } = await stat(file);
    const state = `${ino} ${size} ${ctimeMs}`;
    const known = named.get(file);
    if (known?.state === state) return known.session;
    const session = sessionInHead(await readHead(file, HEAD_BYTES));
    if (session !== undefined && named.size < MAX_NAMED) named.set(file, { state, session });
    return session ?? (await sessionByName(file));
  } catch (error) {
    // Its name makes it a chat, and reading that chat reports what is wrong.
    return isWrongFile(error) ? sessionByName(file) : undefined;
  }
}

/** The name ends in the beginning of the session's id, and the folder of its agents has all of it. */
async function sessionByName(file: string): Promise<string> {
  const name = path.basename(file).replace(/\.jsonl?$/, '');
  const beginning = name.slice(name.lastIndexOf('-') + 1);
  const beside = (await listFolder(path.dirname(file))).filter(({ kind }) => kind === 'folder');
  return beside.find((folder) => folder.name.startsWith(`${beginning}-`))?.name ?? name;
}
