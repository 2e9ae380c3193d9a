// What only two texts of a conversation together tell: what a command printed, and a token that was cut between two results.

import type { TranscriptBlock, TranscriptMessage } from '../core/index.ts';
import { isObject } from '../lib/json.ts';
import type { createMatcher } from './match-rules.ts';
import { isPrinted, isPrintingSecret } from './read-printed.ts';
import { isCode, isOrdinary, looksRandom } from './value-looks.ts';
import { plainView } from './view.ts';

type Match = ReturnType<typeof createMatcher>;

/** The secrets that nothing in their own text tells. Linear: of each result one end is looked at once more. */
export function secretsAcross(messages: readonly TranscriptMessage[], match: Match): readonly string[] {
  const printing = new Set<string>();
  const found: string[] = [];
  let before = '';
  const read = (block: TranscriptBlock): void => {
    if (block.type === 'tool_use') {
      if (commandsOf(block.input).some(isPrintingSecret)) printing.add(block.tool_use_id);
      return;
    }
    if (block.type !== 'tool_result') return;
    if (printing.has(block.tool_use_id) && !block.is_error) {
      const value = onlyWordOf(block.text);
      if (value !== undefined && isPrinted(value)) found.push(value);
    }
    found.push(...halvesOf(before, block.text, match));
    before = block.text;
  };
  for (const { content } of messages) for (const block of content) read(block);
  return found;
}

const COMMAND_FIELDS = ['command', 'cmd', 'script'];

/** The last command of each line that a call runs: `cd app && pass show mail`. */
function commandsOf(input: unknown): readonly string[] {
  if (!isObject(input)) return [];
  return COMMAND_FIELDS.flatMap((field) => {
    const said = input[field];
    const text = Array.isArray(said) ? said.at(-1) : said;
    if (typeof text !== 'string' || text.length > LONGEST_COMMAND) return [];
    return [
      text
        .slice(text.lastIndexOf('\n') + 1)
        .replace(/^.*(?:&&|;)/, '')
        .trim(),
    ];
  });
}

const LONGEST_COMMAND = 2_000;
const LONGEST_ANSWER = 4_000;

function onlyWordOf(text: string): string | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  return /^\s{0,20}["']?([^\s"']{6,4000})["']?\s{0,20}$/.exec(text)?.[1];
}

/** The length of the end of a result that is looked at. */
const NEAR = 200;

/** Both parts of what becomes a secret only when the beginning of a result is read behind the end of the one before. */
function halvesOf(before: string, after: string, match: Match): readonly string[] {
  const tail = before.slice(-NEAR);
  const head = after.slice(0, NEAR);
  if (!/[\w+/=.-]{4}$/.test(tail) || !isDrawn(/^[\w+/=-]{8,120}/.exec(head)?.[0] ?? '')) return [];
  const found: string[] = [];
  match(plainView(tail + head), (_rule, start, end) => {
    if (start >= tail.length || end <= tail.length) return;
    found.push(...[tail.slice(start), head.slice(0, end - tail.length)].filter(isDrawn));
  });
  return found;
}

/** Drawn at random, so that it can be looked for everywhere. */
const isDrawn = (part: string): boolean =>
  ((part.length >= 12 && looksRandom(part)) || /^(?=.*\d)(?:[A-Z\d]{8,}|[a-f\d]{16,})$/.test(part)) &&
  !isOrdinary(part) &&
  !isCode(part);
