import { asObject } from '../lib/json.ts';
import type { News } from './news.ts';

/** What has been told of a session. Its size is that of the tree, not of the conversation: calls are remembered by time. */
export interface Told {
  /** Epoch milliseconds: what happened before is history. */
  readonly since: number;
  /** Of everything but calls. */
  readonly ids: readonly string[];
  /** How far the calls of each agent were told. */
  readonly calls: Readonly<Record<string, CallMark>>;
  /** What the person was last called for; null while there is nothing. */
  readonly notice: GivenNotice | null;
}

export type Notice = 'needs-you' | 'rest' | 'rest-with-others';

export interface GivenNotice {
  readonly kind: Notice;
  /** Of the main agent, by then: with more of them it is another turn, however short it was. */
  readonly messages: number;
}

/** Calls from before `at` were told; of those that began in that very millisecond, these. */
export interface CallMark {
  readonly at: number;
  readonly ids: readonly string[];
}

export function nothingTold(since: number): Told {
  return { since, ids: [], calls: {}, notice: null };
}

export function isCallTold(told: Told, agent: string, call: string, at: number): boolean {
  if (at < told.since) return true;
  const mark = told.calls[agent];
  return mark !== undefined && (at < mark.at || (at === mark.at && mark.ids.includes(call)));
}

/** After this was told. */
export function withTold(told: Told, news: News): Told {
  switch (news.kind) {
    case 'called':
      return {
        ...told,
        calls: { ...told.calls, [news.agent.id]: markCall(told, news.agent.id, news.call.id, news.at) },
      };
    case 'needs-you':
      return { ...told, notice: { kind: 'needs-you', messages: news.session.main.messageCount ?? 0 } };
    case 'rest':
      return {
        ...told,
        notice: {
          kind: news.id.endsWith(':others') ? 'rest-with-others' : 'rest',
          messages: news.session.main.messageCount ?? 0,
        },
      };
    default:
      return told.ids.includes(news.id) ? told : { ...told, ids: [...told.ids, news.id] };
  }
}

function markCall({ calls }: Told, agent: string, call: string, at: number): CallMark {
  const before = calls[agent];
  if (!before || at > before.at) return { at, ids: [call] };
  return at === before.at ? { at, ids: [...before.ids, call] } : before;
}

/** As it was kept; whatever else it has become. */
export function readTold(value: unknown, since: number): Told {
  const raw = asObject(value);
  const calls = Object.entries(asObject(raw?.['calls']) ?? {}).flatMap(([agent, mark]) => {
    const { at, ids } = asObject(mark) ?? {};
    return typeof at === 'number' && isTexts(ids) ? [[agent, { at, ids }] as const] : [];
  });
  const [from, ids, notice] = [raw?.['since'], raw?.['ids'], raw?.['notice']];
  return {
    since: typeof from === 'number' ? from : since,
    ids: isTexts(ids) ? ids : [],
    calls: Object.fromEntries(calls),
    notice: readNotice(notice),
  };
}

function readNotice(value: unknown): GivenNotice | null {
  const { kind, messages } = asObject(value) ?? {};
  const known = NOTICES.find((one) => one === kind);
  return known && typeof messages === 'number' ? { kind: known, messages } : null;
}

const NOTICES: readonly Notice[] = ['needs-you', 'rest', 'rest-with-others'];

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
