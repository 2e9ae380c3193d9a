import { useComputed } from '@preact/signals';
import { memo } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import {
  type AgentReport,
  cleanLine,
  type NoticeBlock,
  outputText,
  plural,
  type SubAgentRef,
  type TranscriptMessage,
  timeText,
} from '../../../../src/core/index.ts';
import {
  describeCall,
  describeMedia,
  isProse,
  type MessagePart,
  partsOf,
  sizeText,
  titleOf,
  type Voice,
  voiceOf,
} from '../../../../src/core/transcript/index.ts';
import { read } from '../../actions.ts';
import { exactTime, hueOf, isPlain, PlaceLink, StatusMark, wallTime } from '../../parts/marks.tsx';
import { hashOf } from '../../route.ts';
import { type AgentRef, nowShown, replayAt } from '../../store.ts';
import { CallBlock } from './call-block.tsx';
import { Answer } from './call-body.tsx';
import type { Finder } from './find.ts';
import { FoldedText } from './folded-text.tsx';
import { choose, isOpenPart } from './openness.ts';
import { type PartPlace, slotName, useHitInPart } from './part-place.ts';
import { Prose } from './prose.tsx';
import { agentIn, nameOf, openCallsAt, typeOf } from './reader-state.tsx';

/** Who speaks under which name and in which colour. Stays the same object while none of it changes. */
export interface Speakers {
  readonly isSubAgent: boolean;
  readonly names: Readonly<Record<Voice, string>>;
  readonly hues: Readonly<Record<Voice, string>>;
  readonly model: string | null;
}

interface RowProps {
  readonly message: TranscriptMessage;
  readonly index: number;
  readonly total: number;
  readonly session: string;
  readonly agent: string;
  readonly speakers: Speakers;
  readonly finder: Finder;
  /** The address names it. */
  readonly isMarked: boolean;
  readonly isCurrent: boolean;
  /** The message before it is of the same voice. */
  readonly goesOn: boolean;
}

export const MessageRow = memo(function MessageRow(props: RowProps) {
  const { message, index, total, session, agent, speakers, finder, isMarked, isCurrent, goesOn } = props;
  const voice = voiceOf(message, speakers.isSubAgent);
  const name = speakers.names[voice];
  const ref: AgentRef = { session, agent };
  const isLater = useComputed(
    () => replayAt.value !== undefined && Date.parse(message.timestamp ?? '') > replayAt.value,
  );
  const open = new Set(useComputed(() => openCallsAt(ref, replayAt.value)).value.split(' '));
  const classes = [
    'read-message',
    `read-${voice}`,
    isMarked && 'read-marked',
    isCurrent && 'read-current',
    goesOn && 'read-goes-on',
    isLater.value && 'read-later',
  ];
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      style={{ '--voice': speakers.hues[voice] }}
      tabIndex={-1}
      aria-posinset={index + 1}
      aria-setsize={total}
      aria-label={`${name}, message ${index + 1}`}
      data-message={index}
    >
      <header class="read-head">
        <span class="read-voice">{goesOn ? '' : name}</span>
        {message.model !== null && message.model !== speakers.model && <span class="read-model">{message.model}</span>}
        {message.timestamp !== null && (
          <time dateTime={message.timestamp} title={exactTime(message.timestamp)}>
            {wallTime(Date.parse(message.timestamp))}
          </time>
        )}
        <MessageLink to={ref} index={index} />
      </header>
      {partsOf(message).map((part, at) => (
        <Part
          key={`${at} ${part.kind}`}
          part={part.kind === 'call' && open.has(part.call.id) ? { ...part, result: undefined } : part}
          voice={voice}
          session={session}
          place={{ index, part: at, key: partKey(ref, message, at), finder }}
        />
      ))}
    </article>
  );
});

export function partKey({ session, agent }: AgentRef, { id }: TranscriptMessage, part: number): string {
  return `${session} ${agent} ${id} ${part}`;
}

const LIMITS = {
  person: { head: 60, tail: 0 },
  parent: { head: 60, tail: 0 },
  agent: { head: 160, tail: 0 },
  host: { head: 3, tail: 0 },
};

interface PartProps {
  readonly part: MessagePart;
  readonly voice: Voice;
  readonly session: string;
  readonly place: PartPlace;
}

function Part({ part, voice, session, place }: PartProps) {
  switch (part.kind) {
    case 'text':
      return <Prose text={part.text} place={place} slot="text" limits={LIMITS[voice]} />;
    case 'notice':
      return <Notice notice={part.notice} place={place} />;
    case 'summary':
      return <Summary text={part.text.trim()} place={place} />;
    case 'thinking':
      return <Thinking part={part} place={place} />;
    case 'call':
      return part.call.ref ? (
        <DoorCard part={part} to={part.call.ref} session={session} place={place} />
      ) : (
        <CallBlock part={part} place={place} />
      );
    case 'result':
      return <Answer text={part.result.text} place={place} isError={part.result.isError} />;
    case 'media':
      return (
        <p class="read-attachment">
          <span aria-hidden="true">▣</span> attached:{' '}
          <span data-slot={slotName(place, 'text')} data-from={0}>
            {describeMedia(part.media)}
          </span>
        </p>
      );
  }
}

