import { closeSync, openSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadStream, WriteStream } from 'node:tty';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  cleanLine,
  formatApprovalLines,
  onTimeoutText,
  remainingText,
  requesterText,
} from '../../core/index.ts';
import type { SharedScreen } from '../../lib/screen.ts';

/** Undefined where the person did not answer: another way was faster, or the terminal is gone. */
export interface TerminalPrompt {
  (ask: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | undefined>;
  /** What the person types is not shown. */
  readonly passphrase: (signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * The terminal itself: the program and whoever it talks to have stdin and stdout. Undefined where nobody sits there. One
 * question at a time.
 */
export function createTerminalPrompt(screen: SharedScreen): TerminalPrompt | undefined {
  if (!process.stderr.isTTY || !canOpen()) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(signal: AbortSignal, act: () => Promise<T>): Promise<T | undefined> => {
    const next = last.then(async () => {
      if (signal.aborted) return undefined;
      const giveBack = screen.take();
      return act().finally(giveBack);
    });
    last = next.catch(() => undefined);
    return next;
  };
  const prompt = (ask: ApprovalRequest, signal: AbortSignal) => inTurn(signal, () => askOnce(ask, signal));
  return Object.assign(prompt, {
    passphrase: (signal: AbortSignal) => inTurn(signal, () => readPassphrase(signal)),
  });
}

async function readPassphrase(signal: AbortSignal): Promise<string | undefined> {
  const input = new ReadStream(openSync(TERMINAL, 'r'));
  const output = new WriteStream(openSync(TERMINAL, 'w'));
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: silent, terminal: true });
  reader.once('SIGINT', () => {
    reader.close();
    process.kill(0, 'SIGINT');
  });
  try {
    output.write('Passphrase for approvals: ');
    return (await lineOf(reader, '', signal))?.trim() || undefined;
  } catch {
    return undefined;
  } finally {
    output.write('\n');
    reader.close();
    input.destroy();
    output.destroy();
  }
}

const TERMINAL = '/dev/tty';
/** Keys that were pressed before the question stood there are no answer to it. */
const TYPED_BEFORE_MS = 120;

function canOpen(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'r+'));
    return true;
  } catch {
    return false;
  }
}

async function askOnce(ask: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  const input = new ReadStream(openSync(TERMINAL, 'r'));
  const output = new WriteStream(openSync(TERMINAL, 'w'));
  try {
    await forgetTyped(input);
    const lines = [
      `troupe: ${requesterText(ask)} asks for`,
      ...formatApprovalLines(ask, output.columns - 2).map((line) => `  ${line}`),
      `  ${cleanLine(ask.reason)}`,
    ];
    output.write(`${lines.join('\n')}\n`);
    return await readAnswer(ask, signal, input, output);
  } finally {
    input.destroy();
    output.destroy();
  }
}

async function forgetTyped(input: ReadStream): Promise<void> {
  const forget = (): void => {};
  // Only so lines that are not whole yet are forgotten, too.
  input.setRawMode(true);
  input.on('data', forget);
  await sleep(TYPED_BEFORE_MS);
  input.off('data', forget);
  input.pause();
  input.setRawMode(false);
}

async function readAnswer(
  ask: ApprovalRequest,
  signal: AbortSignal,
  input: ReadStream,
  output: WriteStream,
): Promise<ApprovalAnswer | undefined> {
  const reader = createInterface({ input, output });
  // The keys are ours as long as we ask: what Ctrl-C means to everybody here, we have to tell them.
  reader.once('SIGINT', () => {
    reader.close();
    process.kill(0, 'SIGINT');
  });
  try {
    for (;;) {
      const left = `${remainingText(ask, Date.now())} left, ${onTimeoutText(ask)}`;
      const said = await lineOf(reader, `Allow it once? (${left}) [y/n] `, signal);
      if (said === undefined) return undefined;
      if (/^\s*y(es)?\s*$/i.test(said)) return 'allow';
      if (/^\s*no?\s*$/i.test(said)) return 'deny';
    }
  } catch {
    output.write('\n  It is settled without an answer from here.\n');
    return undefined;
  } finally {
    reader.close();
  }
}

/** Undefined where nothing more can be read: Ctrl-C, Ctrl-D, or the terminal is gone. */
function lineOf(reader: Interface, question: string, signal: AbortSignal): Promise<string | undefined> {
  const closed = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
  return Promise.race([reader.question(question, { signal }), closed]);
}
