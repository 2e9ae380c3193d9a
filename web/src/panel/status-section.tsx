import {
  type AgentReport,
  type ChangeReport,
  explainChange,
  formatDuration,
  formatMark,
  isAtWork,
  PLAIN,
  plural,
  type RunReport,
} from '../../../src/core/index.ts';
import { exactTime, wallTime } from '../parts/marks.tsx';
import { Section } from './section.tsx';

/** How it came to stand as it does: each change with its time, how it is known, and why. */
export function StatusSection({ agent }: { readonly agent: AgentReport }) {
  const { changes } = agent;
  return (
    <Section title="How it went">
      {changes.length === 0 ? (
        <p class="dim">Nothing is written down of it yet.</p>
      ) : (
        <ol class="panel-causes">
          {changes.map((change, index) => (
            <Change key={index} change={change} />
          ))}
        </ol>
      )}
      {agent.runs.length > 1 && <Runs runs={agent.runs} />}
    </Section>
  );
}

function Change({ change }: { readonly change: ChangeReport }) {
  const { what, how, why } = explainChange(change);
  return (
    <li>
      <When at={change.at} isNow={isAtWork(change.status)} />
      <span>
        <span aria-hidden="true">{formatMark(change.status, false, PLAIN)}</span> <b>{what}</b>{' '}
        <span class="dim">· {how}</span>
        {why !== undefined && <span class="panel-why">{why}</span>}
      </span>
    </li>
  );
}

/** Nobody writes down when something began to wait: it does so now. */
function When({ at, isNow }: { readonly at: string | null; readonly isNow: boolean }) {
  if (at === null) return <span class="panel-when">{isNow ? 'now' : '–'}</span>;
  return (
    <time class="panel-when" dateTime={at} title={exactTime(at)}>
      {wallTime(Date.parse(at))}
    </time>
  );
}

/** Set to work more than once. */
function Runs({ runs }: { readonly runs: readonly RunReport[] }) {
  return (
    <details class="panel-runs">
      <summary>{plural(runs.length, 'run')}</summary>
      <ol>
        {runs.map((run, index) => (
          <li key={index}>
            <When at={run.startedAt} isNow={false} />
            <span>
              <span aria-hidden="true">{formatMark(run.status, false, PLAIN)}</span> {explainChange(run).what}
              {run.startedAt !== null && run.endedAt !== null && (
                <span class="dim"> after {formatDuration(Date.parse(run.endedAt) - Date.parse(run.startedAt))}</span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
