import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import {
  type AgentReport,
  callerText,
  cleanLine,
  type DiagnosticReport,
  runsText,
  type SessionDetail,
} from '../../../src/core/index.ts';
import { goTo } from '../actions.ts';
import { Asked } from './asked.tsx';
import { FilesSection } from './files-section.tsx';
import { NowSection } from './now-section.tsx';
import { NumbersSection } from './numbers-section.tsx';
import { StatusSection } from './status-section.tsx';
import { kindText, SubAgents } from './sub-agents.tsx';
import { BudgetSection, UsageSection } from './usage-section.tsx';
import './panel.css';
import { computed } from '@preact/signals';
import { AttachButton } from '../attach/attach-sheet.tsx';
import { ExportButton } from '../export/export-sheet.tsx';
import { openCallFeed } from '../guard/call-feed.ts';
import { callTitle, sessionFilter, wishFor } from '../guard/call-words.ts';
import { DecisionButton } from '../guard/decision-button.tsx';
import { Diagnostics } from '../parts/diagnostics.tsx';
import { AgentLink, CopyButton, hueOf, PlaceLink, StatusMark, wallTime } from '../parts/marks.tsx';
import { unknownSessions } from '../sessions/order.ts';
import { agentsOf, picture, replayAt, selected, sessions, shownSession, shownSessions, useBackend } from '../store.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

/** Everything about one agent; of a session, about its main agent and the whole. */
export function DetailPanel() {
  const shown = shownAgent.value;
  const key = shown.kind === 'agent' ? `${shown.session.id} ${shown.agent.id}` : shown.kind;
  const panel = useRef<HTMLElement>(null);
  // Another agent is read from the beginning.
  useLayoutEffect(() => {
    if (key) panel.current?.scrollTo(0, 0);
  }, [key]);
  return (
    <aside ref={panel} class="panel" aria-label="Detail">
      <button type="button" class="quiet panel-close" onClick={() => goTo('view')} title="Close (d)">
        <span aria-hidden="true">×</span>
        <span class="visually-hidden">Close the detail</span>
      </button>
      {shown.kind === 'agent' ? (
        <Detail key={key} session={shown.session} agent={shown.agent} />
      ) : (
        <p class="panel-none">{NONE_TEXTS[shown.kind]}</p>
      )}
    </aside>
  );
}

const NONE_TEXTS: Readonly<Record<Exclude<Shown['kind'], 'agent'>, string>> = {
  nothing: 'Select an agent to see its details.',
  reading: 'Reading this session…',
  'no-session': 'There is no session of this id.',
  'no-agent': 'There is no agent of this id in this session.',
  'not-yet': 'At this moment of the replay it did not exist yet.',
};

function Detail({ session, agent }: { readonly session: SessionDetail; readonly agent: AgentReport }) {
  return (
    <article class="panel-body">
      <PanelHead session={session} agent={agent} />
      <Asked session={session} agent={agent} />
      <BudgetSection session={session} agent={agent} />
      <NowSection agent={agent} />
      <StatusSection agent={agent} />
      <NumbersSection session={session} agent={agent} />
      <UsageSection session={session} agent={agent} />
      <SubAgents session={session} agent={agent} />
      <CallsSection session={session} agent={agent} />
      <FilesSection session={session} agent={agent} />
      <ProblemsSection session={session} agent={agent} />
      <IdsSection session={session} agent={agent} />
    </article>
  );
}

/** What was not understood of it; at the session, all of it. */
export function ProblemsSection({ session, agent }: AgentProps) {
  const items = diagnosticsOf(session, agent);
  // Nothing says which of them there were at a moment of the past.
  if (items.length === 0 || replayAt.value !== undefined) return null;
  return (
    <Section title="Not understood">
      <Diagnostics items={items} />
    </Section>
  );
}

