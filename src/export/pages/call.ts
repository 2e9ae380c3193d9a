import { cleanLine, formatCount, type MediaBlock, plural, type SubAgentRef } from '../../core/index.ts';
import {
  type CallPart,
  type CallView,
  countLines,
  countRows,
  type DiffRow,
  describeCall,
  describeMedia,
  editRows,
  headText,
  isNearChange,
  isWebLink,
  showsOutput,
  sizeText,
  type ViewOf,
} from '../../core/transcript/index.ts';
import { type Content, html, type Markup, NOTHING, text } from './document.ts';
import {
  amountsOf,
  hueClass,
  linkDoubt,
  nameAndType,
  type PageContext,
  reasonOf,
  renderFacts,
  renderStatus,
} from './page-context.ts';
import { hrefOfPart } from './page-plan.ts';
import { renderFolded, renderNumbered, renderProse, renderWebLink } from './rich-text.ts';

/** A call of a tool: one line that says what it did, and below it, for those who want to see it, how. */
export function renderCall({ call, result }: CallPart, anchor: string): Markup {
  const view = describeCall(call, result);
  const isError = result?.isError === true;
  const about =
    headText(call, view).slice(call.name.length + 1) ||
    (view.kind === 'terminal' ? (view.command.split('\n', 1)[0]?.slice(0, 120) ?? '') : '');
  const head = html`<summary><b>${call.name}</b> <span class="about">${about}</span> <span class="${isError ? 'size bad' : 'size'}">${outcomeOf(view, result)}</span></summary>`;
  const body = html`${renderCallBody(view, isError)}${isError && !showsOutput(view) && renderOutput(result.text, 'bad')}${result?.media.map(renderMedia)}`;
  const name = isError ? 'call failed' : 'call';
  return html`<details class="${name}" id="${anchor}"${opensByItself(view, isError) && html` open`}>${head}${body}</details>`;
}

