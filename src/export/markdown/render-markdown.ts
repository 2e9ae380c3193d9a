import { type AgentReport, plural, type Transcript } from '../../core/index.ts';
import { handlingTexts } from '../pages/footer.ts';
import { ancestorsOf, createContext, type PageContext, pageTitle } from '../pages/page-context.ts';
import { hrefOfCall, hrefOfPart, type PagePlan } from '../pages/page-plan.ts';
import {
  amountsOf,
  endKnownBy,
  linkDoubt,
  nameAndType,
  nameOf,
  reasonOf,
  statusTexts,
  utcText,
} from '../pages/page-texts.ts';
import { partsAround } from '../pages/part-list.ts';
import type { RenderedPage } from '../pages/render-pages.ts';
import type { SharedSession } from '../pages/shapes.ts';
import { mapRows } from '../pages/tree-map.ts';
import { inlineText, lineText, linkTo } from './escape.ts';
import { writeMessage } from './message.ts';

/** The same pages with the same links, as Markdown: `index.md` and `agent-<id>.md`. */
export function* renderMarkdownPages(
  shared: SharedSession,
  plan: PagePlan,
  transcript: Transcript,
): Generator<RenderedPage> {
  const pages = plan.find(transcript.session_id);
  if (!pages) return;
  const context = createContext(shared, plan, pages);
  for (const [part] of pages.files.entries()) {
    const title = pageTitle(context, part);
    yield { file: hrefOfPart(pages, part, 'md'), title, chunks: writePage(context, transcript, part, title) };
  }
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
    plural(agents.length, 'agent'),
  ];
  const rows = mapRows(agents).map(
    ({ agent, depth }) => `${'  '.repeat(Math.min(depth, 8))}- ${writeEntry(agent, plan)}\n`,
  );
  return `${facts.map(inlineText).join(' · ')}\n\n## <a id="map"></a>Who did what\n\n${rows.join('')}\n`;
}

function writeEntry(agent: AgentReport, plan: PagePlan): string {
  const pages = plan.find(agent.id);
  const name = inlineText(nameAndType(agent));
  const said = reasonOf(agent) ?? pages?.outline.answered;
  const doubt = linkDoubt(agent);
  return [
    pages ? linkTo(hrefOfPart(pages, 0, 'md'), name) : `${name} (no page: ${inlineText(plan.whyNot(agent.id))})`,
    ` ${[statusTexts(agent).join(' '), ...amountsOf(agent)].map(inlineText).join(' · ')}`,
    said === undefined ? '' : `: ${inlineText(said)}`,
    doubt === undefined ? '' : ` (? ${inlineText(doubt)})`,
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
    `- asked by ${spawn ? linkTo(hrefOfCall(spawn, 'md'), by) : by}${doubt === undefined ? '' : ` (? ${inlineText(doubt)})`}: ${inlineText(outline.asked ?? '')}`,
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
