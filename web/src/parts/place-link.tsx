import type { ComponentChildren } from 'preact';
import { read, select, showIn } from '../actions.ts';
import { hashOf } from '../route.ts';
import { type AgentRef, type ViewName, view } from '../store.ts';

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
