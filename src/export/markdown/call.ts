import {
  type CallView,
  type DiffRow,
  describeCall,
  editRows,
  headText,
  isWebLink,
  type MessagePart,
  showsOutput,
  sizeText,
} from '../../core/transcript/index.ts';
import { fence, folded, inlineCode, inlineText, lineText, linkTo } from './escape.ts';
import { writeProse } from './rich-markdown.ts';

type CallPart = Extract<MessagePart, { readonly kind: 'call' }>;

/** Longer ones are folded. */
const OPEN_LINES = 20;

/** A call of a tool: what it did in a line, and below it how. */
export function writeCall({ call, result }: CallPart, anchor: string): string {
  const view = describeCall(call, result);
  const about = headText(call, view).slice(call.name.length + 1);
  const isError = result?.isError === true;
  const outcome = result ? (isError ? ' · ✗ failed' : '') : ' · no answer';
  const head = `<a id="${anchor}"></a>**${inlineText(call.name)}** ${inlineText(about)}${outcome}`;
  const error = isError && !showsOutput(view) ? [writeOutput(result.text)] : [];
  return [head, ...writeView(view), ...error].join('\n\n');
}

function writeView(view: CallView): readonly string[] {
  switch (view.kind) {
    case 'terminal':
      return [fence(view.command, 'sh'), ...output(view.output)];
    case 'edits':
      return view.edits.map((edit) => fence(editRows(edit).map(diffLine).join('\n'), 'diff'));
    case 'written':
      return [foldedFence(view.text)];
    case 'file':
    case 'found':
      return output(view.text);
    case 'checks':
      return [
        view.checks.map(({ text, state }) => `- [${state === 'done' ? 'x' : ' '}] ${inlineText(text)}`).join('\n'),
      ];
    case 'web':
      return [
        linkOrText(view.target),
        ...view.hits.map(({ title, url }) => `- ${inlineText(title)} ${linkOrText(url)}`),
        ...output(view.text),
      ];
    case 'letter':
      return [writeProse(view.text)];
    case 'errand':
      return [foldedFence(view.prompt), ...(view.answer === undefined ? [] : [writeProse(view.answer)])];
    case 'fields':
      return [
        view.fields.map(({ name, text }) => `- ${inlineCode(name)}: ${inlineCode(text)}`).join('\n'),
        ...output(view.output),
      ].filter((part) => part !== '');
  }
}

function diffLine({ kind, text }: DiffRow): string {
  return `${kind === 'added' ? '+' : kind === 'removed' ? '-' : ' '}${text}`;
}

function output(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [writeOutput(text)];
}

export function writeOutput(text: string): string {
  return text.trim() === '' ? '*no output*' : foldedFence(text);
}

function foldedFence(text: string): string {
  const isLong = text.length > OPEN_LINES * 100 || text.split('\n', OPEN_LINES + 1).length > OPEN_LINES;
  return isLong ? folded(sizeText(text), fence(text)) : fence(text);
}

function linkOrText(target: string): string {
  return isWebLink(target) ? linkTo(target, inlineText(target)) : lineText(target);
}
