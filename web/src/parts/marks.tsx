import { computed, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  type AgentReport,
  formatAge,
  formatDuration,
  formatStatus,
  PLAIN,
  paintMark,
  standingOf,
} from '../../../src/core/index.ts';
import { read, select, showIn } from '../actions.ts';
import { hashOf } from '../route.ts';
import { type AgentRef, clock, nowShown, type ViewName, view } from '../store.ts';

interface LinkProps {
  readonly to: AgentRef;
  readonly class?: string;
  readonly title?: string;
  /** What else happens on the way. */
  readonly onGo?: () => void;
  readonly children: ComponentChildren;
}

/** To an agent in one of the views: a real address, so that it can be copied and opened in a new tab. */
export function PlaceLink({
  in: name,
  message,
  ...link
}: LinkProps & { readonly in: ViewName; readonly message?: number }) {
  const go = (): void => (name === 'read' ? read(link.to, message) : showIn(name, link.to));
  return <Anchor {...link} href={hashOf({ view: name, ref: link.to, message })} go={go} />;
}

/** Selects an agent; the view stays. */
export function AgentLink(link: LinkProps) {
  const href = hashOf({ view: view.value, ref: link.to, message: undefined });
  return <Anchor {...link} href={href} go={() => select(link.to)} />;
}

function Anchor({
  href,
  go,
  onGo,
  class: name,
  title,
  children,
}: LinkProps & { readonly href: string; readonly go: () => void }) {
  return (
    <a
      href={href}
      class={name}
      title={title}
      onClick={(event) => {
        if (!isPlain(event)) return;
        event.preventDefault();
        go();
        onGo?.();
      }}
    >
      {children}
    </a>
  );
}

/** Neither a new tab nor a new window is asked for. */
export function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

/** The colour of an agent, the same in every UI; the main agent is neutral. */
export function hueOf(hue: number | null): string {
  return hue === null ? 'var(--text-dim)' : `var(--hue-${hue % 12})`;
}

/** Shape and word first, colour last: the mark has its word for those who do not see it. */
export function StatusMark({ agent, word = false }: { readonly agent: AgentReport; readonly word?: boolean }) {
  const standing = standingOf(agent);
  return (
    <span class={`standing standing-${standing.replace(' ', '-')}`}>
      <span aria-hidden="true">{paintMark(standing, PLAIN)}</span>
      <span class={word ? 'standing-word' : 'visually-hidden'}>{formatStatus(agent)}</span>
    </span>
  );
}

/** 2026-11-15 14:03:12, by the clock on the wall. */
export function exactTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${wallTime(at.getTime())}`;
}

/** 14:03:12 */
export function wallTime(epochMs: number): string {
  const at = new Date(epochMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

const SHOWN_MS = 1500;

/** Copies a text, and says whether it did. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState<'copied' | 'not copied' | undefined>(undefined);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    // Without a clipboard (an insecure address, a refusal) the text can still be marked by hand.
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).then(
      () => setSaid('copied'),
      () => setSaid('not copied'),
    );
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span role="status">{said ?? 'copy'}</span>
    </button>
  );
}

/** Minutes do not change every second: hundreds of rows need not be drawn anew for it. */
const slowClock = computed(() => clock.value - (clock.value % 10_000));
const slowNow = computed(() => (nowShown.value === clock.value ? slowClock.value : nowShown.value));
const SECONDS_MS = 100_000;

/** 4 min ago, with the exact time for those who point at it. `isLive`: by the clock, also while the past is replayed. */
export function Ago({ at, isLive = false }: { readonly at: string | null; readonly isLive?: boolean }) {
  if (at === null) return <span title="No time was written down">–</span>;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {formatAge(at, nowAbout(Date.parse(at), isLive))}
    </time>
  );
}

/** For how long: 4 min. */
export function Since({ at, isLive = false }: { readonly at: number; readonly isLive?: boolean }) {
  return (
    <span title={`since ${exactTime(new Date(at).toISOString())}`}>
      {formatDuration(Math.max(0, nowAbout(at, isLive) - at)).replace(/\.\d s$/, ' s')}
    </span>
  );
}

function nowAbout(at: number, isLive: boolean): number {
  const [quick, slow]: readonly ReadonlySignal<number>[] = isLive ? [clock, slowClock] : [nowShown, slowNow];
  if (!quick || !slow) return at;
  return slow.value - at < SECONDS_MS ? quick.value : slow.value;
}
