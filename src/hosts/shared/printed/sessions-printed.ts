import { type SessionId, type ToolCallId, toSessionId } from '../../../core/index.ts';
import { analyse } from '../../../guard/shell/index.ts';
import { PROGRAMS } from './programs.ts';

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
    analyse(command, nowhere).commands.flatMap(({ words: [word = ''] }) => [
      word.replace(/(?<!^)@[^/@]*$/, ''),
      word
        .split(/[\\/]/)
        .at(-1)
        ?.replace(/\.(?:exe|cmd|ps1)$/i, '') ?? '',
    ]),
  );
}
