import {
  type CallView,
  countLines,
  countRows,
  describeCall,
  describeMedia,
  editRows,
  headText,
  type MessagePart,
  showsOutput,
  sizeText,
} from '../../../../src/core/transcript/index.ts';
import { CallBody } from './call-body.tsx';
import { FoldedText } from './folded-text.tsx';
import { choose, isOpenPart } from './openness.ts';
import { type PartPlace, slotName, useHitInPart } from './part-place.ts';

type CallPart = Extract<MessagePart, { readonly kind: 'call' }>;

/** A call of a tool: one line that says what it did, and below it, where somebody wants to see it, how. */
export function CallBlock({ part, place }: { readonly part: CallPart; readonly place: PartPlace }) {
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
