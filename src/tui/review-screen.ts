// The review of an export on the whole screen: each value once, with what is done about it.

import {
  type ColourDepth,
  cleanLine,
  cutTo,
  plural,
  REVIEW_WORDS,
  type Review,
  type ReviewChoice,
  type ReviewItem,
  widthOf,
  wrapText,
} from '../core/index.ts';
import { openScreen, type Screen, type Size } from '../lib/screen.ts';
import { createKeyReader, editText, type Key, type KeyName } from './keys.ts';
import { createScreenPainter, createWatchPaint, fill, fitTo, padTo, spread, type WatchPaint } from './paint.ts';

export type ReviewChoices = ReadonlyMap<string, ReviewChoice>;

export interface ReviewOptions {
  readonly review: Review;
  readonly screen: Screen<Key>;
  readonly colours: ColourDepth;
  /** Why decisions cannot be kept here; null: they can. */
  readonly cannotKeep: string | null;
}

/** The choices with which the export is to be written; undefined: the person wants none. */
export async function reviewOnScreen({ review, screen, colours, cannotKeep }: ReviewOptions) {
  const painter = createScreenPainter((text) => screen.write(text));
  const list = new ReviewList(review, createWatchPaint(colours), cannotKeep);
  const draw = (): void => painter.paint(list.frame(screen.size()), screen.size());
  try {
    return await new Promise<ReviewChoices | undefined>((resolve, reject) => {
      const drawOrFail = (): void => {
        try {
          draw();
        } catch (error) {
          reject(error);
        }
      };
      screen.onResize(() => {
        painter.forget();
        drawOrFail();
      });
      screen.onKey((key) => {
        if (key.kind === 'named' && key.name === 'ctrl-z') screen.suspend();
        if (key.kind === 'named' && key.name === 'ctrl-l') painter.forget();
        const end = list.press(key, screen.size());
        if (end === 'write') resolve(list.choices());
        else if (end === 'quit') resolve(undefined);
        else drawOrFail();
      });
      drawOrFail();
    });
  } finally {
    screen.close();
  }
}

/** On this process's terminal. */
export function reviewInTerminal(options: Omit<ReviewOptions, 'screen'>): Promise<ReviewChoices | undefined> {
  return reviewOnScreen({ ...options, screen: openScreen(createKeyReader) });
}

const CHOICE_KEYS: Readonly<Record<string, ReviewChoice>> = {
  r: 'redact',
  s: 'show',
  e: 'everywhere',
  a: 'always-show',
  x: 'always-everywhere',
};
/** As wide as the longest word. */
const CHOICE_WIDTH = Math.max(...Object.values(REVIEW_WORDS).map((word) => word.length));
const MARKS: Readonly<Record<ReviewChoice, string>> = {
  redact: '■',
  show: '○',
  everywhere: '■',
  'always-show': '○',
  'always-everywhere': '■',
};

const HELP: readonly (readonly [string, string])[] = [
  ['↑ ↓ j k', 'move; pgup, pgdn, g and G: a screen, first, last'],
  ['r', 'redact: a placeholder is written instead (as it is without a choice)'],
  ['s', 'show in this export: it is not a secret'],
  ['e', 'redact everywhere, also where it is an ordinary word that nothing marks as secret'],
  ['a', 'always show, in all exports of this project'],
  ['x', 'always redact everywhere, in all exports of this project'],
  ['*', 'the same choice for all of its kind'],
  ['u', 'undo the last choice'],
  ['/', 'search in values, names, kinds and context; esc clears'],
  ['w', 'write the export'],
  ['q, ctrl-c', 'quit: nothing is written or kept'],
];

/** What is chosen and shown; knows no terminal. */
export class ReviewList {
  readonly #items: readonly ReviewItem[];
  readonly #paint: WatchPaint;
  readonly #cannotKeep: string | null;
  #choices: ReviewChoices;
  readonly #undo: ReviewChoices[] = [];
  #selected = 0;
  #top = 0;
  #find = '';
  #isTyping = false;
  #showsHelp = false;
  #message: string | undefined;

  constructor({ items }: Pick<Review, 'items'>, paint: WatchPaint, cannotKeep: string | null) {
    this.#items = items;
    this.#paint = paint;
    this.#cannotKeep = cannotKeep;
    this.#choices = new Map(items.map(({ placeholder, choice }) => [placeholder, choice]));
    this.#message = cannotKeep ?? undefined;
  }

  choices(): ReviewChoices {
    return this.#choices;
  }

