import { computed, effect } from '@preact/signals';
import {
  type AgentReport,
  agentsOf,
  type GlanceCount,
  glanceAt,
  isBusy,
  PLAIN,
  paintMark,
  type SessionDetail,
  standingOf,
} from '../../../src/core/index.ts';
import { type AgentRef, lostSince, picture } from '../store.ts';

export type CountName = GlanceCount['name'];

const IS_COUNTED: Readonly<Record<CountName, (agent: AgentReport) => boolean>> = {
  'at-work': isBusy,
  'needs-you': (agent) => standingOf(agent) === 'needs you',
  silent: (agent) => standingOf(agent) === 'silent',
};

/** The next one behind `from` who stands so, in the order of the list; from the last one on to the first. */
export function nextOf(
  name: CountName,
  sessions: readonly SessionDetail[],
  from: AgentRef | undefined,
): AgentRef | undefined {
  const agents = sessions.flatMap((session) => agentsOf(session));
  const at = agents.findIndex(({ id, sessionId }) => id === from?.agent && sessionId === from.session);
  const found = [...agents.slice(at + 1), ...agents.slice(0, at + 1)].find(
    (agent) => agent.kind !== 'internal' && IS_COUNTED[name](agent),
  );
  return found && { session: found.sessionId, agent: found.id };
}

export const counts = computed(() => (picture.value ? glanceAt(picture.value) : []));

const NEEDS_YOU = '#ffb000';

/** The title and the icon of the page say it, too: the page is mostly behind another one. */
export function startPageHead(page: Document): void {
  const link = page.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const plain = link?.href;
  effect(() => {
    page.title = titleText(counts.value, lostSince.value !== undefined);
  });
  const needsYou = computed(() => counts.value.some(({ name }) => name === 'needs-you'));
  effect(() => {
    if (link && plain !== undefined) link.href = needsYou.value ? iconWithDot(NEEDS_YOU) : plain;
  });
}

/** The icon of the page with a dot on it, where somebody needs the person. Nothing of a transcript is in it. */
export function iconWithDot(colour: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#20242c"/><g fill="none" stroke="#8b93a1" stroke-width="1.5"><path d="M8 16h6M14 16V9h4M14 16v7h4"/></g><circle cx="8" cy="16" r="3.2" fill="#d8dce3"/><circle cx="21" cy="23" r="3.2" fill="#e69f00"/><circle cx="23" cy="9" r="8.5" fill="${colour}" stroke="#20242c" stroke-width="2"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** What a person sees of the page while another one is in front: who needs them, else who is stuck, else who works. */
export function titleText(counts: readonly GlanceCount[], isLost: boolean): string {
  if (isLost) return 'no connection · troupe';
  const count = (['needs-you', 'silent', 'at-work'] as const)
    .map((name) => counts.find((one) => one.name === name))
    .find((one) => one !== undefined);
  return count ? `${paintMark(count.standing, PLAIN)} ${count.count} ${count.word} · troupe` : 'troupe';
}
