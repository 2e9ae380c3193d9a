import {
  type AgentReport,
  originTexts,
  type SubAgentRef,
  type Transcript,
  type TranscriptMessage,
} from '../../core/index.ts';
import {
  type CallPart,
  type CallView,
  cleanMessage,
  type DiffRow,
  describeCall,
  describeMedia,
  editRows,
  headText,
  isProse,
  isWebLink,
  type MessagePart,
  partsOf,
  showsOutput,
  sizeText,
  titleOf,
  voiceOf,
} from '../../core/transcript/index.ts';
import { refText } from '../pages/call.ts';
import {
  amountsOf,
  ancestorsOf,
  endKnownBy,
  linkDoubt,
  nameAndType,
  nameOf,
  notKnownTexts,
  type PageContext,
  type RenderedPage,
  reasonOf,
  renderParts,
  sessionAmounts,
  statusTexts,
  utcText,
} from '../pages/page-context.ts';
import {
  hrefOfCall,
  hrefOfPart,
  messageAnchor,
  type PagePlan,
  partAnchor,
  type SharedSession,
} from '../pages/page-plan.ts';
import { handlingTexts, partsAround } from '../pages/render-pages.ts';
import { mapRows } from '../pages/session-map.ts';
import { fence, folded, inlineCode, inlineText, lineText, linkTo, writeProse } from './markdown-text.ts';

/** The same pages with the same links, as Markdown: `index.md` and `agent-<id>.md`. */
export function renderMarkdownPages(
  shared: SharedSession,
  plan: PagePlan,
  transcript: Transcript,
): Generator<RenderedPage> {
  return renderParts(shared, plan, transcript, 'md', writePage);
}

function* writePage(context: PageContext, { messages }: Transcript, part: number, title: string): Generator<string> {
  const { pages } = context;
  const isMain = pages.agent.kind === 'main';
  const { parts, messages: total } = pages.outline;
  yield `# ${inlineText(title)}\n\n`;
  const { overview } = context.shared;
  if (isMain && overview !== undefined) yield `${linkTo(`${overview}.md`, 'All sessions')}\n\n`;
  if (!isMain || part > 0) yield `${writeCrumbs(context)}\n\n`;
  if (part === 0) yield isMain ? writeSession(context) : writeAgent(context);
  yield `## Conversation\n\n${writeParts(context, part)}`;
  for (let index = parts[part] ?? 0; index < (parts[part + 1] ?? total); index++) {
    const message = messages[index];
    if (message) yield* writeMessage(message, index, context);
  }
  yield writeParts(context, part);
  if (isMain && part === 0)
    yield `## About these pages\n\n${handlingTexts(context.shared)
      .map((one) => `- ${inlineText(one)}\n`)
      .join('')}\nTimes are UTC.\n`;
}

function writeSession({ shared, plan }: PageContext): string {
  const { session, agents } = shared;
  const facts = [
    statusTexts({ ...session, stalled: false }).join(' '),
    utcText(session.startedAt),
    ...sessionAmounts(session),
    ...originTexts(session),
  ];
  const rows = mapRows(agents).map(
    ({ agent, depth }) => `${'  '.repeat(Math.min(depth, 8))}- ${writeEntry(agent, plan)}\n`,
  );
  const notKnown = notKnownTexts(shared).map((one) => `- ${inlineText(one)}\n`);
  const notes = notKnown.length === 0 ? '' : `## <a id="not-known"></a>Not recorded\n\n${notKnown.join('')}\n`;
  return `${facts.map(inlineText).join(' · ')}\n\n## <a id="map"></a>Who did what\n\n${rows.join('')}\n${notes}`;
}

function writeEntry(agent: AgentReport, plan: PagePlan): string {
  const pages = plan.find(agent.id);
  const name = inlineText(nameAndType(agent));
  const said = reasonOf(agent) ?? pages?.outline.answered;
  return [
    pages ? linkTo(hrefOfPart(pages, 0, 'md'), name) : `${name} (no page: ${inlineText(plan.whyNot(agent.id))})`,
    ` ${[statusTexts(agent).join(' '), ...amountsOf(agent)].map(inlineText).join(' · ')}`,
    said === undefined ? '' : `: ${inlineText(said)}`,
  ].join('');
}

/** What it was asked by whom, and how it ended. */
function writeAgent({ pages, plan, speakers }: PageContext): string {
  const { agent, outline } = pages;
  const spawn = plan.spawnOf(agent);
  const doubt = linkDoubt(agent);
  const by = inlineText(spawn ? nameOf(spawn.pages.agent) : speakers.parent.name);
  const ended = [statusTexts(agent).join(' '), endKnownBy(agent), reasonOf(agent) ?? outline.answered];
  return [
    `- asked by ${spawn ? linkTo(hrefOfCall(spawn, 'md'), by) : by}${doubt === undefined ? '' : ` (${linkTo('index.md#not-known', 'not for certain')})`}: ${inlineText(outline.asked ?? '')}`,
    `- ended: ${ended.flatMap((one) => (one === undefined ? [] : inlineText(one))).join(' · ')}`,
    `- ${[utcText(agent.startedAt), ...amountsOf(agent)].map(inlineText).join(' · ')}`,
    '\n',
  ].join('\n');
}

