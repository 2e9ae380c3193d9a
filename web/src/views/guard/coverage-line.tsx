import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import {
  type CoverageReport,
  type CoveredCall,
  cleanLine,
  pathText,
  plural,
  unnamedText,
} from '../../../../src/core/index.ts';
import { type Backend, useBackend } from '../../backend.ts';
import { PlaceLink } from '../../parts/place-link.tsx';
import { exactTime, wallTime } from '../../parts/time-text.ts';
import { agentsOf, onHeard, sessions } from '../../store.ts';

/** Hooks heard 40 of 40 calls; those that they did not hear of stand behind it. */
export function CoverageLine({ session }: { readonly session: string }) {
  const backend = useBackend();
  const feed = useMemo(() => openCoverageFeed(backend, session), [backend, session]);
  useEffect(() => feed.close, [feed]);
  const report = feed.report.value;
  // Its place is kept: a line that comes later must not push the table down.
  if (!report) return <p class="guard-coverage dim">Looking whether the hooks heard of every call…</p>;
  const lists = listsOf(report).filter(({ calls }) => calls.length > 0);
  const line = <Line report={report} />;
  if (lists.length === 0 && report.unnamed === 0) return <p class="guard-coverage">{line}</p>;
  return (
    <details class="guard-coverage">
      <summary>{line}</summary>
      <div class="guard-lists">
        {lists.map(({ title, calls }) => (
          <CallList key={title} session={report.sessionId} title={title} calls={calls} />
        ))}
        {report.unnamed > 0 && <p class="dim">{unnamedText(report.unnamed)}</p>}
      </div>
    </details>
  );
}

function Line({ report: { ran, heard, missed, neverRan, unresolved, unnamed } }: { readonly report: CoverageReport }) {
  const notes = [
    ...(missed.length > 0 ? [`${missed.length} ${unnamed > 0 ? 'not proven' : 'missed'}`] : []),
    ...(neverRan.length > 0 ? [`${neverRan.length} never ran`] : []),
    ...(unresolved.length > 0 ? [`${unresolved.length} not known`] : []),
  ];
  const isWhole = missed.length === 0;
  return (
    <>
      <span class={isWhole ? 'guard-whole' : 'guard-broken'}>
        <span aria-hidden="true">{isWhole ? '✓' : '⚠'}</span>{' '}
        {ran === 0 ? 'No call has run yet' : `Hooks heard ${heard} of ${plural(ran, 'call')}`}
      </span>
      {notes.length > 0 && <span class="dim"> · {notes.join(' · ')}</span>}
    </>
  );
}

function listsOf({ missed, neverRan, unresolved, unnamed }: CoverageReport) {
  return [
    { title: unnamed > 0 ? 'Not proven: no hook named them' : 'Missed: no hook heard of them', calls: missed },
    { title: 'Never ran: the host refused them before any hook', calls: neverRan },
    { title: 'Not known: neither a hook nor a result', calls: unresolved },
  ];
}

const FIRST = 50;

interface ListProps {
  readonly session: string;
  readonly title: string;
  readonly calls: readonly CoveredCall[];
}

function CallList({ session, title, calls }: ListProps) {
  return (
    <>
      <h3>
        {title} <span class="dim">{calls.length}</span>
      </h3>
      <ul>
        {calls.slice(0, FIRST).map(({ call, at, tool, summary, agentId, path, reason }) => (
          <li key={call}>
            {at !== null && (
              <time class="dim" dateTime={at} title={exactTime(at)}>
                {wallTime(Date.parse(at))}
              </time>
            )}{' '}
            {agentId === null ? (
              pathText(path)
            ) : (
              <PlaceLink in="read" to={{ session, agent: agentId }}>
                {pathText(path)}
              </PlaceLink>
            )}{' '}
            <b>{cleanLine(tool ?? '–')}</b> <code>{cleanLine(summary ?? '')}</code>
            {reason !== null && <span class="dim"> «{cleanLine(reason)}»</span>}
          </li>
        ))}
      </ul>
      {calls.length > FIRST && <p class="dim">and {calls.length - FIRST} more: see troupe guard coverage</p>}
    </>
  );
}

interface CoverageFeed {
  /** Undefined as long as it is not known. */
  readonly report: ReadonlySignal<CoverageReport | undefined>;
  close(): void;
}

const PAUSE_MS = 3_000;
/** Every transcript of the session is read for it: of all the time, no more than so much goes into that. */
const SHARE = 10;

/** Whether the hooks heard of every call of a session, kept up to date while somebody looks. */
function openCoverageFeed(backend: Pick<Backend, 'coverage'>, session: string): CoverageFeed {
  const report = signal<CoverageReport | undefined>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let notBefore = 0;
  let isLoading = false;
  let isStale = false;
  let isClosed = false;
  const load = async (): Promise<void> => {
    timer = undefined;
    [isLoading, isStale] = [true, false];
    const begun = performance.now();
    // Without an answer the line stays as it is: the next change asks again.
    const answer = await backend.coverage(session).catch(() => report.peek());
    notBefore = performance.now() + Math.max(PAUSE_MS, (performance.now() - begun) * SHARE);
    isLoading = false;
    if (isClosed) return;
    report.value = answer;
    if (isStale) plan();
  };
  const plan = (): void => {
    isStale = true;
    if (isLoading || isClosed) return;
    timer ??= setTimeout(() => void load(), Math.max(0, notBefore - performance.now()));
  };
  const callCount = computed(() => {
    const found = sessions.value.find(({ id }) => id === session);
    return found ? agentsOf(found).reduce((sum, { toolCallCount }) => sum + (toolCallCount ?? 0), 0) : 0;
  });
  const stopCounting = effect(() => {
    callCount.value;
    plan();
  });
  const stopHearing = onHeard({
    hear: (calls) => calls.some((call) => call.session === session) && plan(),
    miss: plan,
  });
  return {
    report,
    close() {
      isClosed = true;
      clearTimeout(timer);
      stopCounting();
      stopHearing();
    },
  };
}
