// The words for a call that waits for a person, the same on every face.
import { type AnsweredBy, type Ask, type AskEnd, type ChatPerson, isChatPerson } from '../approval.ts';
import { callerText } from './audit-texts.ts';
import { cleanLine } from './clean-text.ts';

/** What is asked about, in one line. */
export function askedText({ tool, summary }: Pick<Ask, 'tool' | 'summary'>): string {
  return cleanLine(`${tool ?? '–'} ${summary ?? ''}`).trim();
}

export function askerText({ agent }: Pick<Ask, 'agent'>): string {
  return callerText(agent);
}

/** 4:09; 1:00:00. The last second is 0:01. */
export function remainingText({ expiresAt }: Pick<Ask, 'expiresAt'>, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - now) / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** What happens if nobody says anything. */
export function otherwiseText({ otherwise }: Pick<Ask, 'otherwise'>): string {
  if (otherwise === null) return 'the host asks, too';
  return otherwise === 'allow' ? 'then allowed' : 'then denied';
}

const BY: Readonly<Record<Exclude<AnsweredBy, ChatPerson>, string>> = {
  page: 'on the page',
  terminal: 'in the terminal',
  cli: 'on the command line',
  api: 'by a program',
  expiry: 'no answer came in time',
  stop: 'the server stopped',
  'no-server': 'no server ran that could ask',
  withdrawn: 'taken back before an answer came',
};

/** Who settled it, in a few words. */
export function answeredByText(by: AnsweredBy): string {
  if (!isChatPerson(by)) return BY[by];
  const [user = '', name] = by.slice('telegram:'.length).split(' ');
  return `on Telegram by ${name ?? `user ${user}`}`;
}

/** Allowed on the page. Denied: no answer came in time. */
export function endText({ decision, by }: Pick<AskEnd, 'decision' | 'by'>): string {
  if (decision === null)
    return by === 'withdrawn' ? 'Taken back before an answer came.' : `Left open: ${answeredByText(by)}.`;
  const so = decision === 'allow' ? 'Allowed' : 'Denied';
  const isPerson = by === 'page' || by === 'terminal' || by === 'cli' || by === 'api' || isChatPerson(by);
  return isPerson ? `${so} ${answeredByText(by)}.` : `${so}: ${answeredByText(by)}.`;
}
