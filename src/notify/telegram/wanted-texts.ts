import { isSessionBusy, type LiveSnapshot, type SessionDetail } from '../../core/index.ts';
import { sessionLine } from '../messages/notice-lines.ts';
import { joinRich, type RichText, rich, splitRich } from '../messages/rich-text.ts';
import { statusMessage } from '../messages/status-message.ts';
import { keyOf } from '../news-desk.ts';
import { LONGEST_MESSAGE, MOST_MARKS } from './bot-api.ts';
import type { ChatState } from './chat-state.ts';
import { sharesChat } from './place-sessions.ts';

/** More at work in one chat than can each be brought up to date within a few seconds, at one request a second. */
export const BOARD_FROM = 4;
const BOARD_LINE = 150;

/** What the message of a session should say now. */
export function wantedStatus(state: ChatState, picture: LiveSnapshot, session: SessionDetail, now: number): RichText {
  const status = statusMessage(session, now);
  return withSessionLine(status, sharesChat(state, picture, keyOf(session), now) ? session : undefined);
}

/** In one message, whatever it is. */
export function withSessionLine(text: RichText, session: SessionDetail | undefined): RichText {
  const whole = session ? joinRich([sessionLine(session), text]) : text;
  return splitRich(whole, LONGEST_MESSAGE, MOST_MARKS)[0] ?? rich('⚙️ working…');
}

/** All sessions of a chat in one message: a line each. Undefined where there was never a need for it. */
export function wantedBoard(state: ChatState, picture: LiveSnapshot, chat: number, now: number): RichText | undefined {
  const busy = picture.sessions.filter(
    (session) => state.sessions[keyOf(session)]?.chat === chat && isSessionBusy(session),
  );
  if (busy.length < BOARD_FROM && !state.chats[chat]?.board) return undefined;
  if (busy.length === 0) return rich('✅ nobody at work');
  const lines = busy.map((session) => {
    const line = joinRich([sessionLine(session), headOf(statusMessage(session, now))], ' ');
    return withOneMark(splitRich(line, BOARD_LINE)[0] ?? rich());
  });
  return fitting(rich(`⚙️ ${busy.length} ${busy.length === 1 ? 'session' : 'sessions'} at work`), lines);
}

/** Names of many agents in many lines are more marks than a message may have. */
function withOneMark({ text, marks }: RichText): RichText {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last) return { text, marks };
  return { text, marks: [{ kind: 'code', from: first.from, length: last.from + last.length - first.from }] };
}

function headOf(status: RichText): RichText {
  const end = status.text.indexOf('\n');
  return end < 0 ? status : (splitRich(status, end)[0] ?? status);
}

/** As many lines as there is room for; how many are missing is said. */
function fitting(head: RichText, lines: readonly RichText[]): RichText {
  for (let shown = lines.length; shown > 0; shown--) {
    const left = lines.length - shown;
    const text = joinRich([head, ...lines.slice(0, shown), ...(left > 0 ? [rich(`… ${left} more`)] : [])]);
    if (text.text.length <= LONGEST_MESSAGE && text.marks.length <= MOST_MARKS) return text;
  }
  return head;
}
