// SKELETON: copy this folder, rename everything called "toy", and replace what reads the toy format.

import path from 'node:path';
import { mainAgentOf, toAgentId, toSessionId, toToolCallId } from '../../core/index.ts';
import { modifiedAt } from '../../lib/folders.ts';
import { asInstant, asText, type JsonObject, known, parseJsonBytes, recordInLine } from '../../lib/json.ts';
import type { LocatedSession, SourceAdapter } from '../index.ts';
import { type FactPlace, factsInLine, filesIn, sourceIdOf } from '../shared/index.ts';
import { toyHost } from './host.ts';

const HOST = toyHost.host;

export const toy: SourceAdapter = {
  ...toyHost,
  async locate(root) {
    const sessions: LocatedSession[] = [];
    const ignoredFiles: string[] = [];
    for (const file of await filesIn(path.join(root, 'toy'))) {
      if (!file.endsWith('.toy')) {
        ignoredFiles.push(file);
        continue;
      }
      const id = toSessionId(HOST, path.basename(file, '.toy'));
      const source = { id: sourceIdOf(root, file), path: file, shape: 'lines', role: 'session' } as const;
      sessions.push({ id, root, sources: [source], facts: [], modifiedAt: await modifiedAt(file) });
    }
    return { sessions, ignoredFiles };
  },
  // SKELETON: by content, and cheap. No other host's file may pass.
  sniff: (head) => new TextDecoder().decode(head.subarray(0, 64)).startsWith('{"toy":1,'),
  createReader: ({ id }, source) => ({
    read: (line) => factsInLine(id, source.id, line, recordInLine(line, parseJsonBytes), readRecord),
  }),
};

function readRecord(record: JsonObject, { session, origin, emit }: FactPlace): void {
  if (record['toy'] !== 1) {
    emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: 'not a line of the toy', origin } });
    return;
  }
  const who = asText(record['who']) ?? 'main';
  const agent = who === 'main' ? mainAgentOf(session) : toAgentId(HOST, who);
  const about = { agent, ...known({ at: asInstant(record['at']) }) };
  const id = `${origin.source} ${origin.offset}`;
  if ('say' in record) {
    const isPrompt = record['from'] === 'user';
    emit({ ...about, kind: 'entry-added', id, ...(isPrompt ? { entry: 'prompt' } : { entry: 'reply', end: 'turn' }) });
    return;
  }
  const call = toToolCallId(asText(record['call'] ?? record['done']) ?? '');
  if ('done' in record) {
    emit({ ...about, kind: 'tool-ended', call, outcome: record['failed'] === true ? 'error' : 'ok' });
    emit({ ...about, kind: 'entry-added', entry: 'result', id });
    return;
  }
  const child = toAgentId(HOST, asText(record['spawns']) ?? '');
  emit({ ...about, kind: 'tool-started', call, tool: 'spawn' });
  emit({ kind: 'spawn-requested', agent, call });
  emit({ ...about, kind: 'entry-added', entry: 'reply', id, end: 'tools' });
  emit({ kind: 'agent-linked', agent: child, evidence: 'result', call, parent: agent });
}
