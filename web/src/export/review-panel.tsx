import { useEffect, useRef, useState } from 'preact/hooks';
import {
  cleanLine,
  plural,
  REVIEW_CHOICES,
  REVIEW_WORDS,
  type ReviewChoice,
  type ServedReview,
} from '../../../src/core/index.ts';
import './review.css';

// The review of a download: each value once, with the line it is in, and what is done about it. By the keys of `export --review`.

export type Choices = Readonly<Record<string, ReviewChoice>>;
type Item = ServedReview['items'][number];

const CHOICE_KEYS: Readonly<Record<string, ReviewChoice>> = {
  r: 'redact',
  s: 'show',
  e: 'everywhere',
  a: 'always-show',
  x: 'always-everywhere',
};
const KEY_OF = new Map(Object.entries(CHOICE_KEYS).map(([key, choice]) => [choice, key]));
const HINTS: Readonly<Record<ReviewChoice, string>> = {
  redact: 'a placeholder is written instead',
  show: 'in this file: it is not a secret',
  everywhere: 'also where it is an ordinary word that nothing marks as secret',
  'always-show': 'in all exports of this project',
  'always-everywhere': 'in all exports of this project',
};
const isShown = (choice: ReviewChoice): boolean => choice === 'show' || choice === 'always-show';

interface ReviewPanelProps {
  readonly review: ServedReview;
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
}

/** As they are kept, before the person has chosen anything. */
export function choicesOf({ items }: ServedReview): Choices {
  return Object.fromEntries(items.map(({ placeholder, choice }) => [placeholder, choice]));
}

