import { cleanLine } from '../../../src/core/index.ts';
import { AgentLink, hueOf, Since } from '../parts/marks.tsx';
import { filter, searchIn, sessions, useBackend } from '../store.ts';
import { FilterBar } from './filter-bar.tsx';
import { MessageHits } from './message-hits.tsx';
import { type Alarm, findAlarms } from './order.ts';
import { SessionList } from './session-list.tsx';
import './sessions.css';

export function SessionsColumn() {
  const { search } = useBackend();
  const isText = search !== undefined && searchIn.value === 'messages' && filter.value.text.trim() !== '';
  return (
    <nav class="sessions" aria-label="Sessions">
      <FilterBar />
      {isText ? <MessageHits search={search} /> : <SessionList />}
      <Radar />
    </nav>
  );
}

/** Who needs the person, and who is silent: on what, and for how long. Where there is nobody, there is no radar. */
export function Radar() {
  const needing = findAlarms(sessions.value, 'needs you');
  const silent = findAlarms(sessions.value, 'silent');
  if (needing.length + silent.length === 0) return null;
  return (
    <div class="radar">
      <AlarmList name="Needs you" class="radar-needs-you" alarms={needing} />
      <AlarmList name="Silent" class="radar-silent" alarms={silent} />
    </div>
  );
}

interface AlarmListProps {
  readonly name: string;
  readonly class: string;
  readonly alarms: readonly Alarm[];
}

function AlarmList({ name, class: kind, alarms }: AlarmListProps) {
  if (alarms.length === 0) return null;
  return (
    <section class={kind} aria-label={name}>
      <h2 class="sessions-head">
        {name} <span class="dim">{alarms.length}</span>
      </h2>
      <ul>
        {alarms.map(({ key, agent, session, since, on }) => (
          <li key={key} class="radar-row">
            <AgentLink to={{ session: session.id, agent: agent.id }}>
              <span class="sessions-line">
                <span class="radar-dot" style={{ background: hueOf(agent.hue) }} aria-hidden="true" />
                <span class="radar-name">{cleanLine(agent.label)}</span>
                <span class="sessions-age">{since === undefined ? '–' : <Since at={since} isLive />}</span>
              </span>
              <span class="radar-on">
                {kind === 'radar-silent' && 'on '}
                {cleanLine(on)}
              </span>
            </AgentLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
