import { useEffect, useMemo } from 'preact/hooks';
import {
  type AuditDecision,
  type AuditFilter,
  type CoverageReport,
  type CoveredCall,
  cleanLine,
  DECISION_TEXTS,
  doubtedText,
  gapsText,
  type HeardCall,
  pathText,
  plural,
  unnamedText,
} from '../../../../src/core/index.ts';
import { type CallFeed, type FeedState, openCallFeed } from '../../guard/call-feed.ts';
import { ALL, DECISION_MARKS, isNarrowed, sessionFilter, wish, wishFor } from '../../guard/call-words.ts';
import { agentsOf, currentSession, replayAt, selected, selectedAgent, useBackend } from '../../store.ts';
import { CallTable } from './call-table.tsx';
import './guard.css';
import { computed, signal } from '@preact/signals';
import { known } from '../../../../src/lib/json.ts';
import { openCoverageFeed } from '../../guard/coverage-feed.ts';
import { CopyButton, exactTime, PlaceLink, wallTime } from '../../parts/marks.tsx';

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

const INSTALL = 'troupe hooks install';

/** Why there is no call to see, and what to do. */
export function GuardEmpty({ state, isPast }: { readonly state: FeedState; readonly isPast: boolean }) {
  if (typeof state !== 'string') return null;
  if (state === 'loading')
    return (
      <p class="empty-loading" role="status">
        Loading the audit…
      </p>
    );
  if (state === 'silent')
    return <Words head="No hooks here." text="A recording has none: hooks speak while an agent works." />;
  if (isPast) return <Words head="No call yet." text="At this moment of the replay no hook had told of one." />;
  if (isNarrowed(wish.value))
    return (
      <Words head="No call is like that.">
        <button type="button" onClick={() => wishFor({ ...ALL, isEverywhere: wish.peek().isEverywhere })}>
          Show all of them
        </button>
      </Words>
    );
  const head = wish.value.isEverywhere ? 'No hook has told of a tool call yet.' : 'No hook told of this session.';
  return (
    <Words
      head={head}
      text="With hooks, every tool call appears here live, with the agent that made it. This command shows the change to the host's settings, and asks before it writes it:"
    >
      <p class="empty-command">
        <code>{INSTALL}</code> <CopyButton text={INSTALL} what="the command" />
      </p>
      {!wish.value.isEverywhere && (
        <button type="button" onClick={() => wishFor({ isEverywhere: true })}>
          See all sessions
        </button>
      )}
    </Words>
  );
}

interface WordsProps {
  readonly head: string;
  readonly text?: string;
  readonly children?: preact.ComponentChildren;
}

