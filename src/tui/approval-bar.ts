import {
  type AnswerOutcome,
  type ApprovalAnswer,
  type ApprovalRequest,
  cleanLine,
  cutLines,
  endText,
  formatApprovalCall,
  formatApprovalLines,
  type LiveEvent,
  onTimeoutText,
  paintMark,
  remainingText,
  requesterText,
  withApproval,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { type Hint, reasonOf } from './help.ts';
import { editText, type Key } from './keys.ts';
import { fitTo, spread, type WatchPaint } from './paint.ts';

interface ApprovalBarOptions {
  readonly paint: WatchPaint;
  /** Only of the sessions whose id begins so. */
  readonly session?: string;
  readonly answer: AnswerCall;
  readonly hueOf: (ask: ApprovalRequest) => number | null;
  /** In the last line of what is shown. */
  readonly say: (text: string) => void;
  readonly onChange: () => void;
}

/** What the person says to a call that waits; with the passphrase, if the server wants it. */
export type AnswerCall = (
  ask: ApprovalRequest,
  answer: ApprovalAnswer,
  passphrase?: string,
) => Promise<AnswerOutcome | 'passphrase-needed'>;

export type ApprovalBar = ReturnType<typeof createApprovalBar>;

/** Calls that wait for the person, one after another. */
export function createApprovalBar(options: ApprovalBarOptions) {
  const { paint, session = '', answer, hueOf, say, onChange } = options;
  let asks: readonly ApprovalRequest[] = [];
  /** One press says which answer to which ask; only the same once more gives it. */
  let chosen: { readonly id: string; readonly answer: ApprovalAnswer } | undefined;
  /** Answered here: what comes of it is told by the answer. */
  const sent = new Set<string>();
  const open = (): readonly ApprovalRequest[] =>
    asks.filter((ask) => ask.end === null && (ask.session ?? '').startsWith(session) && !sent.has(ask.id));

  /** The passphrase as far as it is typed, to allow that call. It is shown nowhere. */
  let typing: { readonly id: string; readonly text: string } | undefined;

  const send = async (ask: ApprovalRequest, said: ApprovalAnswer, passphrase?: string): Promise<void> => {
    sent.add(ask.id);
    try {
      const answered = await answer(ask, said, passphrase);
      if (answered === 'passphrase-needed') {
        sent.delete(ask.id);
        typing = { id: ask.id, text: '' };
      } else if (answered.outcome === 'unknown') say('Too late: the call does not wait any more.');
      else say(`${answered.outcome === 'late' ? 'Too late. ' : ''}${endOf(answered.ask)}`);
    } catch (error) {
      sent.delete(ask.id);
      say(`The answer did not arrive: ${reasonOf(error)}`);
    }
    onChange();
  };

  return {
    handleEvent(event: LiveEvent): void {
      if (event.type === 'snapshot') asks = event.data.asks;
      if (event.type !== 'ask') return;
      const wasOpen = open().some(({ id }) => id === event.data.id);
      asks = withApproval(asks, event.data);
      if (event.data.end !== null && wasOpen) say(endOf(event.data));
    },
    /** true: the key was meant for it. */
    press(key: Key): boolean {
      const [ask] = open();
      // Keys are for the passphrase until it is there, also if its call has ended meanwhile: they must not become commands.
      if (typing) {
        const { id, text } = typing;
        const isEnter = key.kind === 'named' && key.name === 'enter';
        const isOver = key.kind === 'named' && ['enter', 'escape', 'ctrl-c'].includes(key.name);
        typing = isOver ? undefined : { id, text: editText(text, key) ?? text };
        if (isEnter && ask?.id === id && text !== '') void send(ask, 'allow', text);
        return true;
      }
      const before = chosen;
      chosen = undefined;
      if (!ask) return false;
      const said = key.kind === 'typed' ? ANSWERS[key.text] : undefined;
      // Whatever else is pressed is a no, and no more than that.
      if (!said) return before !== undefined;
      if (before?.id === ask.id && before.answer === said) void send(ask, said);
      else chosen = { id: ask.id, answer: said };
      return true;
    },
    isTyping: () => typing !== undefined,
    height: (size: Size): number => approvalBarHeight(open(), size),
    lines(size: Size, now: number, away?: string): readonly string[] {
      const [ask, ...others] = open();
      if (!ask) return [];
      const facts: ApprovalBarState = {
        ...{ asks: [ask, ...others], hue: hueOf(ask), now },
        ...(chosen?.id === ask.id && { chosen: chosen.answer }),
        ...(typing && { typed: typing.text.length }),
        ...(away !== undefined && { away }),
      };
      return formatApprovalBar(facts, approvalBarHeight(facts.asks, size), size.columns, paint);
    },
  };
}

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = { y: 'allow', n: 'deny' };

function endOf(ask: ApprovalRequest): string {
  return ask.end ? `${endText(ask.end)} ${formatApprovalCall(ask)}` : '';
}

interface ApprovalBarState {
  /** Open ones, oldest first: the first is asked now. */
  readonly asks: readonly ApprovalRequest[];
  /** Said once, to be said again. */
  readonly chosen?: ApprovalAnswer;
  /** So many characters of the passphrase. */
  readonly typed?: number;
  /** Keys go elsewhere: how to get back. */
  readonly away?: string;
  /** Of the agent that asks. */
  readonly hue: number | null;
  readonly now: number;
}

/** Above and below what is asked about: who, and the keys. */
const AROUND = 2;
/** Rows that the tree needs to be one. */
const TREE_ROWS = 11;

/** How many rows of the screen it takes: as many as the call needs, but a small screen needs them for the tree. */
function approvalBarHeight([ask]: readonly ApprovalRequest[], { rows, columns }: Size): number {
  if (!ask) return 0;
  const room = rows - TREE_ROWS - AROUND;
  if (room < 1) return rows >= 4 ? 1 : 0;
  return AROUND + Math.min(room, linesOf(ask, columns).length);
}

function linesOf(ask: ApprovalRequest, columns: number): readonly string[] {
  return formatApprovalLines(ask, Math.max(8, columns - 3));
}

/** At the bottom of the screen, as long as a call waits: who, what, why, how long, and the keys. */
function formatApprovalBar(
  facts: ApprovalBarState,
  height: number,
  columns: number,
  paint: WatchPaint,
): readonly string[] {
  const [ask] = facts.asks;
  if (!ask || height === 0) return [];
  const { asks, hue, now } = facts;
  const count = asks.length > 1 ? ` (1 of ${asks.length})` : '';
  const mark = `${paintMark('needs you', paint)} ${paint.bold(paint.yellow(`needs you${count}`))}`;
  const left = `${remainingText(ask, now)}, ${onTimeoutText(ask)}`;
  if (height <= AROUND) {
    const asked = facts.chosen === undefined ? 'y allow · n deny' : confirmText(facts.chosen);
    const keys = facts.typed === undefined ? asked : passphraseText(facts.typed);
    return [spread(` ${mark}  ${formatApprovalCall(ask)}`, `${facts.away ?? keys}  ${left}`, columns)].map((line) =>
      fitTo(line, columns),
    );
  }
  const why = ask.rule === null ? ask.reason : `${ask.reason} (${ask.rule})`;
  const lines = [
    spread(` ${mark}  ${paint.agent(hue, requesterText(ask))}`, paint.yellow(left), columns),
    ...cutLines(linesOf(ask, columns), height - AROUND).map((line) => `   ${paint.bold(line)}`),
    `   ${keysOf(facts, paint)}  ${paint.dim(cleanLine(why))}`,
  ];
  return lines.map((line) => fitTo(line, columns));
}

function keysOf({ chosen, away, typed }: ApprovalBarState, paint: WatchPaint): string {
  if (typed !== undefined) return paint.bold(passphraseText(typed));
  if (away !== undefined) return paint.dim(away);
  if (chosen !== undefined) return paint.bold(confirmText(chosen));
  return ASK_KEYS.map(([key, does]) => `${paint.bold(key)} ${does}`).join('  ');
}

const ASK_KEYS: readonly Hint[] = [
  ['y', 'allow once'],
  ['n', 'deny'],
];

function passphraseText(typed: number): string {
  return `Passphrase to allow it: ${'•'.repeat(Math.min(typed, 20))}▏ enter: allow · esc: no`;
}

function confirmText(chosen: ApprovalAnswer): string {
  return chosen === 'allow'
    ? 'Allow it? y again: yes · any other key: no'
    : 'Deny it? n again: yes · any other key: no';
}
