import { useEffect, useMemo } from 'preact/hooks';
import { callerText, cleanLine } from '../../../src/core/index.ts';
import { useBackend } from '../backend-context.ts';
import { openCallFeed } from '../guard/call-feed.ts';
import { callTitle } from '../guard/call-words.ts';
import { DecisionButton } from '../guard/decision-button.tsx';
import { sessionFilter } from '../guard/session-filter.ts';
import { wishFor } from '../guard/wish.ts';
import { PlaceLink } from '../parts/place-link.tsx';
import { wallTime } from '../parts/time-text.ts';
import { replayAt } from '../store.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

const SHOWN = 6;
/** Further back, for those who replay. */
const LOADED = 100;

/** Its last tool calls that hooks told of, and what was decided. Nothing where no hook told of one. */
export function CallsSection({ session: { startedAt }, agent: { id, sessionId, ownSessionId } }: AgentProps) {
  const backend = useBackend();
  const feed = useMemo(
    () => openCallFeed(backend, { ...sessionFilter({ id: ownSessionId, startedAt }), agent: id }, LOADED),
    [backend, ownSessionId, id],
  );
  useEffect(() => feed.close, [feed]);
  const until = replayAt.value ?? Number.POSITIVE_INFINITY;
  const calls = feed.calls.value.filter(({ at }) => Date.parse(at) <= until).slice(-SHOWN);
  if (calls.length === 0) return null;
  return (
    <Section title="Calls heard by hooks">
      <ul class="panel-calls">
        {calls.map((call) => (
          <li key={call.n} class={`panel-call-${call.decision}`} title={callTitle(call)}>
            <time dateTime={call.at}>{wallTime(Date.parse(call.at))}</time>
            <span>
              <b>{cleanLine(call.tool ?? '–')}</b> <code>{cleanLine(call.summary ?? '')}</code>
              {call.agent.evidence !== 'exact' && <span class="panel-why">{callerText(call.agent)}</span>}
            </span>
            <span class="panel-decision">
              <DecisionButton call={call} />
            </span>
          </li>
        ))}
      </ul>
      <p class="dim">
        <PlaceLink
          in="guard"
          to={refOf({ id, sessionId })}
          onGo={() => wishFor({ isEverywhere: false, agent: { session: sessionId, agent: id } })}
        >
          All of them
        </PlaceLink>
      </p>
    </Section>
  );
}