  press(key: Key, size: Size): 'write' | 'quit' | undefined {
    if (key.kind === 'named' && key.name === 'ctrl-c') return 'quit';
    this.#message = undefined;
    if (this.#showsHelp) {
      this.#showsHelp = false;
      return undefined;
    }
    if (this.#isTyping) {
      this.#type(key, size);
      return undefined;
    }
    // A paste must not choose or write.
    if (key.kind === 'pasted') return undefined;
    const name = key.kind === 'named' ? key.name : MOVES[key.text];
    if (name !== undefined) {
      if (name === 'escape') this.#search('');
      else this.#move(name, size);
      return undefined;
    }
    const text = key.kind === 'typed' ? key.text : '';
    const choice = CHOICE_KEYS[text];
    if (choice) this.#choose(choice);
    else if (text === '*') this.#chooseForKind();
    else if (text === 'u') this.#takeBack();
    else if (text === '/') this.#isTyping = true;
    else if (text === '?') this.#showsHelp = true;
    else if (text === 'w') return 'write';
    else if (text === 'q') return 'quit';
    return undefined;
  }

  frame(size: Size): readonly string[] {
    const { columns, rows } = size;
    const shown = this.#shown();
    const detail = this.#detail(shown[this.#selected], columns).slice(0, detailRows(rows));
    const body = listRows(rows) + (this.#showsHelp ? detailRows(rows) : 0);
    this.#scroll(shown.length, body);
    const content = this.#showsHelp
      ? this.#help(columns)
      : shown.length === 0
        ? [
            '',
            ` ${this.#items.length === 0 ? 'Nothing to redact was found.' : 'Nothing matches. Press esc to clear the search.'}`,
          ]
        : shown.slice(this.#top, this.#top + body).map((item, at) => this.#row(item, this.#top + at, columns));
    const lines = [
      this.#header(shown.length, columns),
      ...fill(content, body),
      ...(detailRows(rows) > 0 && !this.#showsHelp ? fill(detail, detailRows(rows)) : []),
      ...(rows > 2 ? [this.#footer()] : []),
    ];
    return fill(lines, rows).map((line) => fitTo(line, columns));
  }

  #shown(): readonly ReviewItem[] {
    const wanted = this.#find.toLowerCase();
    if (wanted === '') return this.#items;
    return this.#items.filter(({ value, key, what, kind, before, after }) =>
      [value, key ?? '', what, kind, before, after].some((text) => text.toLowerCase().includes(wanted)),
    );
  }

  #header(shown: number, columns: number): string {
    const counts = new Map<ReviewChoice, number>();
    for (const choice of this.#choices.values()) counts.set(choice, (counts.get(choice) ?? 0) + 1);
    const of = (...choices: readonly ReviewChoice[]): number =>
      choices.reduce((sum, choice) => sum + (counts.get(choice) ?? 0), 0);
    const left = `${this.#paint.bold('Review')}  ${of('redact', 'everywhere', 'always-everywhere')} redacted  ${of('show', 'always-show')} shown`;
    const place = shown === 0 ? 'none' : `${this.#selected + 1} of ${shown}`;
    return spread(left, this.#paint.dim(this.#find === '' ? place : `${place} for “${this.#find}”`), columns);
  }

  #row(item: ReviewItem, at: number, columns: number): string {
    const choice = this.#choices.get(item.placeholder) ?? 'redact';
    const isShown = choice.endsWith('show');
    const word = `${MARKS[choice]} ${padTo(REVIEW_WORDS[choice], CHOICE_WIDTH)}`;
    const count = `${item.count}×`.padStart(6);
    const kind = columns >= 100 ? padTo(cutTo(item.what, Math.floor(columns / 4)), Math.floor(columns / 4)) : '';
    const start = columns < 50 ? `${MARKS[choice]} ` : `${word} `;
    const room = columns - 1 - widthOf(start) - count.length - 1 - (kind === '' ? 0 : widthOf(kind) + 2);
    const name = item.key === null ? '' : `${cleanLine(item.key)} = `;
    const value = padTo(cutTo(name + oneLine(item.value), Math.max(4, room)), Math.max(4, room));
    const painted = isShown ? this.#paint.yellow(start) : start;
    const line = `${painted}${value}${kind === '' ? '' : `  ${kind}`} ${count}`;
    const isSelected = at === this.#selected;
    return isSelected ? this.#paint.bar(fitTo(padTo(`›${line}`, columns), columns)) : ` ${line}`;
  }

  /** The selected value in its line, and why it is redacted. */
  #detail(item: ReviewItem | undefined, columns: number): readonly string[] {
    const rule = this.#paint.dim('─'.repeat(columns));
    if (!item || this.#showsHelp) return [rule];
    const [place = ''] = item.places;
    return [
      rule,
      ` ${this.#paint.bold(cutTo(cleanLine(item.why), columns - 2))}`,
      ` ${this.#context(item, columns - 2)}`,
      ...wrapText(
        `${plural(item.count, 'place')}; first: ${cleanLine(place) || 'the session itself'} → ${item.placeholder}`,
        Math.max(10, columns - 2),
      ).map((line) => ` ${this.#paint.dim(line)}`),
    ];
  }

  /** As much of the line as there is room for, with the value in sight. */
  #context({ before, match, after }: ReviewItem, columns: number): string {
    const value = cutTo(oneLine(match), Math.max(8, Math.floor(columns * 0.7)));
    const room = Math.max(0, columns - widthOf(value));
    const [left, right] = [oneLine(before).trimStart(), oneLine(after)];
    const leftRoom = Math.max(Math.floor(room / 2), room - widthOf(right));
    const start = widthOf(left) > leftRoom ? `…${endOf(left, leftRoom - 1)}` : left;
    const end = cutTo(right, Math.max(0, columns - widthOf(start) - widthOf(value)));
    return `${start}${this.#paint.bold(this.#paint.yellow(value))}${end}`;
  }

  #footer(): string {
    if (this.#isTyping) return `/${this.#find}▏ ${this.#paint.dim('enter keeps, esc clears')}`;
    if (this.#message !== undefined) return this.#paint.yellow(this.#message);
    return this.#paint.dim(
      '? help  w write  q quit  r redact  s show  e everywhere  a always show  x always redact  * kind  u undo  / search',
    );
  }

  #help(columns: number): readonly string[] {
    return HELP.flatMap(([keys, does]) =>
      wrapText(does, Math.max(10, columns - 13)).map(
        (line, at) => ` ${this.#paint.bold((at === 0 ? keys : '').padEnd(10))} ${line}`,
      ),
    );
  }

  #move(name: KeyName, { rows }: Size): void {
    const page = Math.max(1, listRows(rows) - 1);
    const all = this.#items.length;
    const steps: Partial<Record<KeyName, number>> = {
      ...{ up: -1, down: 1, enter: 1, pageup: -page, pagedown: page, home: -all, end: all },
    };
    this.#select(this.#selected + (steps[name] ?? 0));
  }

