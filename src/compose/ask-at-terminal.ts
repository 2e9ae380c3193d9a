import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import type { Ask, AskAnswer } from '../model/ask.ts';
import { askerText, otherwiseText, remainingText } from '../render/ask-texts.ts';
import { askedLines } from '../render/asked-lines.ts';
import { cleanLine } from '../render/clean-text.ts';

/** Undefined where the person did not answer: another way was faster, or the terminal is gone. */
export type AskAtTerminal = (ask: Ask, signal: AbortSignal) => Promise<AskAnswer | undefined>;

/**
 * The terminal itself: the program and whoever it talks to have stdin and stdout. Undefined where nobody sits there. One
 * question at a time.
 */
export function createAskAtTerminal(): AskAtTerminal | undefined {
  if (!process.stderr.isTTY || !canOpen()) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (ask, signal) => {
    const next = last.then(() => (signal.aborted ? undefined : askOnce(ask, signal)));
    last = next.catch(() => undefined);
    return next;
  };
}

const TERMINAL = '/dev/tty';

function canOpen(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'r+'));
    return true;
  } catch {
    return false;
  }
}

async function askOnce(ask: Ask, signal: AbortSignal): Promise<AskAnswer | undefined> {
  const input = new ReadStream(openSync(TERMINAL, 'r'));
  const output = new WriteStream(openSync(TERMINAL, 'w'));
  const reader = createInterface({ input, output });
  const ended = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
  try {
    const lines = [
      `troupe: ${askerText(ask)} asks for`,
      ...askedLines(ask, output.columns - 2).map((line) => `  ${line}`),
      `  ${cleanLine(ask.reason)}`,
    ];
    output.write(`${lines.join('\n')}\n`);
    const left = `${remainingText(ask, Date.now())} left, ${otherwiseText(ask)}`;
    const said = await Promise.race([reader.question(`Allow it once? (${left}) [y/n] `, { signal }), ended]);
    if (said === undefined) return undefined;
    return /^y(es)?$/i.test(said.trim()) ? 'allow' : 'deny';
  } catch {
    output.write('\n');
    return undefined;
  } finally {
    reader.close();
    input.destroy();
    output.destroy();
  }
}