export function ReviewPanel({ review: { items, cannotKeep }, choices, onChange }: ReviewPanelProps) {
  const [selected, select] = useState(items[0]?.placeholder);
  const [find, setFind] = useState('');
  const [said, say] = useState('');
  const undo = useRef<readonly Choices[]>([]);
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const shown = items.filter((item) => isFound(item, find));
  const item = shown.find(({ placeholder }) => placeholder === selected) ?? shown[0];
  const at = item ? shown.indexOf(item) : -1;
  useEffect(() => {
    list.current?.closest('section')?.scrollIntoView({ block: 'start' });
    list.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [item?.placeholder]);
  if (items.length === 0) return <p role="status">Nothing to take out was found.</p>;

  const choiceOf = ({ placeholder, choice }: Item): ReviewChoice => choices[placeholder] ?? choice;
  const move = (to: number): void => select(shown[Math.max(0, Math.min(to, shown.length - 1))]?.placeholder);
  const choose = (chosen: readonly Item[], choice: ReviewChoice): void => {
    if (choice.startsWith('always-') && cannotKeep !== null) {
      say(cannotKeep);
      return;
    }
    undo.current = [...undo.current, choices];
    onChange({ ...choices, ...Object.fromEntries(chosen.map(({ placeholder }) => [placeholder, choice])) });
    const what = chosen.length === 1 && chosen[0] ? nameOf(chosen[0]) : plural(chosen.length, 'value');
    say(`${REVIEW_WORDS[choice]}: ${what}`);
  };
  const takeBack = (): void => {
    const before = undo.current.at(-1);
    say(before ? 'The last choice is undone.' : 'There is nothing to undo.');
    if (!before) return;
    undo.current = undo.current.slice(0, -1);
    onChange(before);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !item) return;
    const { key } = event;
    const choice = CHOICE_KEYS[key];
    const step = STEPS[key];
    if (step !== undefined) move(step === 0 ? 0 : at + step);
    else if (choice) {
      choose([item], choice);
      move(at + 1);
    } else if (key === '*')
      choose(
        items.filter(({ kind }) => kind === item.kind),
        choiceOf(item),
      );
    else if (key === 'u') takeBack();
    else if (key === '/') search.current?.focus();
    else return;
    event.preventDefault();
  };
  const redacted = items.filter((one) => !isShown(choiceOf(one))).length;
  return (
    <section class="review" aria-label="Review">
      <div class="review-head">
        <p>
          <b>{plural(items.length, 'value')}</b>: {redacted} redacted, {items.length - redacted} shown
        </p>
        <input
          ref={search}
          type="search"
          placeholder="Search"
          aria-label="Search in values, names, kinds and context"
          value={find}
          onInput={({ currentTarget }) => setFind(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
            event.preventDefault();
            list.current?.focus();
          }}
        />
        <button type="button" onClick={takeBack} disabled={undo.current.length === 0}>
          Undo
        </button>
      </div>
      {shown.length === 0 ? (
        <p role="status">Nothing matches.</p>
      ) : (
        <div
          ref={list}
          class="review-list"
          role="listbox"
          tabIndex={0}
          aria-label="Values that are taken out"
          aria-activedescendant={item && idOf(item)}
          onKeyDown={press}
        >
          {shown.map((one) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
            <div
              key={one.placeholder}
              id={idOf(one)}
              role="option"
              aria-selected={one === item}
              class={isShown(choiceOf(one)) ? 'review-shown' : undefined}
              tabIndex={-1}
              onClick={() => {
                select(one.placeholder);
                list.current?.focus();
              }}
            >
              <span class="review-choice">{REVIEW_WORDS[choiceOf(one)]}</span>
              <span class="review-value">{nameOf(one)}</span>
              <span class="review-kind">{cleanLine(one.what)}</span>
              <span class="review-count">{one.count}×</span>
            </div>
          ))}
        </div>
      )}
      {item && (
        <div class="review-detail">
          <p>
            <b>{cleanLine(item.why)}</b>
          </p>
          <pre>
            {oneLine(item.before)}
            <mark>{oneLine(item.match)}</mark>
            {oneLine(item.after)}
          </pre>
          <p class="dim">
            {plural(item.count, 'place')}; first: {cleanLine(item.places[0] ?? '') || 'the session itself'}. Instead:{' '}
            <code>{item.placeholder}</code>
          </p>
          <fieldset class="review-choices">
            <legend>What is done about it</legend>
            {REVIEW_CHOICES.map((choice) => (
              <label key={choice}>
                <input
                  type="radio"
                  name="review-choice"
                  checked={choiceOf(item) === choice}
                  disabled={choice.startsWith('always-') && cannotKeep !== null}
                  onChange={() => choose([item], choice)}
                />
                <span>
                  {REVIEW_WORDS[choice]} <kbd>{KEY_OF.get(choice)}</kbd>
                  <span class="export-text">{HINTS[choice]}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {cannotKeep !== null && <p class="dim">{cleanLine(cannotKeep)}</p>}
          <KindButton
            items={items.filter(({ kind }) => kind === item.kind)}
            onChoose={(same) => choose(same, choiceOf(item))}
          />
        </div>
      )}
      <p class="dim review-keys">
        In the list: <kbd>↑</kbd> <kbd>↓</kbd> move, the keys above choose, <kbd>*</kbd> the same for all of its kind,{' '}
        <kbd>u</kbd> undo, <kbd>/</kbd> search.
      </p>
      <p role="status" class="review-said">
        {said}
      </p>
    </section>
  );
}

function KindButton({
  items,
  onChoose,
}: {
  readonly items: readonly Item[];
  readonly onChoose: (items: readonly Item[]) => void;
}) {
  if (items.length < 2) return null;
  return (
    <button type="button" onClick={() => onChoose(items)}>
      The same for all {items.length} of this kind
    </button>
  );
}

/** 0: the first one. */
const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowUp: -1, k: -1, ArrowDown: 1, j: 1, Enter: 1, PageUp: -10, PageDown: 10 },
  ...{ Home: 0, g: 0, End: Number.MAX_SAFE_INTEGER, G: Number.MAX_SAFE_INTEGER },
};

const idOf = ({ placeholder }: Item): string => `review-${placeholder.replace(/\W+/g, '-')}`;

function nameOf({ key, value }: Item): string {
  return key === null ? oneLine(value) : `${cleanLine(key)} = ${oneLine(value)}`;
}

/** With the spaces around it, which `cleanLine` takes off. */
function oneLine(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  const clean = cleanLine(line);
  return clean === '' ? '' : `${/^\s/.test(line) ? ' ' : ''}${clean}${/\s$/.test(line) ? ' ' : ''}`;
}

function isFound({ value, key, what, kind, before, after }: Item, find: string): boolean {
  const wanted = find.toLowerCase();
  return [value, key ?? '', what, kind, before, after].some((text) => text.toLowerCase().includes(wanted));
}
