import { memo } from 'preact/compat';
import type { TranscriptMessage } from '../../../../src/core/index.ts';
import {
  describeMedia,
  type MessagePart,
  partsOf,
  sizeText,
  type Voice,
  voiceOf,
} from '../../../../src/core/transcript/index.ts';
import { exactTime, wallTime } from '../../parts/time-text.ts';
import type { AgentRef } from '../../store.ts';
import { CallBlock } from './call-block.tsx';
import { Answer } from './call-body.tsx';
import { DoorCard } from './door-card.tsx';
import type { Finder } from './find.ts';
import { FoldedText } from './folded-text.tsx';
import { MessageLink } from './message-link.tsx';
import { Notice, Summary } from './notice.tsx';
import { choose, isOpenPart } from './openness.ts';
import { type PartPlace, slotName, useHitInPart } from './part-place.ts';
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
