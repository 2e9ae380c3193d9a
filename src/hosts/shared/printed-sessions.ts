// How each host's program says, in what it prints, which session it runs. Whoever runs a program in a shell has it in the result of
// the call. A host whose own way prints no id (`claude -p` and `gemini -p` without a format) has none to find here.

import { type HostName, type SessionId, type ToolCallId, toSessionId } from '../../core/index.ts';
import { analyse } from '../../guard/shell/index.ts';
import { asObject, asText, isObject, type JsonObject, parseJson } from '../../lib/json.ts';

interface PrintingProgram {
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
    idsIn: (printed) => byRecord(printed, 'session_id'),
  },
  {
    host: 'codex',
    names: ['codex', '@openai/codex'],
    // The head of `exec`; with --json its first record (`session_configured` up to 0.4x, `thread.started` since).
    idsIn: (printed) => [
      ...[...printed.matchAll(/^session id: ([0-9a-f-]{36})$/gm)].flatMap(([, id]) => id ?? []),
      ...byRecord(printed, 'thread_id', ({ type }) => type === 'thread.started'),
      ...jsonRecordsIn(printed).flatMap(({ msg }) => {
        const { type, session_id } = asObject(msg) ?? {};
        return type === 'session_configured' ? (asText(session_id) ?? []) : [];
      }),
    ],
  },
  {
    host: 'copilot',
    names: ['copilot', '@github/copilot'],
    // Its last line; with `--output-format json` its last record (1.0.102).
    idsIn: (printed) => [
      ...[...printed.matchAll(/^Resume +copilot --resume=([0-9a-f-]{36})$/gm)].flatMap(([, id]) => id ?? []),
      ...byRecord(printed, 'sessionId', ({ type }) => type === 'result'),
    ],
  },
  {
    host: 'gemini',
    names: ['gemini', '@google/gemini-cli'],
    // `-o json` prints one record with the answer, `-o stream-json` one that begins the stream.
    idsIn: (printed) =>
      byRecord(printed, 'session_id', ({ type, response }) =>
        type === undefined ? response !== undefined : type === 'init',
      ),
  },
  {
    host: 'opencode',
    names: ['opencode', 'opencode-ai'],
    // `run --format json`: every record names it.
    idsIn: (printed) => byRecord(printed, 'sessionID'),
  },
  {
    host: 'qwen',
    names: ['qwen', '@qwen-code/qwen-code'],
    // `-o json | stream-json`: as Claude Code's.
    idsIn: (printed) => byRecord(printed, 'session_id'),
  },
];

function byRecord(
  printed: string,
  id: string,
  isIt: (record: JsonObject) => boolean = ({ type }) => type !== undefined,
): readonly string[] {
  if (!printed.includes(`"${id}"`)) return [];
  return jsonRecordsIn(printed).flatMap((record) => (isIt(record) && asText(record[id])) || []);
}

/** Commands of a conversation that have no result yet, as far as they may start a session of any host. */
export interface AskedCommands {
  ask(call: ToolCallId, command: unknown): void;
  /** The bytes name one of these calls: what it printed may be long, and is to be read whole. */
  areNamedIn(bytes: Uint8Array): boolean;
  /** The sessions that the command started, by what it printed. */
  printed(call: ToolCallId, text: string): readonly SessionId[];
}

/** A word that names a program, wherever it stands: most commands have none, and are not looked into. */
const MENTION = new RegExp(`\\b(?:${PROGRAMS.flatMap(({ names }) => names[0] ?? []).join('|')})\\b`);
/** What is longer than a person would read is no command to run an agent. */
const MAX_COMMAND = 20_000;

export function createAskedCommands(): AskedCommands {
  const open = new Map<ToolCallId, string>();
  return {
    ask(call, command) {
      if (typeof command !== 'string' || command.length > MAX_COMMAND || !MENTION.test(command)) return;
      open.set(call, command);
    },
    areNamedIn(bytes) {
      if (open.size === 0) return false;
      const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return [...open.keys()].some((call) => all.includes(call));
    },
    printed(call, text) {
      const command = open.get(call);
      if (command === undefined) return [];
      open.delete(call);
      return sessionsPrinted(command, text);
    },
  };
}

/** Readers cut long texts in the middle. Of one that may start a session, the whole is needed. */
export function isCutCommand(command: unknown): boolean {
  return typeof command === 'string' && command.length > CUT && MENTION.test(command);
}

/** They keep no more than this of a long one. */
const CUT = 2_500;

/**
 * Ids of sessions in what a command printed, where the command runs that very host's program, and only as that program prints
 * its own: the text of a log, of an answer, of another program is no evidence.
 */
export function sessionsPrinted(command: string, text: string): readonly SessionId[] {
  if (command.length > MAX_COMMAND || !MENTION.test(command)) return [];
  const found = PROGRAMS.map(({ host, names, idsIn }) => ({ host, names, ids: new Set(idsIn(text)) }));
  const naming = found.filter(({ ids }) => ids.size > 0);
  if (naming.length === 0) return [];
  const run = programsIn(command);
  return naming
    .filter(({ names }) => names.some((name) => run.has(name)))
    .flatMap(({ host, ids }) => [...ids].map((id) => toSessionId(host, id)));
}

/** By the shell's own grammar: `echo codex` runs none, `timeout 60 codex` does. */
function programsIn(command: string): ReadonlySet<string> {
  const nowhere = { cwd: null, home: null, projectDir: null, resolve: (path: string) => path };
  return new Set(
    analyse(command, nowhere).commands.flatMap(({ words: [word = ''], isSuspected }) => {
      // A text that a program might run is no proof that it did.
      if (isSuspected) return [];
      const name = word.split(/[\\/]/).at(-1) ?? '';
      return [word.replace(/(?<!^)@[^/@]*$/, ''), name.replace(/\.(?:exe|cmd|ps1)$/i, '')];
    }),
  );
}

/** Longer lines are whole conversations: the ids stand in short ones, too. */
const MAX_LENGTH = 1_000_000;

/** JSON objects in what a program printed, between whatever else it printed: one a line, a list on a line, one over many lines. */
function jsonRecordsIn(text: string): readonly JsonObject[] {
  const lines = text.split('\n').filter((line) => /^(\{.*\}|\[\{.*\}\])\s*$/.test(line));
  // As `JSON.stringify(…, null, 2)` prints it: what begins at the margin ends there.
  const blocks = [...text.matchAll(/^\{\n(?: .*\n)+\}/gm)].map(([block]) => block);
  return [...lines, ...blocks]
    .filter(({ length }) => length <= MAX_LENGTH)
    .flatMap((json) => [parseJson(json)].flat().filter(isObject));
}
