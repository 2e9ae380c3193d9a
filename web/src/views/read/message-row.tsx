import { memo } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import type { NoticeBlock, TranscriptMessage } from '../../../../src/core/index.ts';
import {
  type CallView,
  countLines,
  countRows,
  describeCall,
  describeMedia,
  editRows,
  headText,
  isProse,
  type MessagePart,
  partsOf,
  showsOutput,
  sizeText,
  titleOf,
  type Voice,
  voiceOf,
} from '../../../../src/core/transcript/index.ts';
import { read } from '../../actions.ts';
import { isPlain } from '../../parts/place-link.tsx';
import { exactTime, wallTime } from '../../parts/time-text.ts';
import { hashOf } from '../../route.ts';
import type { AgentRef } from '../../store.ts';
import { Answer, CallBody } from './call-body.tsx';
import { DoorCard } from './door-card.tsx';
import type { Finder } from './find.ts';
import { FoldedText } from './folded-text.tsx';
import { choose, isOpenPart, type PartPlace, slotName, useHitInPart } from './part-place.ts';
import { Prose } from './prose.tsx';

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
  const classes = [
    'read-message',
    `read-${voice}`,
    isMarked && 'read-marked',
    isCurrent && 'read-current',
    goesOn && 'read-goes-on',
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
          part={part}
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
function Notice({ notice, place }: { readonly notice: NoticeBlock; readonly place: PartPlace }) {
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
function Summary({ text, place }: { readonly text: string; readonly place: PartPlace }) {
  return (
    <>
      <p class="read-notice">Continued after compaction</p>
      <FoldedText text={text} place={place} slot="text" limits={{ head: 0, tail: 0 }} class="read-aside" />
    </>
  );
}

const SAID_MS = 1500;

/** The number of a message: its address. A click goes there and copies it. */
function MessageLink({ to, index }: { readonly to: AgentRef; readonly index: number }) {
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

type CallPart = Extract<MessagePart, { readonly kind: 'call' }>;

/** A call of a tool: one line that says what it did, and below it, where somebody wants to see it, how. */
function CallBlock({ part, place }: { readonly part: CallPart; readonly place: PartPlace }) {
  const { call, result } = part;
  const view = describeCall(call, result);
  const isOpen = useHitInPart(place) || isOpenPart(place.key, part);
  const isError = result?.isError === true;
  return (
    <div class={`read-call${isError ? ' read-call-failed' : ''}`}>
      <button type="button" class="read-call-head" aria-expanded={isOpen} onClick={() => choose(place.key, !isOpen)}>
        <span class="read-caret" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        <CallLine call={call} view={view} place={place} isOpen={isOpen} />
        <Outcome part={part} view={view} />
      </button>
      {isOpen && (
        <div class="read-call-body">
          <CallBody view={view} place={place} isError={isError} />
          {isError && !showsOutput(view) && (
            <FoldedText
              text={result.text}
              place={place}
              slot="output"
              limits={{ head: 12, tail: 4 }}
              class="read-error"
            />
          )}
          {result?.media.map((media, index) => (
            <p key={`${index} ${media.media_type}`} class="read-attachment">
              <span aria-hidden="true">▣</span> {describeMedia(media)}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

interface LineProps {
  readonly call: CallPart['call'];
  readonly view: CallView;
  readonly place: PartPlace;
  readonly isOpen: boolean;
}

function CallLine({ call, view, place, isOpen }: LineProps) {
  const line = headText(call, view).slice(call.name.length + 1);
  const isCommandHidden = view.kind === 'terminal' && !isOpen;
  return (
    <span class="read-call-line">
      <span data-slot={slotName(place, 'head')} data-from={0}>
        <b>{call.name}</b> <span class={view.kind === 'terminal' ? '' : 'read-call-summary'}>{line}</span>
      </span>
      {isCommandHidden && <span class="read-call-summary"> {call.summary}</span>}
    </span>
  );
}

function Outcome({ part: { result }, view }: { readonly part: CallPart; readonly view: CallView }) {
  if (!result) return <span class="read-outcome">no answer yet</span>;
  if (result.isError) return <span class="read-outcome read-outcome-bad">✗ {failureText(view)}</span>;
  return <span class="read-outcome">{sizeOf(view)}</span>;
}

function failureText(view: CallView): string {
  return view.kind === 'terminal' && view.exitCode !== undefined ? `exit code ${view.exitCode}` : 'failed';
}

/** What a closed call hides, or an open one changed. */
function sizeOf(view: CallView) {
  switch (view.kind) {
    case 'edits': {
      const rows = view.edits.flatMap(editRows);
      return (
        <>
          <span class="read-plus">+{countRows(rows, 'added')}</span>{' '}
          <span class="read-minus">−{countRows(rows, 'removed')}</span>
        </>
      );
    }
    case 'written':
      return <span class="read-plus">+{countLines(view.text)}</span>;
    case 'terminal':
      return view.output ? sizeText(view.output) : 'no output';
    case 'file':
    case 'found':
    case 'web':
      return view.text ? sizeText(view.text) : '';
    case 'fields':
      return view.output ? sizeText(view.output) : '';
    case 'checks':
      return `${view.checks.filter(({ state }) => state === 'done').length} of ${view.checks.length} done`;
    default:
      return '';
  }
}
