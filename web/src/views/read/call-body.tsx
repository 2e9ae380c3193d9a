import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, plural } from '../../../../src/core/index.ts';
import {
  type CallView,
  type DiffRow,
  editRows,
  foldAround,
  foldUnits,
  gapSizes,
  isNearChange,
  newRows,
  type Span,
  type Units,
  type ViewOf,
} from '../../../../src/core/transcript/index.ts';
import { FoldedText, GapButton } from './folded-text.tsx';
import { type PartPlace, slotName, useHitIn, useSpans } from './part-place.ts';
import { Prose } from './prose.tsx';
import { WebLink } from './rich-text.tsx';

interface BodyProps<View> {
  readonly view: View;
  readonly place: PartPlace;
  readonly isError: boolean;
}

const OUTPUT = { head: 8, tail: 8 };
const LIST = { head: 16, tail: 0 };
const FIELD = { head: 6, tail: 0 };

/** How a call is shown, by what it is. */
export function CallBody({ view, place, isError }: BodyProps<CallView>) {
  switch (view.kind) {
    case 'terminal':
      return <Terminal view={view} place={place} isError={isError} />;
    case 'edits':
      return (
        <>
          {view.edits.map((edit, index) => (
            <div key={`${index} of ${view.edits.length}`}>
              {edit.isEverywhere && <p class="read-note">everywhere in the file</p>}
              <Diff rows={editRows(edit)} place={place} slot={`edit-${index}`} />
            </div>
          ))}
        </>
      );
    case 'written':
      return <Written text={view.text} place={place} />;
    case 'file':
      return <File view={view} place={place} isError={isError} />;
    case 'found':
      return <Found view={view} place={place} isError={isError} />;
    case 'checks':
      return <Checks view={view} place={place} isError={isError} />;
    case 'web':
      return <Web view={view} place={place} isError={isError} />;
    case 'letter':
      return <Prose text={view.text} place={place} slot="body" limits={{ head: 12, tail: 0 }} />;
    case 'errand':
      return (
        <>
          <FoldedText text={view.prompt} place={place} slot="prompt" limits={LIST} class="read-plain" />
          {view.answer !== undefined && <Answer text={view.answer} place={place} isError={isError} />}
        </>
      );
    case 'fields':
      return <Fields view={view} place={place} isError={isError} />;
  }
}

function Terminal({ view, place, isError }: BodyProps<ViewOf<'terminal'>>) {
  return (
    <div class="read-terminal">
      <div class="read-command" data-slot={slotName(place, 'command')}>
        <span class="read-prompt" data-sign="$" />
        <span data-from={0}>{view.command}</span>
      </div>
      {view.isBackground && <p class="read-note">runs in the background</p>}
      {view.output !== undefined && view.output !== '' && (
        <FoldedText
          text={view.output}
          place={place}
          slot="output"
          limits={OUTPUT}
          class={isError ? 'read-error' : ''}
        />
      )}
    </div>
  );
}

function Written({ text, place }: { readonly text: string; readonly place: PartPlace }) {
  const rows = useMemo(() => newRows(text), [text]);
  return <Diff rows={rows} place={place} slot="body" />;
}

function File({ view, place, isError }: BodyProps<ViewOf<'file'>>) {
  return (
    <>
      {view.text !== undefined && (
        <FoldedText
          text={view.text}
          place={place}
          slot="output"
          limits={{ head: 24, tail: 0 }}
          first={view.first}
          class={isError ? 'read-error' : ''}
        />
      )}
      {view.note !== '' && <FoldedText text={view.note} place={place} slot="note" limits={FIELD} class="read-aside" />}
    </>
  );
}

function Found({ view, place, isError }: BodyProps<ViewOf<'found'>>) {
  return (
    <>
      {view.where !== undefined && <p class="read-note">in {view.where}</p>}
      {view.text !== undefined && (
        <FoldedText
          text={view.text}
          place={place}
          slot="output"
          limits={LIST}
          class={isError ? 'read-error' : 'read-found'}
        />
      )}
    </>
  );
}

const CHECK_MARKS = { open: '○', doing: '◐', done: '✓', dropped: '✗' };
const CHECK_WORDS = { open: 'to do', doing: 'under way', done: 'done', dropped: 'dropped' };

