// Names that people gave to threads (`/rename`): one line each time, beside the sessions.

import path from 'node:path';
import { type AgentEvent, nativeId, toSourceId } from '../../core/index.ts';
import { readBeside } from '../../lib/folders.ts';
import { asInstant, asText, isObject, known } from '../../lib/json.ts';
import type { LocatedSession } from '../index.ts';
import { NAMES_FILE } from './data-folder.ts';
import { parseJson } from './record.ts';

interface Name {
  readonly title: string;
  readonly at?: number;
  readonly offset: number;
  readonly length: number;
}

export async function readNames(
  root: string,
  problems: string[],
): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  const names = new Map<string, Name>();
  const text = (await readBeside(path.join(root, NAMES_FILE), problems))?.toString('latin1') ?? '';
  let offset = 0;
  for (const line of text.split('\n')) {
    // Latin-1 first: a character is a byte, so that places in the text are places in the file.
    const value = parseJson(Buffer.from(line, 'latin1').toString('utf8'));
    const id = isObject(value) ? asText(value['id']) : undefined;
    const title = isObject(value) ? asText(value['thread_name']) : undefined;
    if (isObject(value) && id !== undefined && title !== undefined)
      names.set(id, { title, offset, length: line.length, ...known({ at: asInstant(value['updated_at']) }) });
    offset += line.length + 1;
  }
  return ({ id }) => {
    const name = names.get(nativeId(id));
    if (!name) return [];
    const { title, at, ...place } = name;
    const origin = { source: toSourceId(NAMES_FILE), ...place };
    return [{ kind: 'session-titled', session: id, origin, title, titleKind: 'custom', ...known({ at }) }];
  };
}