/** Of a sub-agent, those that stand in its files or name it. How many there are beyond the examples is not known then. */
export function diagnosticsOf({ diagnostics }: SessionDetail, agent: AgentReport): readonly DiagnosticReport[] {
  if (agent.kind === 'main') return diagnostics.items;
  return diagnostics.items
    .map((item) => ({
      ...item,
      examples: item.examples.filter(
        ({ source, detail }) =>
          (source !== null && agent.transcripts.includes(source)) || (source === null && detail.startsWith(agent.id)),
      ),
    }))
    .filter(({ examples }) => examples.length > 0)
    .map((item) => ({ ...item, count: item.examples.length }));
}

/** Whom the detail is about, or why it is about nobody. */
export type Shown =
  | { readonly kind: 'agent'; readonly session: SessionDetail; readonly agent: AgentReport }
  | { readonly kind: 'nothing' | 'reading' | 'no-session' | 'no-agent' | 'not-yet' };

let last: Shown = { kind: 'nothing' };

/** Where nothing is selected: the session that the views draw. The same object as long as it is the same. */
export const shownAgent = computed<Shown>(() => {
  const now = find();
  const isSame =
    now.kind === 'agent' && last.kind === 'agent'
      ? now.session === last.session && now.agent === last.agent
      : now.kind === last.kind;
  if (!isSame) last = now;
  return last;
});

function find(): Shown {
  const wanted = selected.value;
  if (!wanted) {
    const session = shownSession.value;
    return session ? { kind: 'agent', session, agent: session.main } : { kind: 'nothing' };
  }
  const known = sessions.value.find(({ id }) => id === wanted.session);
  if (!known) return { kind: isStillToCome(wanted.session) ? 'reading' : 'no-session' };
  const session = shownSessions.value.find(({ id }) => id === wanted.session) ?? known;
  const agent = agentsOf(session).find(({ id }) => id === wanted.agent);
  if (agent) return { kind: 'agent', session, agent };
  const isLater = replayAt.value !== undefined && agentsOf(known).some(({ id }) => id === wanted.agent);
  return { kind: isLater ? 'not-yet' : 'no-agent' };
}

function isStillToCome(id: string): boolean {
  return !picture.value?.isComplete || !unknownSessions.value.has(id);
}

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

/** Where it works, and what it is called by machines: to be copied. */
export function IdsSection({ session, agent }: AgentProps) {
  const isMain = agent.kind === 'main';
  return (
    <Section title="Location and IDs">
      <dl class="panel-ids">
        <CopyFact name="Folder" what="the folder" text={agent.cwd ?? session.cwd} />
        <CopyFact name="Branch" what="the branch" text={agent.branch ?? session.branch} />
        {agent.worktree !== null && <CopyFact name="Worktree" what="the worktree" text={agent.worktree} />}
        <CopyFact name="Session" what="the id of the session" text={session.id} />
        {!isMain && <CopyFact name="Agent" what="the id of the agent" text={agent.id} />}
        {!isMain && <CopyFact name="Made by call" what="the id of the call that made it" text={agent.toolUseId} />}
        {isMain && <SessionBefore name="Forked from" session={session.forkedFrom} />}
        {isMain && <SessionBefore name="Continued from" session={session.continuedFrom} />}
        {agent.transcripts.map((source) => (
          <CopyFact key={source} name="File" what="the path of the transcript" text={source} />
        ))}
      </dl>
    </Section>
  );
}

function SessionBefore({ name, session }: { readonly name: string; readonly session: string | null }) {
  if (session === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <AgentLink to={{ session, agent: session }}>
          <code>{cleanLine(session)}</code>
        </AgentLink>
      </dd>
    </div>
  );
}

function CopyFact({
  name,
  what,
  text,
}: {
  readonly name: string;
  readonly what: string;
  readonly text: string | null;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {text === null ? (
          <span class="dim">not known</span>
        ) : (
          <>
            <code>{cleanLine(text)}</code>
            <CopyButton text={text} what={what} />
          </>
        )}
      </dd>
    </div>
  );
}
