import type { ReaderView } from './draw-reader.ts';
import { withoutColours } from './fit.ts';
import type { Key, KeyName } from './keys.ts';
import { editText } from './typed-text.ts';

export interface ReaderPressed {
  readonly view: ReaderView;
  readonly wish?: 'back';
}

/** What a key does in a transcript. */
export function pressInReader(view: ReaderView, key: Key, height: number): ReaderPressed {
  const { message: _said, ...quiet } = view;
  if (view.showsHelp) return { view: { ...quiet, showsHelp: false } };
  if (view.isTyping) return { view: typeFind(quiet, key, height) };
  if (key.kind === 'pasted') return { view: quiet };
  const name = key.kind === 'named' ? key.name : LIKE[key.text];
  if (name !== undefined) {
    if (name === 'left' || (name === 'escape' && view.find === '')) return { view: quiet, wish: 'back' };
    return { view: name === 'escape' ? forgetFind(quiet) : scrollBy(quiet, name, height) };
  }
  switch (key.kind === 'typed' ? key.text : '') {
    case 'q':
      return { view: quiet, wish: 'back' };
    case '?':
      return { view: { ...quiet, showsHelp: true } };
    case '/':
      return { view: { ...forgetFind(quiet), isTyping: true } };
    case 'n':
      return { view: findNext(quiet, 1, height) };
    case 'N':
      return { view: findNext(quiet, -1, height) };
    case 'f':
      return { view: { ...quiet, isFull: !view.isFull } };
    default:
      return { view: quiet };
  }
}

const LIKE: Readonly<Record<string, KeyName>> = {
  j: 'down',
  k: 'up',
  h: 'left',
  g: 'home',
  G: 'end',
  ' ': 'pagedown',
  b: 'pageup',
};

function scrollBy(view: ReaderView, name: KeyName, height: number): ReaderView {
  const total = view.lines?.length ?? 0;
  const page = Math.max(1, height - 2);
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    enter: 1,
    pageup: -page,
    pagedown: page,
    home: -total,
    end: total,
  };
  return { ...view, top: clampTop(view.top + (steps[name] ?? 0), total, height) };
}

export function clampTop(top: number, total: number, height: number): number {
  return Math.max(0, Math.min(top, total - height));
}

function forgetFind(view: ReaderView): ReaderView {
  const { hit: _hit, ...rest } = view;
  return { ...rest, find: '' };
}

function typeFind(view: ReaderView, key: Key, height: number): ReaderView {
  if (key.kind === 'named' && key.name === 'enter') return { ...view, isTyping: false };
  if (key.kind === 'named' && key.name === 'escape') return { ...forgetFind(view), isTyping: false };
  const find = editText(view.find, key);
  if (find === undefined) return key.kind === 'named' ? scrollBy(view, key.name, height) : view;
  // From what is in sight on, as the word grows.
  const from = view.hit ?? view.top;
  return find === '' ? forgetFind(view) : jump({ ...view, find }, from, 1, height);
}

function findNext(view: ReaderView, step: 1 | -1, height: number): ReaderView {
  if (view.find === '') return { ...view, message: 'Nothing to find yet: press / and type a word' };
  return jump(view, view.hit === undefined ? view.top : view.hit + step, step, height);
}

/** To the next line that has it, around the end where there is none before. */
function jump(view: ReaderView, from: number, step: 1 | -1, height: number): ReaderView {
  const { lines = [], find } = view;
  const wanted = find.toLowerCase();
  for (let tried = 0; tried < lines.length; tried++) {
    const at = (from + tried * step + lines.length) % lines.length;
    if (
      withoutColours(lines[at] ?? '')
        .toLowerCase()
        .includes(wanted)
    )
      return show({ ...view, hit: at }, at, height);
  }
  const { hit: _none, ...rest } = view;
  const more = view.isFull ? '' : '; f unfolds long things';
  return view.isTyping ? rest : { ...rest, message: `No line has «${find}»${more}` };
}

/** In sight already: nothing moves. */
function show(view: ReaderView, line: number, height: number): ReaderView {
  if (line >= view.top && line < view.top + height) return view;
  return { ...view, top: clampTop(line - Math.floor(height / 3), view.lines?.length ?? 0, height) };
}
