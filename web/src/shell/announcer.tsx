import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { agentsOf, cleanLine, cutTo, type SessionDetail, sessionKey, standingOf } from '../../../src/core/index.ts';
import { picture } from '../store.ts';

const PAUSE_MS = 4000;

/** Says when somebody needs the person or fails, at most once in a few seconds. */
export function Announcer() {
  const [said, setSaid] = useState('');
  useEffect(() => {
    let before: readonly SessionDetail[] | undefined;
    let waiting: Notification[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const say = (): void => {
      timer = undefined;
      if (waiting.length === 0) return;
      setSaid(newsText(waiting));
      waiting = [];
      timer = setTimeout(say, PAUSE_MS);
    };
    const stop = effect(() => {
      const now = picture.value;
      if (!now?.isComplete) return;
      // What was so when the page was opened is no news.
      const news = findNews(before ?? now.sessions, now.sessions);
      before = now.sessions;
      if (news.length === 0) return;
      waiting.push(...news);
      // A moment later: who fails seldom fails alone.
      timer ??= setTimeout(say, 200);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="visually-hidden" aria-live="polite" data-announcer>
      {said}
    </div>
  );
}

// What a screen reader is told without being asked: that somebody needs the person, or has failed. Nothing else.

export interface Notification {
  readonly kind: 'needs you' | 'failed';
  readonly label: string;
}

/** What is new since an earlier picture. What did not change since is the same object, and is passed over. */
export function findNews(before: readonly SessionDetail[], now: readonly SessionDetail[]): readonly Notification[] {
  const known = new Map(before.map((session) => [sessionKey(session), session]));
  return now.flatMap((session) => {
    const earlier = known.get(sessionKey(session));
    return earlier === session ? [] : notificationsOf(earlier, session);
  });
}

function notificationsOf(before: SessionDetail | undefined, now: SessionDetail): readonly Notification[] {
  const known = new Map((before ? agentsOf(before) : []).map((agent) => [agent.id, agent]));
  return agentsOf(now).flatMap((agent): readonly Notification[] => {
    const earlier = known.get(agent.id);
    if (agent === earlier || agent.kind === 'internal') return [];
    const kind = standingOf(agent);
    if ((kind !== 'needs you' && kind !== 'failed') || (earlier && standingOf(earlier) === kind)) return [];
    // One that was never seen at work failed before we looked.
    if (kind === 'failed' && !earlier) return [];
    return [{ kind, label: cutTo(cleanLine(agent.label), 60) }];
  });
}

const MAX_NAMED = 2;

/** «Fix the tests» needs you. 3 agents failed. */
export function newsText(news: readonly Notification[]): string {
  return (['needs you', 'failed'] as const)
    .map((kind) => ({ kind, labels: news.filter((one) => one.kind === kind).map(({ label }) => label) }))
    .filter(({ labels }) => labels.length > 0)
    .map(({ kind, labels }) => {
      const verb = kind === 'needs you' && labels.length > 1 ? 'need you' : kind;
      if (labels.length > MAX_NAMED) return `${labels.length} agents ${verb}.`;
      return `${labels.map((label) => `«${label}»`).join(' and ')} ${verb}.`;
    })
    .join(' ');
}
