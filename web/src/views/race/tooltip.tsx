import { cleanLine, formatCount, plural } from '../../../../src/core/index.ts';
import { nowShown } from '../../store.ts';
import type { Lane } from './block.ts';
import { chipWords } from './chip-text.ts';
import { factsOf } from './facts.ts';
import { belowWords, contextWords, statusWords } from './lane-words.ts';
import { pixels } from './pixels.ts';
import type { Row } from './rows.ts';

/** Where it points: in the part of the view that is in sight. */
export interface Spot {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  readonly viewWidth: number;
  readonly viewHeight: number;
}

const WIDTH = 360;

/** Everything about a lane that was cut or left out. The mirror says the same to those who do not see it. */
export function Tooltip({ row, spot }: { readonly row: Row; readonly spot: Spot }) {
  if (row.kind === 'earlier') return null;
  const width = Math.min(WIDTH, spot.viewWidth - 16);
  const left = Math.max(8, Math.min(spot.x, spot.viewWidth - width - 8));
  // On the side with more room, so that it never covers its own lane.
  const isBelow = spot.viewHeight - spot.bottom >= spot.top;
  const side = isBelow ? pixels({ top: spot.bottom + 4 }) : pixels({ bottom: spot.viewHeight - spot.top + 4 });
  return (
    <div class="race-tooltip" role="tooltip" style={{ ...pixels({ left, width }), ...side }}>
      {row.kind === 'chip' ? <p>{chipWords(row.chip)}</p> : <LaneFacts lane={row.lane} />}
    </div>
  );
}

function LaneFacts({ lane }: { readonly lane: Lane }) {
  const { agent } = lane;
  const { type, model, mark } = factsOf(agent);
  const kind = [lane.project, type, model, cleanLine(agent.effort ?? '')].filter((part) => part !== '').join(' · ');
  const evidence = agent.evidence && agent.evidence.rank !== 'exact' ? agent.evidence : undefined;
  return (
    <>
      <p class="race-tooltip-name">{lane.name}</p>
      {kind !== '' && <p class="race-tooltip-dim">{kind}</p>}
      <p class="race-tooltip-now">
        <span aria-hidden="true">{mark}</span> {statusWords(agent, nowShown.value)}
      </p>
      <p class="race-tooltip-dim">{contextWords(agent)}</p>
      <p class="race-tooltip-dim">
        {[
          agent.usage === null ? 'output not known' : `${formatCount(agent.usage.output)} tokens written`,
          ...(agent.toolCallCount === null ? [] : [plural(agent.toolCallCount, 'tool call')]),
          ...(belowWords(lane) === '' ? [] : [belowWords(lane)]),
        ].join(' · ')}
      </p>
      {evidence && (
        <p class="race-tooltip-dim">
          {evidence.rank === 'guess' ? '? a guess: ' : '? '}
          {evidence.text}
        </p>
      )}
    </>
  );
}
