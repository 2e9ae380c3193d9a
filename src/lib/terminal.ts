import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { isDumb } from './screen.ts';

/** The terminal that we were started in. */
export function createTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const isForced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const coloured = isForced || (stdout.isTTY && !env['NO_COLOR'] && !isDumb(process));
  const deep = stdout.isTTY ? stdout.getColorDepth() >= 24 : env['COLORTERM'] === 'truecolor';
  return {
    write: (text) => void stdout.write(text),
    send: (text) => write(stdout, text),
    page: (text) => (stdout.isTTY && text.split('\n').length > stdout.rows ? pageThrough(text) : write(stdout, text)),
    note: (text) => void stderr.write(`${text}\n`),
    ...(stderr.isTTY && !isDumb(process) && { noteInPlace: (text) => void stderr.write(`\r\u001b[K${text}`) }),
    ...(process.stdin.isTTY && stdout.isTTY && { ask, askWords }),
    browse,
    isInputTyped: process.stdin.isTTY === true,
    colours: coloured ? (deep ? '24bit' : '16') : 'none',
    ...(stdout.isTTY && { width: stdout.columns }),
  };
}

function write(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

/** Anything but yes is no, the end of the input included. */
async function ask(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
    return /^y(es)?$/i.test((await Promise.race([reader.question(`${question} [y/N] `), ended])).trim());
  } finally {
    reader.close();
  }
}

/** A secret is typed, or pasted, without being shown. */
async function askWords(question: string, { isSecret }: { readonly isSecret: boolean }): Promise<string | undefined> {
  let isShown = true;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) process.stdout.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  try {
    const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
    const asked = reader.question(`${question} `);
    isShown = !isSecret;
    return (await Promise.race([asked, ended])).trim() || undefined;
  } finally {
    reader.close();
    if (isSecret) process.stdout.write('\n');
  }
}

/** The person's own pager. */
function pageThrough(text: string): Promise<void> {
  const [command = 'less', ...args] = (process.env['PAGER'] || 'less').split(' ');
  return new Promise((resolve) => {
    // As git does: less shows our colours, and quits by itself where there is little to show.
    const env = { LESS: 'FRX', ...process.env };
    const pager = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'], env });
    pager.on('error', () => write(process.stdout, text).then(resolve));
    pager.on('close', () => resolve());
    // The person may quit before everything was handed over.
    pager.stdin.on('error', () => {});
    pager.stdin.end(text);
  });
}

/** A browser that runs in the foreground of its opener, or is slow to start, counts as opened. */
const OPENED_AFTER_MS = 2_000;

/** A machine without a screen has no browser to open. */
async function browse(url: string): Promise<boolean> {
  const { platform, env } = process;
  const isBlind = platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'];
  if (isBlind || env['SSH_CONNECTION']) return false;
  const [command, ...args] =
    platform === 'darwin' ? ['open', url] : platform === 'win32' ? ['cmd', '/c', 'start', '', url] : ['xdg-open', url];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), OPENED_AFTER_MS);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
  });
}

export interface Terminal {
  write(text: string): void;
  /** The same for a lot of text: done when it was taken. */
  send(text: string | Uint8Array): Promise<void>;
  /** For long answers: through a pager where a person is watching. */
  page(text: string): Promise<void>;
  /** For words that are not the answer: progress, hints. */
  note(text: string): void;
  /** One line that takes the place of the last such; where somebody is watching. */
  readonly noteInPlace?: (text: string) => void;
  /** Yes or no, where there is a person to ask. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Words of the person, where there is one to ask; undefined where they say nothing. What is secret is not shown. */
  readonly askWords?: (question: string, options: { readonly isSecret: boolean }) => Promise<string | undefined>;
  /** Opens an address in the person's browser; false if there is none, or it could not be started. */
  browse(url: string): Promise<boolean>;
  /** Standard input is a terminal: nothing is piped into it. */
  readonly isInputTyped?: boolean;
  /** Columns, where a person is watching. */
  readonly width?: number;
  readonly colours: 'none' | '16' | '24bit';
}
