// What a command is found to do, as it is walked through.
import type { CallUses, SimpleCommand, UsedPath } from './call.ts';
import { FIRST_CHOICE, MAX_CHOICES } from './marks.ts';

export interface Gathering {
  /** Which one it is: its place in `commands`. */
  addCommand(command: FoundCommand): number;
  addRead(path: UsedPath): void;
  addWrite(path: UsedPath): void;
  addHost(host: string): void;
  /** Something cannot be known, but what it is about stands there to be read: code of another language. */
  miss(why: string): void;
  /** Something cannot be known at all: it may be anything. */
  lose(why: string): void;
  /** A shell might run more than the commands that are found. */
  markUnproven(why: string): void;
  isFull(): boolean;
  /** What is found in there may be run, or may be no more than a text: denies look at its commands, and nothing else does. */
  suspect(run: () => void): void;
  /** A mark for one of these texts; null: there are too many of them. */
  addChoice(values: readonly string[]): string | null;
  choicesOf(mark: string): readonly string[];
  uses(): CallUses;
}

/** Whether it is transparent is only known after what is inside it was looked at. */
export type FoundCommand = { -readonly [Key in keyof SimpleCommand]: SimpleCommand[Key] };

/** Beyond so many commands or paths nothing is told apart any more. */
const MAX_FOUND = 1000;

/** Some host, and nobody can say which. */
export const SOME_HOST = '*';

export function createGathering(): Gathering {
  const commands: FoundCommand[] = [];
  const reads: UsedPath[] = [];
  const writes: UsedPath[] = [];
  const hosts = new Set<string>();
  const choices: (readonly string[])[] = [];
  let unknown: string | null = null;
  let mayBeAnything = false;
  let unproven: string | null = null;
  let isSuspecting = false;
  /** Who asks and is told so looks no further: what was not looked at may be anything, whatever it is suspected of. */
  function isFull(): boolean {
    const is = commands.length + reads.length + writes.length + hosts.size > MAX_FOUND;
    if (is && !mayBeAnything) unknown = 'it does too much to be looked through';
    mayBeAnything ||= is;
    return is;
  }

  function lose(why: string): void {
    if (isSuspecting) return;
    // The worst is told first: it is the reason that people see.
    if (!mayBeAnything) unknown = why;
    mayBeAnything = true;
  }

  function addTo<Found>(list: Found[], found: Found): void {
    if (!isFull()) list.push(found);
  }

  return {
    addCommand: (command) => {
      addTo(commands, command);
      return commands.length - 1;
    },
    addRead: (path) => isSuspecting || addTo(reads, path),
    addWrite: (path) => isSuspecting || addTo(writes, path),
    addHost: (host) => {
      if (!isSuspecting) hosts.add(host);
    },
    miss: (why) => {
      if (!isSuspecting) unknown ??= why;
    },
    lose,
    markUnproven: (why) => {
      if (!isSuspecting) unproven ??= why;
    },
    isFull,
    suspect: (run) => {
      if (isSuspecting) return;
      const from = commands.length;
      isSuspecting = true;
      try {
        run();
      } finally {
        isSuspecting = false;
        for (const command of commands.slice(from)) command.isTransparent = true;
      }
    },
    addChoice: (values) => {
      if (choices.length === MAX_CHOICES) return null;
      choices.push(values);
      return String.fromCharCode(FIRST_CHOICE + choices.length - 1);
    },
    choicesOf: (mark) => choices[mark.charCodeAt(0) - FIRST_CHOICE] ?? [],
    uses: () => ({ commands, reads, writes, hosts: [...hosts], unknown, mayBeAnything, unproven }),
  };
}
