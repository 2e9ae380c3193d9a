import { formatCount } from '../../core/index.ts';
import {
  type CallView,
  countLines,
  countRows,
  describeCall,
  editRows,
  headText,
  type MessagePart,
  showsOutput,
  sizeText,
} from '../../core/transcript/index.ts';
import { renderCallBody, renderOutput } from './call-body.ts';
import { type Content, html, type Markup } from './markup.ts';
import { renderMedia } from './media.ts';

type CallPart = Extract<MessagePart, { readonly kind: 'call' }>;

/** A call of a tool: one line that says what it did, and below it, for those who want to see it, how. */
export function renderCall({ call, result }: CallPart, anchor: string): Markup {
  const view = describeCall(call, result);
  const isError = result?.isError === true;
  const about =
    headText(call, view).slice(call.name.length + 1) || (view.kind === 'terminal' ? firstLine(view.command) : '');
  const head = html`<summary><b>${call.name}</b> <span class="about">${about}</span> <span class="${isError ? 'size bad' : 'size'}">${outcomeOf(view, result)}</span></summary>`;
  const body = html`${renderCallBody(view, isError)}${isError && !showsOutput(view) && renderOutput(result.text, 'bad')}${result?.media.map(renderMedia)}`;
  const name = isError ? 'call failed' : 'call';
  return opensByItself(view, isError)
    ? html`<details class="${name}" id="${anchor}" open>${head}${body}</details>`
    : html`<details class="${name}" id="${anchor}">${head}${body}</details>`;
}

/** What an agent changed or ran is worth a look; what it read is there for those who ask. */
function opensByItself({ kind }: CallView, isError: boolean): boolean {
  return isError || (kind !== 'file' && kind !== 'found' && kind !== 'web' && kind !== 'fields');
}

function firstLine(command: string): string {
  return command.split('\n', 1)[0]?.slice(0, 120) ?? '';
}

function outcomeOf(view: CallView, result: CallPart['result']): Content {
  if (!result) return 'no answer';
  if (result.isError) {
    const code = view.kind === 'terminal' ? view.exitCode : undefined;
    return code === undefined ? '✗ failed' : `✗ exit code ${code}`;
  }
  return sizeOf(view);
}

function sizeOf(view: CallView): Content {
  switch (view.kind) {
    case 'edits': {
      const rows = view.edits.flatMap(editRows);
      return html`<span class="plus">+${countRows(rows, 'added')}</span> <span class="minus">−${countRows(rows, 'removed')}</span>`;
    }
    case 'written':
      return html`<span class="plus">+${formatCount(countLines(view.text))}</span>`;
    case 'terminal':
    case 'fields':
      return view.output ? sizeText(view.output) : view.kind === 'terminal' && 'no output';
    case 'file':
    case 'found':
    case 'web':
      return view.text ? sizeText(view.text) : '';
    case 'checks':
      return `${view.checks.filter(({ state }) => state === 'done').length} of ${view.checks.length} done`;
    default:
      return '';
  }
}
