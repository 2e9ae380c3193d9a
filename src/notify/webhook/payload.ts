import { createHash } from 'node:crypto';
import type { AgentReport, Ask, LiveSessionReport, RunReport, SessionDetail, TimelineCall } from '../../core/index.ts';
import { type RichText, rich, splitRich } from '../messages/rich-text.ts';
import type { News } from '../news.ts';

/** What is sent (docs/WEBHOOK.md). The names are a contract: add, never rename. */
export interface WebhookEvent {
  /** The same whenever it is sent again. */
  readonly id: string;
  readonly type: News['kind'] | 'ask' | 'ask-ended';
  /** When it happened; ISO 8601, UTC. */
  readonly at: string;
  /** As a person reads it; two lines at most, but for asks. */
  readonly text: string;
  readonly session: Pick<LiveSessionReport, 'id' | 'host' | 'project' | 'title' | 'cwd'> | null;
  readonly agent: AgentReport | null;
  readonly call: TimelineCall | null;
  readonly run: RunReport | null;
  readonly ask: Ask | null;
}

export function newsEvent(news: News, session: SessionDetail, text: string): WebhookEvent {
  const { id, host, project, title, cwd } = session;
  const agent = 'agent' in news ? news.agent : 'owner' in news ? news.owner : session.main;
  return {
    id: eventId(`${host}:${id}:${news.id}`),
    type: news.kind,
    at: new Date(news.at).toISOString(),
    text,
    session: { id, host, project, title, cwd },
    agent,
    call: 'call' in news ? news.call : null,
    run: 'run' in news ? news.run : null,
    ask: null,
  };
}

/** It goes into a header, and holds ids of the host's, which may be anything. */
const LONGEST_ID = 200;

function eventId(text: string): string {
  const bytes = Buffer.from(text);
  // Half of a character becomes a whole one.
  const id = bytes.toString();
  return id.length <= LONGEST_ID ? id : `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function askEvent(ask: Ask, session: SessionDetail | undefined, text: string): WebhookEvent {
  const agent = session && [session.main, ...session.subagents].find(({ id }) => id === ask.agent.id);
  const type = ask.end === null ? 'ask' : 'ask-ended';
  return {
    id: `${type}:${ask.id}`,
    type,
    at: ask.end?.at ?? ask.at,
    text,
    session: session
      ? { id: session.id, host: session.host, project: session.project, title: session.title, cwd: session.cwd }
      : null,
    agent: agent ?? null,
    call: null,
    run: null,
    // Who knows the number of an ask may answer it: that is not for everybody on the way.
    ask: { ...ask, id: ask.id.slice(0, 8) },
  };
}

export type WebhookForm = 'troupe' | 'slack' | 'discord';

/** Discord takes no more. */
const LONGEST_DISCORD = 2_000;

export interface BodyOptions {
  readonly form: WebhookForm;
  /** A text without the credentials in it. */
  readonly mask: (text: string) => string;
}

export function bodyOf(event: WebhookEvent, text: RichText, { form, mask }: BodyOptions): string {
  if (form === 'slack') return JSON.stringify({ text: withMarks(text, (words) => escapeSlack(mask(words))) });
  if (form === 'troupe') {
    // By ids things are known again: they stay as they are.
    const isMaskable = (name: string, value: unknown): value is string =>
      typeof value === 'string' && !/(^i|I)d$/.test(name);
    return JSON.stringify(event, (name, value: unknown) => (isMaskable(name, value) ? mask(value) : value));
  }
  // Nobody is called by what an agent wrote.
  return JSON.stringify({ content: fitting(text, LONGEST_DISCORD, mask), allowed_mentions: { parse: [] } });
}

/** Cut before the marks are set, so that none stays open. */
function fitting(text: RichText, most: number, mask: BodyOptions['mask']): string {
  for (let room = most; ; room -= 50) {
    const [part = rich()] = splitRich(text, room);
    const words = withMarks(part, mask) + (part.text.length < text.text.length ? '…' : '');
    if (words.length <= most) return words;
  }
}

/** Foreign words as code, which these programs leave alone. */
function withMarks({ text, marks }: RichText, masked: (text: string) => string): string {
  let result = '';
  let at = 0;
  for (const { kind, from, length } of marks) {
    const fence = kind === 'pre' ? '```' : '`';
    const code = text.slice(from, from + length).replaceAll('`', 'ˋ');
    result += `${masked(text.slice(at, from))}${fence}${masked(code)}${fence}`;
    at = from + length;
  }
  return result + masked(text.slice(at));
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
