import { cleanLine, type HeardCall, heldText, momentText } from '../../../../src/core/index.ts';
import { callTitle, pathParts, whyText } from '../../guard/call-words.ts';
import { DecisionButton } from '../../guard/decision-button.tsx';
import { hueOf } from '../../parts/hue.ts';
import { exactTime } from '../../parts/time-text.ts';
import { type AgentRef, agentsOf, sessions } from '../../store.ts';

export interface RowProps {
  readonly call: HeardCall;
  readonly index: number;
  readonly top: number;
  readonly isCurrent: boolean;
  readonly isElsewhere: boolean;
  /** Calls of other days say which day it was. */
  readonly now: number;
  readonly onSelect: () => void;
  readonly onRead: () => void;
  readonly onShowInput: () => void;
  /** It is the one that is meant from now on. */
  readonly onPoint: () => void;
}

export function rowId({ n }: HeardCall): string {
  return `guard-${n}`;
}

/** Who made it, as the views know agents; undefined where nobody knows. */
export function refOfCall({ session, agent }: HeardCall): AgentRef | undefined {
  return session === null || agent.id === null || agent.who === 'unknown' ? undefined : { session, agent: agent.id };
}

export function CallRow({ call, index, top, isCurrent, isElsewhere, now, ...acts }: RowProps) {
  const { above, own } = pathParts(call);
  const session = sessions.value.find((one) => agentsOf(one).some(({ id }) => id === call.session));
  const agent = session && agentsOf(session).find(({ id }) => id === call.agent.id);
  const project = isElsewhere ? session?.project : undefined;
  const held = heldText(call);
  const hasAgent = refOfCall(call) !== undefined;
  return (
    <tr
      class={`guard-row guard-${call.decision}`}
      id={rowId(call)}
      aria-rowindex={index + 2}
      aria-selected={isCurrent}
      style={{ transform: `translateY(${top}px)` }}
      title={callTitle(call)}
    >
      <td class="guard-time">
        <time dateTime={call.at} title={exactTime(call.at)}>
          {momentText(call.at, now)}
        </time>
      </td>
      <td class="guard-agent">
        <span class="guard-hue" style={{ background: hueOf(agent?.hue ?? null) }} />
        <button type="button" tabIndex={-1} disabled={!hasAgent} onClick={acts.onSelect}>
          <span class="guard-above">
            {project ? `${cleanLine(project)} · ` : ''}
            {above}
          </span>
          <span class={hasAgent ? 'guard-own' : 'guard-unknown'}>{own}</span>
        </button>
      </td>
      <td class="guard-tool">{cleanLine(call.tool ?? '–')}</td>
      <td class="guard-what">
        <button type="button" tabIndex={-1} disabled={!hasAgent} onClick={acts.onRead}>
          <code>{cleanLine(call.summary ?? '')}</code>
        </button>
        <button type="button" tabIndex={-1} class="guard-more" aria-label="All of the input" onClick={acts.onShowInput}>
          {'{…}'}
        </button>
      </td>
      <td class="guard-decision">
        <DecisionButton call={call} isInGrid onPress={acts.onPoint} />
        {call.answeredBy !== undefined && <span class="guard-answered"> {call.answeredBy}</span>}
      </td>
      <td class="guard-why">{whyText(call)}</td>
      <td class="guard-ms">{held === '' ? '' : `${held} ms`}</td>
    </tr>
  );
}
