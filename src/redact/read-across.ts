// What only two texts of a conversation together tell: what a command printed, and a token that was cut between two results.

import type { TranscriptBlock, TranscriptMessage } from '../core/index.ts';
import { isObject } from '../lib/json.ts';
import type { createMatcher } from './match-rules.ts';
import { asksForSecret } from './read-nearby.ts';
import { readAnswer } from './read-printed.ts';
import { isCode, isOrdinary, looksRandom } from './value-looks.ts';
import { plainView } from './view.ts';

type Match = ReturnType<typeof createMatcher>;

/** The secrets that nothing in their own text tells. Linear: of each result one end is looked at once more. */
export function secretsAcross(messages: readonly TranscriptMessage[], match: Match): readonly string[] {
  const commands = new Map<string, readonly string[]>();
  const found: string[] = [];
  let before = '';
  let asked = '';
  const read = (block: TranscriptBlock): void => {
    if (block.type === 'tool_use') {
      const said = commandsOf(block.input);
      if (said.length > 0) commands.set(block.tool_use_id, said);
      return;
    }
    if (block.type === 'text') {
      if (asked !== '') found.push(...answersIn(asked, block.text, match));
      const last = block.text.trimEnd();
      const line = last.slice(Math.max(last.lastIndexOf('\n') + 1, last.length - NEAR));
      asked = /[?:？：]$/.test(line) && asksForSecret(line) ? line : '';
    }
    if (block.type !== 'tool_result') return;
    for (const command of commands.get(block.tool_use_id) ?? [])
      readAnswer(command, block.text, (start, end) => void found.push(block.text.slice(start, end)));
    found.push(...halvesOf(before, block.text, match));
    before = block.text;
  };
  for (const { content } of messages) for (const block of content) read(block);
  return found;
}

const COMMAND_FIELDS = ['command', 'cmd', 'script'];

/** What a call runs in a shell: a text, or the last word of a list (`["bash", "-lc", "…"]`). */
function commandsOf(input: unknown): readonly string[] {
  if (!isObject(input)) return [];
  return COMMAND_FIELDS.flatMap((field) => {
    const said = input[field];
    const text = Array.isArray(said) ? said.at(-1) : said;
    return typeof text === 'string' ? [text] : [];
  });
}

/** The length of the end of a result that is looked at. */
const NEAR = 200;

/** What answers a question for a secret in the message before. */
function answersIn(asked: string, text: string, match: Match): readonly string[] {
  const answer = text.slice(0, NEAR);
  const found: string[] = [];
  match(plainView(`${asked}\n${answer}`), (_rule, start, end) => {
    if (start > asked.length) found.push(answer.slice(start - asked.length - 1, end - asked.length - 1));
  });
  return found;
}

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
