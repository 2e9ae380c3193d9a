import { useEffect, useMemo } from 'preact/hooks';
import {
  type AuditDecision,
  type AuditFilter,
  cleanLine,
  DECISION_TEXTS,
  type HeardCall,
} from '../../../../src/core/index.ts';
import { useBackend } from '../../backend.ts';
import { type CallFeed, type FeedState, openCallFeed } from '../../guard/call-feed.ts';
import { ALL, isNarrowed, sessionFilter, wish, wishFor } from '../../guard/wish.ts';
import { agentsOf, currentSession, replayAt, selected, selectedAgent } from '../../store.ts';
import { CallTable } from './call-table.tsx';
import { CoverageLine } from './coverage-line.tsx';
import './guard.css';
import { computed, signal } from '@preact/signals';
import { known } from '../../../../src/lib/json.ts';
import { DECISION_MARKS } from '../../guard/call-words.ts';
import { CopyButton } from '../../parts/copy-button.tsx';

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
      text="With hooks, every tool call stands here as it is made, with the agent that made it. The command shows the change to the host's settings, and asks before it makes it:"
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
