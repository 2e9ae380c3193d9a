import { computed, type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import {
  callerText,
  cleanBlock,
  cleanLine,
  type HeardCall,
  heldText,
  momentText,
  plural,
} from '../../../../src/core/index.ts';
import { read, select } from '../../actions.ts';
import { type Backend, useBackend } from '../../backend.ts';
import type { CallFeed } from '../../guard/call-feed.ts';
import { callTitle, inputFields, pathParts, whyText } from '../../guard/call-words.ts';
import { DecisionButton, explainCall } from '../../guard/decision-button.tsx';
import { wish } from '../../guard/wish.ts';
import { hueOf } from '../../parts/status-mark.tsx';
import { exactTime } from '../../parts/time-text.ts';
import { Sheet } from '../../shell/sheet.tsx';
import { width } from '../../shell/width.ts';
import { type AgentRef, agentsOf, clock, sessions } from '../../store.ts';
import { watchLooseKeys } from '../graph/loose-keys.ts';
import { findCall } from '../read/find-call.ts';
import { useRowWindow } from './use-row-window.ts';

const ROW_PX = { desk: 30, laptop: 30, phone: 54 } as const;
/** On a phone, why is a line of its own. */
const PHONE_WHY_PX = 22;
const COLUMNS = ['time', 'agent', 'tool', 'what', 'decision', 'why', 'waited'] as const;

/** Midnight comes once a day: rows need not be drawn anew for every second. */
const today = computed(() => new Date(clock.value).setHours(0, 0, 0, 0));

/** Oldest first; it follows as long as its end is in sight. */
export function CallTable({ feed, calls }: { readonly feed: CallFeed; readonly calls: readonly HeardCall[] }) {
  const backend = useBackend();
  const body = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const current = useSignal<number | undefined>(undefined);
  const isInputOpen = useSignal(false);
  const hasWhy = calls.some(({ decision }) => decision !== 'observed');
  const rowPx = ROW_PX[width.value] + (hasWhy && width.value === 'phone' ? PHONE_WHY_PX : 0);
  const rows = useRowWindow(body, calls, rowPx);
  const at = current.value === undefined ? -1 : calls.findIndex(({ n }) => n === current.value);
  const here = calls[at];
  const isOfToday = new Date(today.value).toDateString() === new Date(calls[0]?.at ?? 0).toDateString();

  const go = (index: number): void => {
    const next = Math.max(0, Math.min(calls.length - 1, index));
    current.value = calls[next]?.n;
    rows.reveal(next);
  };
  const press = ({ key }: KeyboardEvent): boolean => {
    const from = at === -1 ? calls.length : at;
    const page = Math.max(1, Math.floor((body.current?.clientHeight ?? 0) / rowPx) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowUp: from - 1,
      ArrowDown: from + 1,
      k: from - 1,
      j: from + 1,
      PageUp: from - page,
      PageDown: from + page,
      Home: 0,
      End: calls.length - 1,
    };
    const to = moves[key];
    if (to !== undefined) go(to);
    else if (key === 'Enter' && here) void readCall(backend, here);
    else if (key === ' ' && here) selectCaller(here);
    else if (key === 'i' && here) isInputOpen.value = true;
    else if (key === 'e' && here) explainCall(here);
    else return false;
    return true;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || !press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const latest = useRef(press);
  latest.current = press;
  useLayoutEffect(() => rows.settle(), [calls, rowPx]);
  // Keys that nobody else has a use for come here, and the focus with them.
  const takeLooseKey = (event: KeyboardEvent): boolean => {
    if (document.querySelector('dialog:modal') || !latest.current(event)) return false;
    grid.current?.focus({ preventScroll: true });
    return true;
  };
  useEffect(() => watchLooseKeys(document, takeLooseKey), []);

  return (
    <div class="guard-table">
      <div ref={body} class="guard-body" onScroll={rows.onScroll}>
        {/* Rows come and go while one scrolls: the grid keeps the focus, and says which of them is meant. */}
        <table
          ref={grid}
          class={`guard-grid${isOfToday ? '' : ' guard-days'}${hasWhy ? '' : ' guard-plain'}`}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that keys walk through is a grid
          role="grid"
          aria-label="Tool calls"
          aria-rowcount={calls.length + 1}
          aria-activedescendant={here && rows.has(at) ? rowId(here) : undefined}
          tabIndex={0}
          onKeyDown={onKey}
        >
          <thead>
            <tr class="guard-columns" aria-rowindex={1}>
              {COLUMNS.map((name) => (
                <th key={name} scope="col" class={`guard-column-${name}`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody class="guard-rows" style={{ height: `${calls.length * rowPx}px` }}>
            {calls.slice(rows.first, rows.last).map((call, offset) => (
              <CallRow
                key={call.n}
                call={call}
                index={rows.first + offset}
                top={(rows.first + offset) * rowPx}
                isCurrent={call.n === current.value}
                isElsewhere={wish.value.isEverywhere}
                now={today.value}
                onSelect={() => {
                  current.value = call.n;
                  selectCaller(call);
                }}
                onRead={() => void readCall(backend, call)}
                onPoint={() => {
                  current.value = call.n;
                }}
                onShowInput={() => {
                  current.value = call.n;
                  isInputOpen.value = true;
                }}
              />
            ))}
          </tbody>
        </table>
      </div>
      <CallSheet call={here} isOpen={isInputOpen} />
      {feed.hasOlder.value && rows.first === 0 && (
        <button type="button" class="guard-older" onClick={() => void feed.loadOlder()}>
          Show older calls
        </button>
      )}
      {rows.unseen > 0 && (
        <button type="button" class="guard-news" onClick={rows.goToEnd}>
          {plural(rows.unseen, 'new call')} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  );
}

function selectCaller(call: HeardCall): void {
  const ref = refOfCall(call);
  if (ref) select(ref);
}

/** Its place in the transcript, where it is found. */
async function readCall(backend: Backend, call: HeardCall): Promise<void> {
  const ref = refOfCall(call);
  if (ref) read(ref, await findCall(backend, ref, call.call, call.at).catch(() => undefined));
}

interface Props {
  readonly call: HeardCall | undefined;
  readonly isOpen: Signal<boolean>;
}

/** All that a tool was given, as the audit keeps it: a row shows only the first line of it. */
function CallSheet({ call, isOpen }: Props) {
  return (
    <Sheet isOpen={isOpen} title={cleanLine(`${call?.tool ?? 'The tool'} was given`)}>
      {call && <CallInput key={call.n} call={call} />}
    </Sheet>
  );
}

type Found = 'asked' | 'gone' | { readonly input: unknown } | { readonly trouble: string };

function CallInput({ call }: { readonly call: HeardCall }) {
  const backend = useBackend();
  const found = useSignal<Found>('asked');
  useEffect(() => {
    backend.input(call).then(
      (answer) => {
        found.value = answer ?? 'gone';
      },
      (error) => {
        found.value = { trouble: error instanceof Error ? error.message : String(error) };
      },
    );
  }, [backend, call.n]);
  return (
    <>
      <p class="dim">
        {exactTime(call.at)} {callerText(call.agent)}
      </p>
      <Input found={found.value} />
      <p class="dim">Secrets are masked, and long texts cut.</p>
    </>
  );
}

function Input({ found }: { readonly found: Found }) {
  if (found === 'asked') return <p>Looking into the audit…</p>;
  if (found === 'gone') return <p>It is not in the audit any more.</p>;
  if ('trouble' in found) return <p role="alert">The audit could not be read: {cleanLine(found.trouble)}</p>;
  return (
    <>
      {inputFields(found.input).map(({ name, text }) => (
        <section key={name}>
          {name !== '' && <h3>{cleanLine(name)}</h3>}
          <pre class="guard-input">{cleanBlock(text)}</pre>
        </section>
      ))}
    </>
  );
}

interface RowProps {
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

function rowId({ n }: HeardCall): string {
  return `guard-${n}`;
}

/** Who made it, as the views know agents; undefined where nobody knows. */
function refOfCall({ session, agent }: HeardCall): AgentRef | undefined {
  return session === null || agent.id === null || agent.who === 'unknown' ? undefined : { session, agent: agent.id };
}

function CallRow({ call, index, top, isCurrent, isElsewhere, now, ...acts }: RowProps) {
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