function Thinking({
  part,
  place,
}: {
  readonly part: Extract<MessagePart, { readonly kind: 'thinking' | 'text' }>;
  readonly place: PartPlace;
}) {
  const isOpen = useHitInPart(place) || isOpenPart(place.key, part);
  return (
    <div class="read-thinking">
      <button
        type="button"
        class="read-thinking-head"
        aria-expanded={isOpen}
        onClick={() => choose(place.key, !isOpen)}
      >
        <span class="read-caret" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        <b>thinking</b>
        <span class="read-thinking-line">{isOpen ? '' : part.text.trim().slice(0, 200)}</span>
        <span class="read-outcome">{sizeText(part.text)}</span>
      </button>
      {isOpen && (
        <FoldedText
          text={part.text.trim()}
          place={place}
          slot="text"
          limits={{ head: 60, tail: 0 }}
          class="read-plain"
        />
      )}
    </div>
  );
}

/** The program speaks: in a line what it is, and what it hands over. */
export function Notice({ notice, place }: { readonly notice: NoticeBlock; readonly place: PartPlace }) {
  const title = titleOf(notice);
  return (
    <>
      <p class="read-notice" data-slot={slotName(place, 'title')} data-from={0}>
        {title}
      </p>
      {notice.text !== '' &&
        (isProse(notice) ? (
          <Prose text={notice.text} place={place} slot="text" limits={{ head: 30, tail: 0 }} />
        ) : (
          <FoldedText text={notice.text} place={place} slot="text" limits={{ head: 3, tail: 0 }} class="read-aside" />
        ))}
    </>
  );
}

/** All that was said before, in the host's words: there for those who ask. */
export function Summary({ text, place }: { readonly text: string; readonly place: PartPlace }) {
  return (
    <>
      <p class="read-notice">Continued after compaction</p>
      <FoldedText text={text} place={place} slot="text" limits={{ head: 0, tail: 0 }} class="read-aside" />
    </>
  );
}

const SAID_MS = 1500;

/** The number of a message: its address. A click goes there and copies it. */
export function MessageLink({ to, index }: { readonly to: AgentRef; readonly index: number }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const href = hashOf({ view: 'read', ref: to, message: index });
  const copy = (event: MouseEvent): void => {
    if (!isPlain(event)) return;
    event.preventDefault();
    read(to, index);
    // Without the token that may stand in the address: it belongs to this person.
    const address = `${location.protocol}//${location.host}${location.pathname}${href}`;
    const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => setSaid('link copied'),
      () => setSaid('the address bar has the link'),
    );
  };
  return (
    <span class="read-link">
      <span role="status">{said}</span>
      <a
        href={href}
        onClick={copy}
        title="Copy the link to this message"
        aria-label={`Copy the link to message ${index + 1}`}
      >
        {index + 1}
      </a>
    </span>
  );
}

interface DoorProps {
  readonly part: Extract<MessagePart, { readonly kind: 'call' }>;
  readonly to: SubAgentRef;
  readonly session: string;
  readonly place: PartPlace;
}

/** At the call that made a sub-agent: the way into its transcript, and what came back out. */
export function DoorCard({ part, to, session, place }: DoorProps) {
  const agent = useComputed(() => agentIn(session, to.agent_id)).value;
  const view = describeCall(part.call, part.result);
  const name = agent ? nameOf(agent) : cleanLine(to.agent_name ?? to.agent_id);
  const type = agent ? typeOf(agent) : cleanLine(to.agent_type ?? '');
  const [prompt, answer] = view.kind === 'errand' ? [view.prompt, view.answer] : ['', part.result?.text];
  return (
    <div class="read-door" style={{ '--door': hueOf(agent?.hue ?? null) }}>
      <PlaceLink in="read" to={{ session, agent: to.agent_id }} class="read-door-head">
        <span class="read-door-name" data-slot={slotName(place, 'head')}>
          {name}
        </span>
        {type !== '' && <span class="read-door-type">{type}</span>}
        <span class="read-door-open">
          open <span aria-hidden="true">→</span>
        </span>
      </PlaceLink>
      {agent && <DoorFacts agent={agent} saysWhy={answer === undefined} />}
      {prompt !== '' && (
        <div class="read-door-part">
          <span class="read-door-label">asked</span>
          <FoldedText text={prompt} place={place} slot="prompt" limits={{ head: 4, tail: 0 }} class="read-plain" />
        </div>
      )}
      {answer !== undefined && answer !== '' && (
        <div class="read-door-part">
          <span class={`read-door-label${part.result?.isError ? ' read-outcome-bad' : ''}`}>
            {part.result?.isError ? '✗ failed' : 'answered'}
          </span>
          <div>
            <Prose text={answer} place={place} slot="output" limits={{ head: 8, tail: 0 }} />
          </div>
        </div>
      )}
    </div>
  );
}

function DoorFacts({ agent, saysWhy }: { readonly agent: AgentReport; readonly saysWhy: boolean }) {
  const reason = saysWhy && agent.status !== 'completed' ? (agent.runs.at(-1)?.reason ?? null) : null;
  return (
    <p class="read-door-facts">
      <StatusMark agent={agent} word />
      {reason !== null && <span class="read-door-reason">{cleanLine(reason)}</span>}
      {agent.background && <span>in the background</span>}
      <span>{timeText(agent, nowShown.value)}</span>
      <span>{agent.toolCallCount === null ? '– tool calls' : plural(agent.toolCallCount, 'tool call')}</span>
      <span>{outputText(agent)} tokens written</span>
    </p>
  );
}