function Words({ head, text, children }: WordsProps) {
  return (
    <div class="empty" role="status">
      <h2>{head}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

/** What can be chosen, each a switch: the session or all of them, one agent, a decision, a tool. */
export function GuardChips() {
  const { isEverywhere, tool, decision } = wish.value;
  const { tools, decisions } = seen.value;
  return (
    <div class="guard-chips" role="toolbar" aria-label="Which calls">
      <Chip isOn={!isEverywhere} onClick={() => wishFor({ isEverywhere: false })}>
        This session
      </Chip>
      <Chip isOn={isEverywhere} onClick={() => wishFor({ isEverywhere: true })}>
        All sessions
      </Chip>
      <AgentChip />
      {decisions.length > 1 &&
        decisions.map((one) => (
          <Chip
            key={one}
            isOn={decision === one}
            title={DECISION_TEXTS[one]}
            onClick={() => wishFor({ decision: decision === one ? undefined : one })}
          >
            <span aria-hidden="true">{DECISION_MARKS[one]}</span> {one}
          </Chip>
        ))}
      {tools.length > 1 &&
        tools.map((one) => (
          <Chip
            key={`tool ${one}`}
            isOn={tool === one}
            onClick={() => wishFor({ tool: tool === one ? undefined : one })}
          >
            {cleanLine(one)}
          </Chip>
        ))}
      {isNarrowed(wish.value) && (
        <button type="button" class="quiet guard-clear" onClick={() => wishFor({ ...ALL, isEverywhere })}>
          clear
        </button>
      )}
    </div>
  );
}

/** The agent whose calls are shown alone, else the selected one: to choose it takes one click. */
function AgentChip() {
  const { isEverywhere, agent } = wish.value;
  const session = currentSession.value;
  if (isEverywhere || !session) return null;
  const wanted = agent?.session === session.id ? agent.agent : undefined;
  const offered = wanted ?? selectedAgent.value?.id;
  const found = agentsOf(session).find(({ id }) => id === offered);
  if (!found) return null;
  const ref = { session: session.id, agent: found.id };
  return (
    <Chip isOn={wanted !== undefined} onClick={() => wishFor({ agent: wanted === undefined ? ref : undefined })}>
      only {found.kind === 'main' ? 'main' : cleanLine(found.label)}
    </Chip>
  );
}

interface ChipProps {
  readonly isOn: boolean;
  readonly title?: string;
  readonly onClick: () => void;
  readonly children: preact.ComponentChildren;
}

function Chip({ isOn, title, onClick, children }: ChipProps) {
  return (
    <button type="button" class="chip guard-chip" aria-pressed={isOn} title={title} onClick={onClick}>
      <span class="chip-text">{children}</span>
    </button>
  );
}

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
  const { unnamed, doubted, gaps } = report;
  if (lists.length === 0 && unnamed + doubted + gaps === 0) return <p class="guard-coverage">{line}</p>;
  return (
    <details class="guard-coverage">
      <summary>{line}</summary>
      <div class="guard-lists">
        {lists.map(({ title, calls }) => (
          <CallList key={title} session={report.sessionId} title={title} calls={calls} />
        ))}
        {doubted > 0 && <p>{doubtedText(doubted)}</p>}
        {gaps > 0 && <p>{gapsText(gaps)}</p>}
        {unnamed > 0 && <p class="dim">{unnamedText(unnamed)}</p>}
      </div>
    </details>
  );
}

function Line({ report }: { readonly report: CoverageReport }) {
  const { ran, heard, missed, neverRan, unresolved, unnamed, doubted, gaps } = report;
  const notes = [
    ...(missed.length > 0 ? [`${missed.length} ${unnamed > 0 ? 'not proven' : 'missed'}`] : []),
    ...(neverRan.length > 0 ? [`${neverRan.length} never ran`] : []),
    ...(unresolved.length > 0 ? [`${unresolved.length} not known`] : []),
    ...(doubted + gaps > 0 ? [`${Math.max(doubted, gaps)} with an agent not known for certain`] : []),
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

const FIRST_MISSED = 50;

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
        {calls.slice(0, FIRST_MISSED).map(({ call, at, tool, summary, agentId, path, reason }) => (
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
      {calls.length > FIRST_MISSED && (
        <p class="dim">and {calls.length - FIRST_MISSED} more: see troupe guard coverage</p>
      )}
    </>
  );
}

/** As the server takes it; by its text, so that it is another one only where it says something else. */
const filterText = computed(() => {
  const { isEverywhere, agent, tool, decision } = wish.value;
  const session = isEverywhere ? undefined : currentSession.value;
  const own = agent && agent.session === session?.id ? agent.agent : undefined;
  const filter: AuditFilter = { ...(session && sessionFilter(session)), ...known({ agent: own, tool, decision }) };
  return JSON.stringify(filter);
});

export const filter = computed<AuditFilter>(() => JSON.parse(filterText.value));

/** What there is to choose from: all that was ever seen, so that a choice does not take the others away. */
export const seen = signal<{ readonly tools: readonly string[]; readonly decisions: readonly AuditDecision[] }>({
  tools: [],
  decisions: [],
});

export function noteSeen(calls: readonly HeardCall[]): void {
  const { tools, decisions } = seen.peek();
  const allTools = new Set([...tools, ...calls.flatMap(({ tool }) => tool ?? [])]);
  const allDecisions = new Set([...decisions, ...calls.map(({ decision }) => decision)]);
  if (allTools.size === tools.length && allDecisions.size === decisions.length) return;
  seen.value = { tools: [...allTools].sort((a, b) => a.localeCompare(b)), decisions: [...allDecisions] };
}
