import type { FeedState } from '../../guard/call-feed.ts';
import { ALL, isNarrowed, wish, wishFor } from '../../guard/wish.ts';
import { CopyButton } from '../../parts/copy-button.tsx';

const INSTALL = 'troupe hooks install';

/** Why there is no call to see, and what to do. */
export function GuardEmpty({ state, isPast }: { readonly state: FeedState; readonly isPast: boolean }) {
  if (typeof state !== 'string') return null;
  if (state === 'loading')
    return (
      <p class="empty-loading" role="status">
        Loading the audit…
      </p>
    );
  if (state === 'silent')
    return <Words head="No hooks here." text="A recording has none: hooks speak while an agent works." />;
  if (isPast) return <Words head="No call yet." text="At this moment of the replay no hook had told of one." />;
  if (isNarrowed(wish.value))
    return (
      <Words head="No call is like that.">
        <button type="button" onClick={() => wishFor({ ...ALL, isEverywhere: wish.peek().isEverywhere })}>
          Show all of them
        </button>
      </Words>
    );
  const head = wish.value.isEverywhere ? 'No hook has told of a tool call yet.' : 'No hook told of this session.';
  return (
    <Words
      head={head}
      text="With hooks, every tool call stands here as it is made, with the agent that made it. The command shows the change to the host's settings, and asks before it makes it:"
    >
      <p class="empty-command">
        <code>{INSTALL}</code> <CopyButton text={INSTALL} what="the command" />
      </p>
      {!wish.value.isEverywhere && (
        <button type="button" onClick={() => wishFor({ isEverywhere: true })}>
          See all sessions
        </button>
      )}
    </Words>
  );
}

interface WordsProps {
  readonly head: string;
  readonly text?: string;
  readonly children?: preact.ComponentChildren;
}

function Words({ head, text, children }: WordsProps) {
  return (
    <div class="empty" role="status">
      <h2>{head}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}