function writeCrumbs(context: PageContext): string {
  const { pages, plan } = context;
  const path = ancestorsOf(context);
  const first = path[0]?.kind === 'main' ? [] : [linkTo('index.md', 'main')];
  const steps = path.map((agent) => {
    const target = plan.find(agent.id);
    return target ? linkTo(hrefOfPart(target, 0, 'md'), inlineText(nameOf(agent))) : inlineText(nameOf(agent));
  });
  return [...first, ...steps, lineText(nameOf(pages.agent))].join(' › ');
}

function writeParts({ pages }: PageContext, part: number): string {
  if (pages.files.length < 2) return '';
  const links = partsAround(part, pages.files.length).map((at) =>
    at === part ? `**${at + 1}**` : linkTo(hrefOfPart(pages, at, 'md'), String(at + 1)),
  );
  if (part + 1 < pages.files.length) links.push(linkTo(hrefOfPart(pages, part + 1, 'md'), 'next →'));
  return `Parts: ${links.join(' · ')}\n\n`;
}

/** In pieces: a message may hold megabytes. */
function* writeMessage(given: TranscriptMessage, index: number, context: PageContext): Generator<string> {
  const message = cleanMessage(given);
  const { name } = context.speakers[voiceOf(message, context.pages.agent.kind !== 'main')];
  const anchor = messageAnchor(index);
  const when = message.timestamp === null ? '' : ` · ${utcText(message.timestamp)}`;
  yield `### <a id="${anchor}"></a>${inlineText(name)}${when} · [#${index + 1}](#${anchor})\n\n`;
  for (const [part, one] of partsOf(message).entries())
    yield `${writePart(one, partAnchor({ message: index, part }), context)}\n\n`;
}

function writePart(part: MessagePart, anchor: string, context: PageContext): string {
  switch (part.kind) {
    case 'text':
      return writeProse(part.text);
    case 'thinking':
      return folded(`thinking · ${sizeText(part.text)}`, fence(part.text.trim()));
    case 'call':
      return part.call.refs.length > 0 ? writeSpawnCall(part, anchor, context) : writeCall(part, anchor);
    case 'result':
      return writeOutput(part.result.text);
    case 'notice': {
      const { notice } = part;
      const title = `*${lineText(titleOf(notice))}*`;
      if (notice.text.trim() === '') return title;
      return `${title}\n\n${isProse(notice) ? writeProse(notice.text) : folded(sizeText(notice.text), fence(notice.text))}`;
    }
    case 'summary':
      return folded(`Continued after compaction · ${sizeText(part.text)}`, fence(part.text));
    case 'media':
      return `*attached: ${inlineText(describeMedia(part.media))}*`;
  }
}

/** The call that made a sub-agent, and the way into its own page. */
function writeSpawnCall({ call, result }: CallPart, anchor: string, context: PageContext): string {
  const view = describeCall(call, result);
  const [prompt, answer] = view.kind === 'errand' ? [view.prompt, view.answer] : ['', result?.text];
  const isAnswered = answer !== undefined && answer.trim() !== '';
  return [
    `<a id="${anchor}"></a>**${inlineText(call.name)}** ${inlineText(call.summary ?? '')}`,
    ...(prompt === '' ? [] : [folded(`asked · ${sizeText(prompt)}`, fence(prompt))]),
    ...(isAnswered ? [result?.isError ? writeOutput(answer) : writeProse(answer)] : []),
    ...call.refs.map((to) => writeCard(to, context)),
  ].join('\n\n');
}

function writeCard(to: SubAgentRef, { agent: find, plan }: PageContext): string {
  const agent = find(to.agent_id);
  const pages = plan.find(to.agent_id);
  const name = inlineText(agent ? nameAndType(agent) : refText(to));
  const status = agent ? ` · ${statusTexts(agent).join(' ')}` : '';
  return pages
    ? `> 🔗 ${linkTo(hrefOfPart(pages, 0, 'md'), `${name} · View →`)}${status}`
    : `> 🔗 ${name} · no page: ${inlineText(plan.whyNot(to.agent_id))}${status}`;
}

/** Longer ones are folded. */
const OPEN_LINES = 20;

/** A call of a tool: what it did in a line, and below it how. */
function writeCall({ call, result }: CallPart, anchor: string): string {
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

function writeOutput(text: string): string {
  return text.trim() === '' ? '*no output*' : foldedFence(text);
}

function foldedFence(text: string): string {
  const isLong = text.length > OPEN_LINES * 100 || text.split('\n', OPEN_LINES + 1).length > OPEN_LINES;
  return isLong ? folded(sizeText(text), fence(text)) : fence(text);
}

function linkOrText(target: string): string {
  return isWebLink(target) ? linkTo(target, inlineText(target)) : lineText(target);
}
