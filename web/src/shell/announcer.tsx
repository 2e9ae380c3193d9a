import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { agentsOf, cleanLine, cutTo, type SessionDetail, sessionKey, standingOf } from '../../../src/core/index.ts';
import { picture } from '../store.ts';

const PAUSE_MS = 4000;

/** Says when somebody needs the person, fails or nears the end of a budget, at most once in a few seconds. */
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

// What a screen reader is told without being asked: that somebody needs the person, has failed, or is near the end of a budget. Nothing else.

/** For one, and for several. */
const VERBS = {
  'needs you': ['needs you', 'need you'],
  failed: ['failed', 'failed'],
  'budget used up': ['has used up a budget', 'have used up a budget'],
  'budget low': ['has nearly used up a budget', 'have nearly used up a budget'],
} as const;

export interface Notification {
  readonly kind: keyof typeof VERBS;
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
  const told = new Set(before?.budgetAlerts?.map(({ id }) => id));
  const alerts = (now.budgetAlerts ?? []).filter(({ id, state }) => state !== 'grace' && !told.has(id));
  const ofBudgets = alerts.map(({ state, agentId }): Notification => {
    const { label } = now.subagents.find(({ id }) => id === agentId) ?? now.main;
    return { kind: state === 'warned' ? 'budget low' : 'budget used up', label: cutTo(cleanLine(label), 60) };
  });
  const ofAgents = agentsOf(now).flatMap((agent): readonly Notification[] => {
    const earlier = known.get(agent.id);
    if (agent === earlier || agent.kind === 'internal') return [];
    const kind = standingOf(agent);
    if ((kind !== 'needs you' && kind !== 'failed') || (earlier && standingOf(earlier) === kind)) return [];
    // One that was never seen at work failed before we looked.
    if (kind === 'failed' && !earlier) return [];
    return [{ kind, label: cutTo(cleanLine(agent.label), 60) }];
  });
  return [...ofAgents, ...ofBudgets];
}

const MAX_NAMED = 2;

/** «Fix the tests» needs you. 3 agents failed. */
export function newsText(news: readonly Notification[]): string {
  return (Object.keys(VERBS) as Notification['kind'][])
    .map((kind) => ({ kind, labels: news.filter((one) => one.kind === kind).map(({ label }) => label) }))
    .filter(({ labels }) => labels.length > 0)
    .map(({ kind, labels }) => {
      const verb = VERBS[kind][labels.length > 1 ? 1 : 0];
      if (labels.length > MAX_NAMED) return `${labels.length} agents ${verb}.`;
      return `${labels.map((label) => `«${label}»`).join(' and ')} ${verb}.`;
    })
    .join(' ');
}
