import type { SubAgentRef, TranscriptMessage } from '../../core/index.ts';
import {
  cleanMessage,
  describeCall,
  describeMedia,
  isProse,
  type MessagePart,
  partsOf,
  sizeText,
  titleOf,
  voiceOf,
} from '../../core/transcript/index.ts';
import { refText } from '../pages/door.ts';
import type { PageContext } from '../pages/page-context.ts';
import { hrefOfPart, messageAnchor, partAnchor } from '../pages/page-plan.ts';
import { nameAndType, statusTexts, utcText } from '../pages/page-texts.ts';
import { writeCall, writeOutput } from './call.ts';
import { fence, folded, inlineText, lineText, linkTo } from './escape.ts';
import { writeProse } from './rich-markdown.ts';

/** In pieces: a message may hold megabytes. */
export function* writeMessage(given: TranscriptMessage, index: number, context: PageContext): Generator<string> {
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
      return part.call.refs.length > 0 ? writeDoor(part, anchor, context) : writeCall(part, anchor);
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

type CallPart = Extract<MessagePart, { readonly kind: 'call' }>;

/** The call that made a sub-agent, and the way into its own page. */
function writeDoor({ call, result }: CallPart, anchor: string, context: PageContext): string {
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
