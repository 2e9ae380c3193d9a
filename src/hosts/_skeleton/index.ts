// SKELETON: copy this folder, rename everything called «toy», and replace what reads the toy format.

import path from 'node:path';
import {
  type AgentEvent,
  mainAgentOf,
  type SessionId,
  toAgentId,
  toSessionId,
  toSourceId,
  toToolCallId,
} from '../../core/index.ts';
import { listFolder, modifiedAt } from '../../lib/folders.ts';
import { asInstant, asText, isObject, known } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { LocatedSession, LocatedSource, SourceAdapter } from '../index.ts';
import { toyHost } from './host.ts';

const HOST = toyHost.host;

export const toy: SourceAdapter = {
  ...toyHost,
  async locate(root) {
    const sessions: LocatedSession[] = [];
    const ignoredFiles: string[] = [];
    for (const entry of await listFolder(path.join(root, 'toy'))) {
      const file = path.join(root, 'toy', entry.name);
      if (!entry.name.endsWith('.toy')) {
        ignoredFiles.push(file);
        continue;
      }
      const id = toSessionId(HOST, entry.name.slice(0, -'.toy'.length));
      const source: LocatedSource = {
        id: toSourceId(`toy/${entry.name}`),
        path: file,
        shape: 'lines',
        role: 'session',
      };
      sessions.push({ id, root, sources: [source], facts: [], modifiedAt: await modifiedAt(file) });
    }
    return { sessions, ignoredFiles };
  },
  // SKELETON: by content, and cheap. No other host's file may pass.
  sniff: (head) => new TextDecoder().decode(head.subarray(0, 64)).startsWith('{"toy":1,'),
  createReader: (session, source) => ({ read: (line) => readLine(line, session.id, source.id) }),
};

function readLine(line: Line, session: SessionId, source: ReturnType<typeof toSourceId>): readonly AgentEvent[] {
  const origin = { source, offset: line.offset, length: line.length };
  const problem = (code: 'torn-line' | 'invalid-json' | 'unknown-record', detail: string): readonly AgentEvent[] => [
    { kind: 'problem-found', session, origin, diagnostic: { code, detail, origin } },
  ];
  let record: unknown;
  try {
    record = JSON.parse(new TextDecoder().decode(line.bytes));
  } catch {
    return problem(line.torn ? 'torn-line' : 'invalid-json', `${line.length} bytes`);
  }
  if (!isObject(record) || record['toy'] !== 1) return problem('unknown-record', 'not a line of the toy');
  const who = asText(record['who']) ?? 'main';
  const agent = who === 'main' ? mainAgentOf(session) : toAgentId(HOST, who);
  const at = asInstant(record['at']);
  const place = { session, origin, agent, ...known({ at }) };
  const id = `${source} ${line.offset}`;
  if ('say' in record) {
    const entry = record['from'] === 'user' ? 'prompt' : 'reply';
    return [
      {
        ...place,
        kind: 'entry-added',
        entry,
        id,
        ...known({ end: entry === 'reply' ? ('turn' as const) : undefined }),
      },
    ];
  }
  const call = toToolCallId(asText(record['call'] ?? record['done']) ?? '');
  if ('done' in record) {
    return [
      { ...place, kind: 'tool-ended', call, outcome: record['failed'] === true ? 'error' : 'ok' },
      { ...place, kind: 'entry-added', entry: 'result', id },
    ];
  }
  const child = toAgentId(HOST, asText(record['spawns']) ?? '');
  return [
    { ...place, kind: 'tool-started', call, tool: 'spawn' },
    { ...place, kind: 'spawn-requested', call },
    { ...place, kind: 'entry-added', entry: 'reply', id, end: 'tools' },
    { kind: 'agent-linked', session, origin, agent: child, evidence: 'result', call, parent: agent },
  ];
}
