// How each host's program says, in what it prints, which session it runs. Whoever runs a program in a shell has it in the
// result of the call. A host whose own way prints no id (`claude -p` and `gemini -p` without a format) has none to find here.

import type { HostName } from '../../../core/index.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { jsonRecordsIn } from './json-records.ts';

export interface PrintingProgram {
  readonly host: HostName;
  /** As commands name it: the program, and the packages that bring it. */
  readonly names: readonly string[];
  /** The host's own ids, as this program prints the one of its session. */
  idsIn(printed: string): readonly string[];
}

export const PROGRAMS: readonly PrintingProgram[] = [
  {
    host: 'claude-code',
    names: ['claude', '@anthropic-ai/claude-code'],
    // `--output-format json | stream-json`, 1.0.60 to 2.1.325: every record names it.
    idsIn: (printed) => byRecord(printed, ['type', 'session_id'], 'session_id'),
  },
  {
    host: 'codex',
    names: ['codex', '@openai/codex'],
    // The head of `exec`; with --json its first record (`session_configured` up to 0.4x, `thread.started` since).
    idsIn: (printed) => [
      ...[...printed.matchAll(/^session id: ([0-9a-f-]{36})$/gm)].flatMap(([, id]) => id ?? []),
      ...byRecord(printed, ['type', 'thread_id'], 'thread_id', ({ type }) => type === 'thread.started'),
      ...jsonRecordsIn(printed).flatMap(({ msg }) => sessionConfiguredIn(msg)),
    ],
  },
  {
    host: 'copilot',
    names: ['copilot', '@github/copilot'],
    // Its last line; with `--output-format json` its last record (1.0.102).
    idsIn: (printed) => [
      ...[...printed.matchAll(/^Resume +copilot --resume=([0-9a-f-]{36})$/gm)].flatMap(([, id]) => id ?? []),
      ...byRecord(printed, ['type', 'sessionId'], 'sessionId', ({ type }) => type === 'result'),
    ],
  },
  {
    host: 'gemini',
    names: ['gemini', '@google/gemini-cli'],
    // `-o json` prints one record with the answer, `-o stream-json` one that begins the stream.
    idsIn: (printed) =>
      byRecord(printed, ['session_id'], 'session_id', ({ type, response }) =>
        type === undefined ? response !== undefined : type === 'init',
      ),
  },
  {
    host: 'opencode',
    names: ['opencode', 'opencode-ai'],
    // `run --format json`: every record names it.
    idsIn: (printed) => byRecord(printed, ['type', 'sessionID'], 'sessionID'),
  },
  {
    host: 'qwen',
    names: ['qwen', '@qwen-code/qwen-code'],
    // `-o json | stream-json`: as Claude Code's.
    idsIn: (printed) => byRecord(printed, ['type', 'session_id'], 'session_id'),
  },
];

function byRecord(
  printed: string,
  fields: readonly string[],
  id: string,
  isIt: (record: JsonObject) => boolean = () => true,
): readonly string[] {
  if (!printed.includes(`"${id}"`)) return [];
  return jsonRecordsIn(printed)
    .filter((record) => fields.every((field) => record[field] !== undefined) && isIt(record))
    .flatMap((record) => asText(record[id]) ?? []);
}

function sessionConfiguredIn(message: unknown): readonly string[] {
  if (typeof message !== 'object' || message === null) return [];
  const { type, session_id } = message as JsonObject;
  return type === 'session_configured' ? [asText(session_id)].flatMap((id) => id ?? []) : [];
}