  #select(at: number): void {
    this.#selected = Math.max(0, Math.min(at, this.#shown().length - 1));
  }

  #scroll(total: number, height: number): void {
    if (this.#selected < this.#top) this.#top = this.#selected;
    if (this.#selected >= this.#top + height) this.#top = this.#selected - height + 1;
    this.#top = Math.max(0, Math.min(this.#top, total - height));
  }

  #choose(choice: ReviewChoice): void {
    const item = this.#shown()[this.#selected];
    if (!item || !this.#mayChoose(choice)) return;
    this.#set([item], choice);
    this.#select(this.#selected + 1);
  }

  #chooseForKind(): void {
    const item = this.#shown()[this.#selected];
    const choice = item && this.#choices.get(item.placeholder);
    if (!item || !choice || !this.#mayChoose(choice)) return;
    const same = this.#items.filter(({ kind }) => kind === item.kind);
    this.#set(same, choice);
    this.#message = `${REVIEW_WORDS[choice]}: ${plural(same.length, 'value')} of this kind (${item.what}). u takes it back.`;
  }

  #mayChoose(choice: ReviewChoice): boolean {
    if (!choice.startsWith('always-') || this.#cannotKeep === null) return true;
    this.#message = this.#cannotKeep;
    return false;
  }

  #set(items: readonly ReviewItem[], choice: ReviewChoice): void {
    this.#undo.push(this.#choices);
    this.#choices = new Map([...this.#choices, ...items.map(({ placeholder }) => [placeholder, choice] as const)]);
  }

  #takeBack(): void {
    const before = this.#undo.pop();
    if (before) this.#choices = before;
    else this.#message = 'There is nothing to undo.';
  }

  #type(key: Key, size: Size): void {
    if (key.kind === 'named' && (key.name === 'enter' || key.name === 'escape')) {
      this.#isTyping = false;
      if (key.name === 'escape') this.#search('');
      return;
    }
    const find = editText(this.#find, key);
    if (find !== undefined) this.#search(find);
    else if (key.kind === 'named') this.#move(key.name, size);
  }

  /** The selected value stays selected if it is still there. */
  #search(find: string): void {
    const item = this.#shown()[this.#selected];
    this.#find = find;
    this.#select(Math.max(0, item ? this.#shown().indexOf(item) : 0));
  }
}

const MOVES: Readonly<Record<string, KeyName>> = {
  j: 'down',
  k: 'up',
  g: 'home',
  G: 'end',
  ' ': 'pagedown',
  b: 'pageup',
};

/** Low screens have the list only. */
const detailRows = (rows: number): number => (rows >= 14 ? 6 : rows >= 9 ? 3 : 0);
const listRows = (rows: number): number => Math.max(0, rows - 1 - detailRows(rows) - (rows > 2 ? 1 : 0));

function oneLine(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  const clean = cleanLine(line);
  if (clean === '') return '';
  return `${/^\s/.test(line) ? ' ' : ''}${clean}${/\s$/.test(line) ? ' ' : ''}`;
}

function endOf(text: string, columns: number): string {
  const characters = [...text];
  let width = 0;
  let at = characters.length;
  while (at > 0 && width + widthOf(characters[at - 1] ?? '') <= columns) width += widthOf(characters[--at] ?? '');
  return characters.slice(at).join('');
}
