import { cleanLine, type SubAgentRef } from '../../core/index.ts';
import { describeCall, type MessagePart, sizeText } from '../../core/transcript/index.ts';
import { renderFacts } from './facts.ts';
import { renderFolded } from './folded.ts';
import { html, type Markup } from './markup.ts';
import { hueClass, type PageContext } from './page-context.ts';
import { hrefOfPart } from './page-plan.ts';
import { amountsOf, linkDoubt, nameAndType, reasonOf } from './page-texts.ts';
import { renderProse } from './rich-text.ts';
import { renderStatus } from './status-mark.ts';

type CallPart = Extract<MessagePart, { readonly kind: 'call' }>;

const PROMPT = { head: 5, tail: 0 };
const ANSWER = { head: 16, tail: 0 };
const SHORT_PROMPT = 320;

/** The call that made a sub-agent: what was asked, what came back, and the way into its own pages. */
export function renderDoor(part: CallPart, anchor: string, context: PageContext): Markup {
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
  const said = agent ? nameAndType(agent) : refText(to);
  const pages = plan.find(to.agent_id);
  const name = html`<span aria-hidden="true">🔗 </span>${said}`;
  const why = agent && [reasonOf(agent), linkDoubt(agent)].filter((one) => one !== undefined).join(' · ');
  const facts = agent && [agent.background === true && 'in the background', ...amountsOf(agent)];
  return html`<p class="card">${
    pages
      ? html`<a href="${hrefOfPart(pages, 0, 'html')}">${name} · View<span aria-hidden="true"> →</span></a>`
      : html`<b>${name}</b> <span class="note">no page: ${plan.whyNot(to.agent_id)}</span>`
  }${agent && html` ${renderStatus(agent)}`}${why && html` <span class="note">${why} ·</span>`}${facts && html` <span class="nums">${renderFacts(facts)}</span>`}</p>`;
}

export function refText({ agent_id, agent_name, agent_type }: SubAgentRef): string {
  const name = cleanLine(agent_name ?? '') || cleanLine(agent_id);
  const type = cleanLine(agent_type ?? '');
  return type === '' ? name : `${name} (${type})`;
}
