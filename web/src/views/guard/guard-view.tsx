import { useEffect, useMemo } from 'preact/hooks';
import { cleanLine } from '../../../../src/core/index.ts';
import { useBackend } from '../../backend-context.ts';
import { type CallFeed, openCallFeed } from '../../guard/call-feed.ts';
import { wish, wishFor } from '../../guard/wish.ts';
import { currentSession, replayAt, selected } from '../../store.ts';
import { CallTable } from './call-table.tsx';
import { CoverageLine } from './coverage-line.tsx';
import { GuardChips } from './guard-chips.tsx';
import { GuardEmpty } from './guard-empty.tsx';
import { filter, noteSeen } from './guard-state.ts';
import './guard.css';

const FIRST = 300;

/** Every tool call that a hook told of, as it comes: when, which agent, what, and what was decided. */
export function GuardView() {
  const backend = useBackend();
  const wanted = filter.value;
  const session = currentSession.value?.id;
  const feed = useMemo(() => openCallFeed(backend, wanted, FIRST), [backend, wanted]);
  useEffect(() => feed.close, [feed]);
  useEffect(showLinkedAgent, []);
  const calls = feed.calls.value;
  useEffect(() => noteSeen(calls), [calls]);
  const until = replayAt.value;
  const shown = until === undefined ? calls : calls.filter(({ at }) => Date.parse(at) <= until);
  const state = feed.state.value;
  return (
    <section class="guard" aria-label="Guard">
      {state !== 'silent' && (
        <header class="guard-head">
          {session !== undefined && !wish.value.isEverywhere && <CoverageLine key={session} session={session} />}
          <GuardChips />
        </header>
      )}
      <Trouble state={state} />
      {shown.length > 0 ? (
        <CallTable key={JSON.stringify(wanted)} feed={feed} calls={shown} />
      ) : (
        <GuardEmpty state={state} isPast={calls.length > 0} />
      )}
    </section>
  );
}

/** Who came by a link to one agent sees its calls; who selects another one on the way goes on seeing all. */
function showLinkedAgent(): void {
  const ref = selected.peek();
  if (ref && ref.agent !== ref.session) wishFor({ agent: ref });
}

function Trouble({ state }: { readonly state: CallFeed['state']['value'] }) {
  if (typeof state === 'string') return null;
  return (
    <p class="guard-trouble" role="alert">
      The audit could not be read: {cleanLine(state.trouble)}
    </p>
  );
}
