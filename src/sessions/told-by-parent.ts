import type { Transcript, TranscriptBlock, TranscriptMessage } from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';

/** What a parent's transcript holds of a sub-agent's conversation. */
export interface Told {
  readonly call: string;
  readonly prompt: string | undefined;
  readonly askedAt: string | null;
  /** Its report; of one in the background, what the notice of its end handed over. */
  readonly answer: string | undefined;
  readonly answeredAt: string | null;
}

/** By the agents' ids. */
export function toldIn({ messages }: Transcript, adapter: SourceAdapter): ReadonlyMap<string, Told> {
  const told = new Map<string, Told>();
  for (const { content, timestamp } of messages) {
    for (const block of content) {
      // A call that made several says nothing of any one of them.
      const agent = block.type === 'tool_use' && !block.sub_agent_refs ? block.sub_agent_ref?.agent_id : undefined;
      if (block.type === 'tool_use' && agent !== undefined) {
        const { prompt, answer } = adapter.errandIn?.(block.input, answerTo(block.tool_use_id, content)) ?? {};
        told.set(agent, { call: block.tool_use_id, prompt, askedAt: timestamp, answer, answeredAt: null });
      }
      const before = block.type === 'notice' && block.agent_id !== null ? told.get(block.agent_id) : undefined;
      if (before && block.type === 'notice' && block.agent_id !== null && block.text !== '')
        told.set(block.agent_id, { ...before, answer: block.text, answeredAt: timestamp });
    }
  }
  return told;
}

function answerTo(call: string, content: readonly TranscriptBlock[]): string | undefined {
  const result = content.find((block) => block.type === 'tool_result' && block.tool_use_id === call);
  return result?.type === 'tool_result' ? result.text : undefined;
}

/** An agent whose own lines are not there: it says so, and shows what its parent was given. */
export function fromParent(empty: Transcript, told: Told | undefined, problem: string | undefined): Transcript {
  const id = empty.session_id;
  const text = problem === undefined ? '' : `${problem}.`;
  const said: TranscriptMessage[] = [
    {
      id: `${id}-note`,
      role: 'system',
      timestamp: null,
      model: null,
      content: [{ type: 'notice', kind: 'note', title: told ? GONE_BUT : GONE, text, agent_id: id }],
    },
  ];
  const say = (part: string, role: 'user' | 'assistant', words: string | undefined, timestamp: string | null): void => {
    if (words === undefined || words === '') return;
    said.push({ id: `${told?.call}-${part}`, role, timestamp, model: null, content: [{ type: 'text', text: words }] });
  };
  say('prompt', 'user', told?.prompt, told?.askedAt ?? null);
  say('answer', 'assistant', told?.answer, told?.answeredAt ?? null);
  return { ...empty, known_from: told ? 'parent' : 'nothing', messages: said };
}

const GONE = 'Its own transcript is not there.';
const GONE_BUT = 'Its own transcript is not there. This is what the call that made it holds.';
