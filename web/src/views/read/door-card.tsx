import { useComputed } from '@preact/signals';
import {
  type AgentReport,
  cleanLine,
  formatCount,
  plural,
  type SubAgentRef,
  timeText,
} from '../../../../src/core/index.ts';
import { describeCall, type MessagePart } from '../../../../src/core/transcript/index.ts';
import { PlaceLink } from '../../parts/place-link.tsx';
import { hueOf, StatusMark } from '../../parts/status-mark.tsx';
import { clock } from '../../store.ts';
import { FoldedText } from './folded-text.tsx';
import { type PartPlace, slotName } from './part-place.ts';
import { Prose } from './prose.tsx';
import { agentIn, nameOf, typeOf } from './who.ts';

interface DoorProps {
  readonly part: Extract<MessagePart, { readonly kind: 'call' }>;
  readonly to: SubAgentRef;
  readonly session: string;
  readonly place: PartPlace;
}

/** At the call that made a sub-agent: the way into its transcript, and what came back out. */
export function DoorCard({ part, to, session, place }: DoorProps) {
  const agent = useComputed(() => agentIn(session, to.agent_id)).value;
  const view = describeCall(part.call, part.result);
  const name = agent ? nameOf(agent) : cleanLine(to.agent_name ?? to.agent_id);
  const type = agent ? typeOf(agent) : cleanLine(to.agent_type ?? '');
  const [prompt, answer] = view.kind === 'errand' ? [view.prompt, view.answer] : ['', part.result?.text];
  return (
    <div class="read-door" style={{ '--door': hueOf(agent?.hue ?? null) }}>
      <PlaceLink in="read" to={{ session, agent: to.agent_id }} class="read-door-head">
        <span class="read-door-name" data-slot={slotName(place, 'head')}>
          {name}
        </span>
        {type !== '' && <span class="read-door-type">{type}</span>}
        <span class="read-door-open">
          open <span aria-hidden="true">→</span>
        </span>
      </PlaceLink>
      {agent && <DoorFacts agent={agent} saysWhy={answer === undefined} />}
      {prompt !== '' && (
        <div class="read-door-part">
          <span class="read-door-label">asked</span>
          <FoldedText text={prompt} place={place} slot="prompt" limits={{ head: 4, tail: 0 }} class="read-plain" />
        </div>
      )}
      {answer !== undefined && answer !== '' && (
        <div class="read-door-part">
          <span class={`read-door-label${part.result?.isError ? ' read-outcome-bad' : ''}`}>
            {part.result?.isError ? '✗ failed' : 'answered'}
          </span>
          <div>
            <Prose text={answer} place={place} slot="output" limits={{ head: 8, tail: 0 }} />
          </div>
        </div>
      )}
    </div>
  );
}

function DoorFacts({ agent, saysWhy }: { readonly agent: AgentReport; readonly saysWhy: boolean }) {
  const reason = saysWhy && agent.status !== 'completed' ? (agent.runs.at(-1)?.reason ?? null) : null;
  return (
    <p class="read-door-facts">
      <StatusMark agent={agent} word />
      {reason !== null && <span class="read-door-reason">{cleanLine(reason)}</span>}
      {agent.background && <span>in the background</span>}
      <span>{timeText(agent, clock.value)}</span>
      <span>{agent.toolCallCount === null ? '– tool calls' : plural(agent.toolCallCount, 'tool call')}</span>
      <span>{agent.usage === null ? '–' : formatCount(agent.usage.output)} tokens written</span>
    </p>
  );
}
