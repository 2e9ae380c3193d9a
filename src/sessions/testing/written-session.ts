import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { computeDocumentHead, type OpenedTranscripts } from '../../core/index.ts';
import { formatDocument } from '../../export/document-json.ts';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { createSessionTranscripts } from '../session-transcripts.ts';
import { createSessions } from '../sessions.ts';

// A session as Claude Code 2.1.325 writes it, line by line, for what no recording shows.

export const SESSION = '11111111-2222-4333-8444-555555555555';

/** `files`: lines by paths below the folder of all projects. */
export async function openWritten(
  root: string,
  files: Readonly<Record<string, readonly (string | object)[]>>,
): Promise<OpenedTranscripts> {
  for (const [name, lines] of Object.entries(files)) {
    const file = path.join(root, 'projects', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  }
  return openTranscripts(root);
}

export function openTranscripts(root: string, id?: string): Promise<OpenedTranscripts> {
  const places = [{ adapter: claudeCode, root, forced: false }];
  const sessions = createSessions(places, { clock: () => Date.parse('2030-01-01') });
  return createSessionTranscripts(places, sessions).open(id);
}

export async function jsonOf(opened: OpenedTranscripts): Promise<string> {
  let json = '';
  for await (const piece of formatDocument(computeDocumentHead(opened), opened.read())) json += piece;
  return json;
}

let line = 0;

export const said = (type: 'user' | 'assistant', content: unknown, more: object = {}) => ({
  parentUuid: null,
  isSidechain: false,
  userType: 'external',
  type,
  message: { role: type, ...(type === 'assistant' && { id: `msg_${++line}`, model: 'claude-x' }), content },
  uuid: `u-${++line}`,
  timestamp: '2026-11-15T07:00:00.000Z',
  sessionId: SESSION,
  version: '2.1.325',
  cwd: '/home/dev',
  ...more,
});
export const byAgent = (agentId: string) => ({ isSidechain: true, agentId });
export const call = (id: string, name: string, input: unknown) => [{ type: 'tool_use', id, name, input }];
export const answer = (id: string, content: unknown, more: object = {}) =>
  said('user', [{ type: 'tool_result', tool_use_id: id, content }], more);

export const mainFile = `-home-dev/${SESSION}.jsonl`;
export const agentFile = (id: string, folder = '-home-dev') => `${folder}/${SESSION}/subagents/agent-${id}.jsonl`;
