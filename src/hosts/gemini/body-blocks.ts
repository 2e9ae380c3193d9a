// From one message of a chat to a message of a transcript, with its bodies.

import type { TranscriptBlock, TranscriptMessage } from '../../core/index.ts';
import { asInstant, asText, isObject, type JsonObject } from '../../lib/json.ts';
import {
  changesOf,
  type MediaOptions,
  partsOf,
  shownResult,
  spokenIn,
  summarise,
  toMedia,
  toSpokenBlocks,
} from '../shared/index.ts';
import { agentCallIn, answerIn } from './agent-calls.ts';
import { type ChatCall, callsOf, outcomeOf } from './chat-call.ts';
import { contextIn, isHostText } from './host-text.ts';

export function toMessage(message: JsonObject, options: MediaOptions): TranscriptMessage | undefined {
  const at = asInstant(message['timestamp']);
  const { role, content } = spokenBy(message, options);
  if (content.length === 0) return undefined;
  return {
    id: asText(message['id']) ?? '',
    role,
    timestamp: at === undefined ? null : new Date(at).toISOString(),
    model: asText(message['model']) ?? null,
    content,
  };
}

function spokenBy(message: JsonObject, options: MediaOptions): Pick<TranscriptMessage, 'role' | 'content'> {
  const parts = partsOf(message['content']);
  const text = spokenIn(parts);
  switch (message['type']) {
    case 'gemini':
      return {
        role: 'assistant',
        content: [
          ...thoughtsIn(message),
          ...toSpokenBlocks(parts, options),
          ...callsOf(message).flatMap((call) => toCallBlocks(call, options)),
        ],
      };
    case 'user':
      if (isHostText(text))
        return { role: 'system', content: [notice('reminder', 'session context', contextIn(text))] };
      return { role: 'user', content: toSpokenBlocks(parts, options) };
    default:
      return { role: 'system', content: text === '' ? [] : [notice('note', String(message['type']), text)] };
  }
}

function notice(kind: 'reminder' | 'note', title: string, text: string): TranscriptBlock {
  return { type: 'notice', kind, title, text, agent_id: null };
}

function thoughtsIn(message: JsonObject): readonly TranscriptBlock[] {
  const thoughts = Array.isArray(message['thoughts']) ? message['thoughts'].filter(isObject) : [];
  return thoughts.flatMap((thought): readonly TranscriptBlock[] => {
    const text = [thought['subject'], thought['description']].flatMap((part) => asText(part) ?? []).join('\n\n');
    return text === '' ? [] : [{ type: 'thinking', text }];
  });
}

function toCallBlocks(call: ChatCall, options: MediaOptions): readonly TranscriptBlock[] {
  const summary = summarise(call.tool, call.input) ?? null;
  const use = { type: 'tool_use', tool_use_id: call.id, name: call.tool, input: call.input, summary } as const;
  const outcome = outcomeOf(call)?.outcome;
  if (outcome === undefined) return [use];
  const isError = outcome !== 'ok' || agentCallIn(call)?.outcome === 'failed';
  const media = call.parts.flatMap((part) => toMedia(part, options));
  const changes = isError ? [] : changesOf(call.tool, call.input, call.display, call.result);
  return [
    use,
    {
      type: 'tool_result',
      tool_use_id: call.id,
      text: answerIn(call.result) ?? shownResult(call.result),
      is_error: isError,
      ...(media.length > 0 && { media }),
      ...(changes.length > 0 && { changes }),
    },
  ];
}
