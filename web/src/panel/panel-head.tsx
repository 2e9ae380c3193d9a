import { cleanLine, runsText } from '../../../src/core/index.ts';
import { AttachButton } from '../attach/attach-button.tsx';
import { ExportButton } from '../export/export-button.tsx';
import { hueOf } from '../parts/hue.ts';
import { PlaceLink } from '../parts/place-link.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { kindText } from './kind-text.ts';
import { type AgentProps, refOf } from './section.tsx';

export function PanelHead({ session, agent }: AgentProps) {
  const isMain = agent.kind === 'main';
  const name = isMain ? (session.title ?? agent.label) : agent.label;
  const kind = isMain ? `session in ${session.project ?? 'no known project'}` : kindText(agent);
  const { group } = agent;
  return (
    <header class="panel-head" style={{ borderColor: hueOf(agent.hue) }}>
      <p class="panel-kind">
        {cleanLine(kind)}
        {group && ` · ${group.kind} ${cleanLine(group.name ?? group.id)}`}
      </p>
      <h2>{cleanLine(name)}</h2>
      <p class="panel-status">
        <StatusMark agent={agent} word />
        <span class="dim">{runsText(agent)}</span>
      </p>
      <div class="panel-ways">
        <nav class="panel-links" aria-label="Look at it in">
          <PlaceLink in="read" to={refOf(agent)}>
            Transcript
          </PlaceLink>
          <PlaceLink in="timeline" to={refOf(agent)}>
            Timeline
          </PlaceLink>
          <PlaceLink in="graph" to={refOf(agent)}>
            Graph
          </PlaceLink>
        </nav>
        <div class="panel-acts">
          <AttachButton agent={agent.id} session={session.id} />
          {isMain && <ExportButton session={session.id} />}
        </div>
      </div>
    </header>
  );
}
