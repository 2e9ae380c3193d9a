import {
  type CallView,
  type ChecksView,
  editRows,
  type FieldsView,
  type FileView,
  type FoundView,
  isWebLink,
  type TerminalView,
  type WebView,
} from '../../core/transcript/index.ts';
import { renderDiff } from './diff.ts';
import { renderFolded, renderNumbered, renderWebLink } from './folded.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { renderProse } from './rich-text.ts';

const OUTPUT = { head: 12, tail: 8 };
const LIST = { head: 24, tail: 0 };
const FIELD = { head: 8, tail: 0 };
const PROSE = { head: 24, tail: 0 };

/** How a call is shown, by what it is. */
export function renderCallBody(view: CallView, isError: boolean): Markup {
  const tone = isError ? 'bad' : '';
  switch (view.kind) {
    case 'terminal':
      return renderTerminal(view, tone);
    case 'edits':
      return html`${view.edits.map(
        (edit) =>
          html`${edit.isEverywhere && html`<p class="note">everywhere in the file</p>`}${renderDiff(editRows(edit))}`,
      )}`;
    case 'written':
      return renderNumbered(view.text, 1);
    case 'file':
      return renderFile(view, tone);
    case 'found':
      return renderFound(view, tone);
    case 'checks':
      return renderChecks(view);
    case 'web':
      return renderWeb(view, tone);
    case 'letter':
      return renderProse(view.text, PROSE);
    case 'errand':
      return html`${renderFolded(view.prompt, { rows: LIST })}${view.answer !== undefined && renderOutput(view.answer, tone)}`;
    case 'fields':
      return renderFields(view, tone);
  }
}

export function renderOutput(output: string, tone: string): Markup {
  return output.trim() === ''
    ? html`<p class="note">no output</p>`
    : renderFolded(output, { rows: OUTPUT, class: tone });
}

function renderTerminal({ command, isBackground, output }: TerminalView, tone: string): Markup {
  return html`${renderFolded(command, { rows: LIST, class: 'command' })}${
    isBackground && html`<p class="note">runs in the background</p>`
  }${output !== undefined && renderOutput(output, tone)}`;
}

function renderFile({ text, first, note }: FileView, tone: string): Markup {
  const body =
    text === undefined
      ? NOTHING
      : first === undefined
        ? renderFolded(text, { rows: LIST, class: tone })
        : renderNumbered(text, first);
  return html`${body}${note !== '' && renderFolded(note, { rows: FIELD, class: 'aside' })}`;
}

function renderFound({ where, text }: FoundView, tone: string): Markup {
  return html`${where !== undefined && html`<p class="note">in <code>${where}</code></p>`}${
    text !== undefined && renderFolded(text, { rows: LIST, class: tone })
  }`;
}

const CHECKS = {
  open: ['○', 'to do'],
  doing: ['◐', 'under way'],
  done: ['✓', 'done'],
  dropped: ['✗', 'dropped'],
} as const;

function renderChecks({ checks }: ChecksView): Markup {
  return html`<ul class="checks">${checks.map(({ text, state }) => {
    const [mark, word] = CHECKS[state];
    return html`<li class="${state}"><span aria-hidden="true">${mark}</span><span class="hide">${word}: </span> ${text}</li>`;
  })}</ul>`;
}

function renderWeb({ target, question, hits, text }: WebView, tone: string): Markup {
  return html`<p class="note">${linkOrText(target)}</p>${question !== undefined && renderFolded(question, { rows: FIELD })}${
    hits.length > 0 &&
    html`<ol class="hits">${hits.map(({ title, url }) => html`<li>${title} ${linkOrText(url)}</li>`)}</ol>`
  }${text !== undefined && text !== '' && renderFolded(text, { rows: LIST, class: tone, hasLinks: true })}`;
}

function linkOrText(target: string): Markup {
  return isWebLink(target) ? renderWebLink(target, target) : html`${target}`;
}

function renderFields({ fields, output }: FieldsView, tone: string): Markup {
  return html`${
    fields.length > 0 &&
    html`<dl class="fields">${fields.map(({ name, text }) => html`<div><dt>${name}</dt><dd>${renderFolded(text, { rows: FIELD })}</dd></div>`)}</dl>`
  }${output !== undefined && renderOutput(output, tone)}`;
}