/** What an agent changed or ran is worth a look; what it read is there for those who ask. */
function opensByItself({ kind }: CallView, isError: boolean): boolean {
  return isError || (kind !== 'file' && kind !== 'found' && kind !== 'web' && kind !== 'fields');
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

const OUTPUT = { head: 12, tail: 8 };
const LIST = { head: 24, tail: 0 };
const FIELD = { head: 8, tail: 0 };
const PROSE = { head: 24, tail: 0 };

/** How a call is shown, by what it is. */
function renderCallBody(view: CallView, isError: boolean): Markup {
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

function renderTerminal({ command, isBackground, output }: ViewOf<'terminal'>, tone: string): Markup {
  return html`${renderFolded(command, { rows: LIST, class: 'command' })}${
    isBackground && html`<p class="note">runs in the background</p>`
  }${output !== undefined && renderOutput(output, tone)}`;
}

function renderFile({ text, first, note }: ViewOf<'file'>, tone: string): Markup {
  const body =
    text === undefined
      ? NOTHING
      : first === undefined
        ? renderFolded(text, { rows: LIST, class: tone })
        : renderNumbered(text, first);
  return html`${body}${note !== '' && renderFolded(note, { rows: FIELD, class: 'aside' })}`;
}

function renderFound({ where, text }: ViewOf<'found'>, tone: string): Markup {
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

function renderChecks({ checks }: ViewOf<'checks'>): Markup {
  return html`<ul class="checks">${checks.map(({ text, state }) => {
    const [mark, word] = CHECKS[state];
    return html`<li class="${state}"><span aria-hidden="true">${mark}</span><span class="hide">${word}: </span> ${text}</li>`;
  })}</ul>`;
}

function renderWeb({ target, question, hits, text }: ViewOf<'web'>, tone: string): Markup {
  return html`<p class="note">${linkOrText(target)}</p>${question !== undefined && renderFolded(question, { rows: FIELD })}${
    hits.length > 0 &&
    html`<ol class="hits">${hits.map(({ title, url }) => html`<li>${title} ${linkOrText(url)}</li>`)}</ol>`
  }${text !== undefined && text !== '' && renderFolded(text, { rows: LIST, class: tone, hasLinks: true })}`;
}

function linkOrText(target: string): Markup {
  return isWebLink(target) ? renderWebLink(target, target) : html`${target}`;
}

function renderFields({ fields, output }: ViewOf<'fields'>, tone: string): Markup {
  return html`${
    fields.length > 0 &&
    html`<dl class="fields">${fields.map(({ name, text }) => html`<div><dt>${name}</dt><dd>${renderFolded(text, { rows: FIELD })}</dd></div>`)}</dl>`
  }${output !== undefined && renderOutput(output, tone)}`;
}

const CONTEXT = 3;
const SHOWN_ROWS = 60;
/** A gap must hide more than it takes to say so. */
const SMALLEST_GAP = 4;

/** Lines that went and lines that came; what stayed the same is folded away. */
function renderDiff(rows: readonly DiffRow[]): Markup {
  return html`${segmentsOf(rows).map(({ isShown, from, to }) => {
    const lines = renderRows(rows.slice(from, to));
    if (isShown) return lines;
    return html`<details class="more"><summary>${plural(to - from, 'line')} more</summary>${lines}</details>`;
  })}`;
}

function segmentsOf(rows: readonly DiffRow[]) {
  const isNear = isNearChange(rows, CONTEXT);
  const segments: { isShown: boolean; from: number; to: number }[] = [];
  let shown = 0;
  for (let index = 0; index < rows.length; index++) {
    const isShown = isNear(index) && shown < SHOWN_ROWS;
    if (isShown) shown++;
    const last = segments.at(-1);
    if (last?.isShown === isShown) last.to = index + 1;
    else segments.push({ isShown, from: index, to: index + 1 });
  }
  return segments.map((one) => (one.to - one.from < SMALLEST_GAP ? { ...one, isShown: true } : one));
}

/** Neighbours of one kind are one element. Signs stand in the text: copied, it is a diff. */
function renderRows(rows: readonly DiffRow[]): Markup {
  const runs: DiffRow[][] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last?.[0]?.kind === row.kind) last.push(row);
    else runs.push([row]);
  }
  return html`<pre class="text diff">
${runs.map(renderRun)}</pre>`;
}

function renderRun(run: readonly DiffRow[]): Markup {
  switch (run[0]?.kind) {
    case 'added':
      return html`<ins>${run.map((row) => renderRow('+', row))}</ins>`;
    case 'removed':
      return html`<del>${run.map((row) => renderRow('−', row))}</del>`;
    default:
      return html`${run.map((row) => renderRow(' ', row))}`;
  }
}

function renderRow(sign: string, { text: line, changed }: DiffRow): Markup {
  if (!changed || changed[1] <= changed[0]) return html`${sign}${text(line)}\n`;
  const [from, to] = changed;
  return html`${sign}${text(line.slice(0, from))}<b>${text(line.slice(from, to))}</b>${text(line.slice(to))}\n`;
}

const PROMPT = { head: 5, tail: 0 };
const ANSWER = { head: 16, tail: 0 };
const SHORT_PROMPT = 320;

/** The call that made a sub-agent: what was asked, what came back, and the way into its own pages. */
export function renderSpawnCall(part: CallPart, anchor: string, context: PageContext): Markup {
  const { call, result } = part;
  const view = describeCall(call, result);
  const [prompt, answer] = view.kind === 'errand' ? [view.prompt, view.answer] : ['', result?.text];
  const [first, another] = call.refs;
  // A workflow is nobody's in particular.
  const hue = first && !another ? (context.agent(first.agent_id)?.hue ?? null) : null;
  return html`<div class="${`door ${hueClass(hue)}`}" id="${anchor}">
<p class="door-head"><b>${call.name}</b> ${call.summary}</p>${prompt !== '' && renderPrompt(prompt)}${
    answer !== undefined &&
    answer.trim() !== '' &&
    (result?.isError
      ? html`<p class="label bad">✗ failed</p>${renderFolded(answer, { rows: PROMPT, class: 'bad' })}`
      : html`<p class="label">answered</p>${renderProse(answer, ANSWER)}`)
  }
${call.refs.map((to) => renderCard(to, context))}</div>`;
}

/** A few lines are read faster than unfolded; all of a long one stands on the agent's own page. */
function renderPrompt(prompt: string): Markup {
  if (prompt.length <= SHORT_PROMPT && prompt.trim().split('\n').length <= 4)
    return html`<p class="label">asked</p>${renderProse(prompt, ANSWER)}`;
  return html`
<details class="more"><summary>asked: ${sizeText(prompt)}</summary>${renderFolded(prompt, { rows: { head: 200, tail: 0 } })}</details>`;
}

/** A link only where there is something to read; else why not. */
function renderCard(to: SubAgentRef, { plan, agent: find }: PageContext): Markup {
  const agent = find(to.agent_id);
  const name = agent ? nameAndType(agent) : refText(to);
  const pages = plan.find(to.agent_id);
  const why = agent && reasonOf(agent);
  const isDoubtful = agent !== undefined && linkDoubt(agent) !== undefined;
  const facts = agent && [agent.background === true && 'in the background', ...amountsOf(agent)];
  return html`<p class="card">${
    pages
      ? html`<a href="${hrefOfPart(pages, 0, 'html')}">${name} · View<span aria-hidden="true"> →</span></a>`
      : html`<b>${name}</b> <span class="note">no page: ${plan.whyNot(to.agent_id)}</span>`
  }${agent && html` ${renderStatus(agent)}`}${why && html` <span class="note">${why} ·</span>`}${isDoubtful && html` <a class="note" href="index.html#not-known">not for certain</a>`}${facts && html` <span class="nums">${renderFacts(facts)}</span>`}</p>`;
}

export function refText({ agent_id, agent_name, agent_type }: SubAgentRef): string {
  const name = cleanLine(agent_name ?? '') || cleanLine(agent_id);
  const type = cleanLine(agent_type ?? '');
  return type === '' ? name : `${name} (${type})`;
}

/** Pictures that can hold nothing but a picture. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** An image as it was seen, where its bytes are here; everything else in words. */
export function renderMedia(media: MediaBlock): Markup {
  const said = describeMedia(media);
  if (media.type === 'image' && media.data !== null && PICTURES.test(media.media_type) && BASE64.test(media.data))
    return html`<img src="${`data:${media.media_type};base64,${media.data}`}" alt="${said}">`;
  return html`<p class="note">▣ attached: ${said}</p>`;
}
