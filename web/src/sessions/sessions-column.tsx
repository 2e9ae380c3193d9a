import { picture, sessions } from '../store.ts';
import { FilterBar } from './filter-bar.tsx';
import { OlderList } from './older-list.tsx';
import { groups } from './order.ts';
import { Radar } from './radar-list.tsx';
import { SessionRow } from './session-row.tsx';
import './sessions.css';

export function SessionsColumn() {
  const shown = groups.value;
  return (
    <nav class="sessions" aria-label="Sessions">
      <FilterBar />
      <div class="sessions-scroll" tabIndex={-1}>
        {shown.map(({ name, sessions: inGroup }) => (
          <section key={name} class="sessions-group" aria-label={name}>
            <h2 class="sessions-head">
              {name} <span class="dim">{inGroup.length}</span>
            </h2>
            <ul>
              {inGroup.map((session) => (
                <SessionRow key={`${session.host}:${session.id}`} session={session} />
              ))}
            </ul>
          </section>
        ))}
        {shown.length === 0 && <p class="sessions-none">{noneText()}</p>}
        <OlderList />
      </div>
      <Radar />
    </nav>
  );
}

function noneText(): string {
  if (sessions.value.length > 0) return 'No session matches.';
  if (!picture.value) return '';
  return picture.value.isComplete ? 'No session yet.' : 'Still reading…';
}