function Checks({ view, place }: BodyProps<ViewOf<'checks'>>) {
  return (
    <ul class="read-checks" aria-label={plural(view.checks.length, 'thing to do', 'things to do')}>
      {view.checks.map(({ text, state }, index) => (
        <li key={`${index} ${text}`} class={`read-check-${state}`}>
          <span aria-hidden="true">{CHECK_MARKS[state]}</span>
          <span class="visually-hidden">{CHECK_WORDS[state]}:</span>
          <span data-slot={slotName(place, `check-${index}`)} data-from={0}>
            {text}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Web({ view, place, isError }: BodyProps<ViewOf<'web'>>) {
  return (
    <>
      <p class="read-note">
        <WebLink target={view.target} />
      </p>
      {view.question !== undefined && (
        <FoldedText text={view.question} place={place} slot="question" limits={FIELD} class="read-plain" />
      )}
      {view.hits.length > 0 && (
        <ol class="read-web-hits">
          {view.hits.map(({ title, url }, index) => (
            <li key={`${index} ${url}`} data-slot={slotName(place, `hit-${index}`)} data-from={0}>
              {title} <WebLink target={url} />
            </li>
          ))}
        </ol>
      )}
      {view.text !== undefined && view.text !== '' && (
        <FoldedText
          text={view.text}
          place={place}
          slot="output"
          limits={LIST}
          class={isError ? 'read-error' : ''}
          hasLinks
        />
      )}
    </>
  );
}

function Fields({ view, place, isError }: BodyProps<ViewOf<'fields'>>) {
  return (
    <>
      {view.fields.length > 0 && (
        <dl class="read-fields">
          {view.fields.map(({ name, text }, index) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <FoldedText text={text} place={place} slot={`field-${index}`} limits={FIELD} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {view.output !== undefined && <Answer text={view.output} place={place} isError={isError} />}
    </>
  );
}

export function Answer(props: { readonly text: string; readonly place: PartPlace; readonly isError: boolean }) {
  const { text, place, isError } = props;
  if (text === '') return <p class="read-note">no output</p>;
  return (
    <FoldedText
      text={text}
      place={place}
      slot="output"
      limits={OUTPUT}
      class={isError ? 'read-error' : 'read-answer'}
    />
  );
}

const CONTEXT = 3;
const HEAD_ROWS = 28;
const ROW = 80;
/** Of one line; what is behind it is only counted. */
const LONGEST = 4000;

const MARKS = { same: ' ', removed: '−', added: '+' };
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' };

/** Lines that went and lines that came. */
export function Diff({
  rows,
  place,
  slot,
}: {
  readonly rows: readonly DiffRow[];
  readonly place: PartPlace;
  readonly slot: string;
}) {
  const units = useMemo(
    (): Units => ({
      count: rows.length,
      rows: (index) => Math.max(1, Math.ceil(Math.min(LONGEST, rows[index]?.text.length ?? 0) / ROW)),
    }),
    [rows],
  );
  const starts = useMemo(() => startsOf(rows), [rows]);
  const hit = useHitIn(place, slot);
  const fold = (isAllOpen: boolean): readonly Span[] =>
    isAllOpen ? foldUnits(units, { head: 800, tail: 0 }) : foldAround(units, isNearChange(rows, CONTEXT), HEAD_ROWS);
  const reveal = hit === undefined ? undefined : starts.findLastIndex((start) => start <= hit);
  const [spans, open] = useSpans(`${place.key}/${slot}`, units, fold, reveal);
  const children: ComponentChild[] = [];
  for (const [index, size] of gapSizes(spans, rows.length).entries()) {
    const span = spans[index];
    const from = spans[index - 1]?.[1] ?? 0;
    if (size > 0) children.push(<GapButton key={`gap ${from}`} hidden={size} unit="line" open={() => open(index)} />);
    if (!span) continue;
    for (let at = span[0]; at < span[1]; at++) {
      const row = rows[at];
      if (row) children.push(<Row key={at} row={row} start={starts[at] ?? 0} />);
    }
  }
  return (
    <div class="read-diff" data-slot={slotName(place, slot)}>
      {children}
    </div>
  );
}

function Row({ row, start }: { readonly row: DiffRow; readonly start: number }) {
  const { kind, text, changed } = row;
  const shown = text.slice(0, LONGEST);
  return (
    <div class={`read-row read-row-${kind}`}>
      <span class="read-sign" data-sign={MARKS[kind]} />
      {kind !== 'same' && <span class="visually-hidden">{WORDS[kind]}</span>}
      <span class="read-line-text" data-from={start}>
        {changed && changed[1] > changed[0] && changed[1] <= LONGEST ? (
          <>
            {shown.slice(0, changed[0])}
            <mark>{shown.slice(...changed)}</mark>
            {shown.slice(changed[1])}
          </>
        ) : (
          shown
        )}
        {text.length > LONGEST && <em> … {formatCount(text.length - LONGEST)} more characters</em>}
      </span>
    </div>
  );
}

/** Where each row begins in the text of all of them. */
function startsOf(rows: readonly DiffRow[]): readonly number[] {
  let at = 0;
  return rows.map(({ text }) => {
    const start = at;
    at += text.length + 1;
    return start;
  });
}
