import type { TranscriptMessage } from '../index.ts';
import { type CallView, describeCall, headText } from './describe-call.ts';
import { diffText } from './diff-rows.ts';
import { describeMedia, isProse, type MessagePart, partsOf, titleOf } from './messages.ts';

/** A text that is shown in one piece: what a search looks through, and where it says a hit is. */
interface Slot {
  readonly name: string;
  readonly text: string;
}

export interface Hit {
  /** Of the parts of its message. */
  readonly part: number;
  readonly slot: string;
  /** In the text of the slot. */
  readonly offset: number;
  /** Of the hits in the slot, from 0. */
  readonly nth: number;
}

/** Upper and lower case are the same; nothing else is special. Undefined where there is nothing to search for. */
export function createSearchPattern(query: string): RegExp | undefined {
  if (query.trim() === '') return undefined;
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

export function countHits(message: TranscriptMessage, pattern: RegExp): number {
  const slots = partsOf(message).flatMap(slotsOf);
  return slots.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

/** From top to bottom, as they are shown. */
export function hitsIn(message: TranscriptMessage, pattern: RegExp): readonly Hit[] {
  return partsOf(message).flatMap((part, index) =>
    slotsOf(part).flatMap(({ name, text }) =>
      Array.from(text.matchAll(pattern), ({ index: offset }, nth) => ({ part: index, slot: name, offset, nth })),
    ),
  );
}

export function slotsOf(part: MessagePart): readonly Slot[] {
  switch (part.kind) {
    case 'thinking':
      return [{ name: 'text', text: part.text }];
    case 'text':
    case 'summary':
      return [{ name: 'text', text: shownText(part.text) }];
    case 'notice': {
      const { notice } = part;
      return slots({ title: titleOf(notice), text: isProse(notice) ? shownText(notice.text) : notice.text });
    }
    case 'media':
      return [{ name: 'text', text: describeMedia(part.media) }];
    case 'result':
      return [{ name: 'output', text: part.result.text }];
    case 'call': {
      const view = describeCall(part.call, part.result);
      const head = { name: 'head', text: headText(part.call, view) };
      const error = part.result?.isError && !showsOutput(view) ? [{ name: 'output', text: part.result.text }] : [];
      return [head, ...slotsOfView(view), ...error].filter(({ text }) => text !== '');
    }
  }
}

/** Views that show the result of their call anyway; of the others only an error is worth showing. */
export function showsOutput({ kind }: CallView): boolean {
  return kind !== 'edits' && kind !== 'written' && kind !== 'checks' && kind !== 'letter';
}

function slotsOfView(view: CallView): readonly Slot[] {
  switch (view.kind) {
    case 'terminal':
      return slots({ command: view.command, output: view.output });
    case 'edits':
      return view.edits.map((edit, index) => ({ name: `edit-${index}`, text: diffText(edit) }));
    case 'written':
    case 'letter':
      return [{ name: 'body', text: view.text }];
    case 'file':
      return slots({ output: view.text, note: view.note });
    case 'found':
      return slots({ output: view.text });
    case 'checks':
      return view.checks.map(({ text }, index) => ({ name: `check-${index}`, text }));
    case 'web':
      return [
        ...slots({ question: view.question }),
        ...view.hits.map(({ title, url }, index) => ({ name: `hit-${index}`, text: `${title} ${url}` })),
        ...slots({ output: view.text }),
      ];
    case 'errand':
      return slots({ prompt: view.prompt, output: shownText(view.answer ?? '') });
    case 'fields':
      return [
        ...view.fields.map(({ text }, index) => ({ name: `field-${index}`, text })),
        ...slots({ output: view.output }),
      ];
  }
}

/** Without those that are empty. */
function slots(texts: Readonly<Record<string, string | undefined>>): readonly Slot[] {
  return Object.entries(texts).flatMap(([name, text]) => (text ? [{ name, text }] : []));
}

/** Markdown shows its text without the signs of its form: a person searches for what they see. */
function shownText(text: string): string {
  return text.replace(/\*\*|`/g, '');
}
