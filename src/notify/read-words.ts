import type { Transcript, TranscriptMessage } from '../core/index.ts';
import type { News } from './news.ts';

/** A part of a conversation: messages `from` on; `total` of them in all. */
export type ReadPart = (
  agent: string,
  range: { readonly from: number; readonly limit: number },
  session: string,
) => Promise<(Transcript & { readonly total: number }) | undefined>;

/** An agent's last words, and the answer to a call, stand near the end of what is there. */
const LOOKED_BACK = 24;

/** The words that news are told with: a prompt, a result. Empty where there are none, or they cannot be read now. */
export async function readWords(news: News, session: string, read: ReadPart): Promise<string> {
  switch (news.kind) {
    case 'spawned':
      return firstPrompt(await read(news.agent.id, { from: 0, limit: 2 }, session));
    case 'ended':
      if (news.run.status !== 'completed') return '';
      return lastWords(await readEnd(news.agent.id, session, read), timeOf(news.run.endedAt));
    case 'rest':
      return lastWords(await readEnd(news.session.main.id, session, read));
    case 'unbound-end':
      return answerTo(news.call.id, await readEnd(news.owner.id, session, read));
    default:
      return '';
  }
}

async function readEnd(agent: string, session: string, read: ReadPart): Promise<readonly TranscriptMessage[]> {
  const head = await read(agent, { from: 0, limit: 1 }, session);
  if (!head) return [];
  const from = Math.max(0, head.total - LOOKED_BACK);
  return (await read(agent, { from, limit: LOOKED_BACK }, session))?.messages ?? [];
}

function firstPrompt(part: Transcript | undefined): string {
  const prompt = part?.messages.find(({ role, content }) => role === 'user' && textIn(content) !== '');
  return prompt ? textIn(prompt.content) : '';
}

/** Of a run that was followed by another, what was said until then. */
function lastWords(messages: readonly TranscriptMessage[], until = Number.POSITIVE_INFINITY): string {
  const isBefore = ({ timestamp }: TranscriptMessage): boolean => timestamp === null || Date.parse(timestamp) <= until;
  const last = messages.findLast(
    (message) => message.role === 'assistant' && textIn(message.content) !== '' && isBefore(message),
  );
  return last ? textIn(last.content) : '';
}

function answerTo(call: string, messages: readonly TranscriptMessage[]): string {
  for (const { content } of messages.toReversed())
    for (const block of content) if (block.type === 'tool_result' && block.tool_use_id === call) return block.text;
  return '';
}

function textIn(content: TranscriptMessage['content']): string {
  for (const block of content) if (block.type === 'text' && block.text.trim() !== '') return block.text;
  return '';
}

function timeOf(iso: string | null): number | undefined {
  return iso === null ? undefined : Date.parse(iso);
}
