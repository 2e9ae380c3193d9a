// `codex exec --json` as it comes: the reader of kept streams, with what agents were asked.

import { mainAgentOf } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { CallPrompt, StreamCapability, StreamResult, StreamSign } from '../index.ts';
import { createStreamReader } from './read-stream.ts';
import { parseWhole } from './record.ts';

const KINDS = /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed))$/;

export const stream: StreamCapability = {
  programs: ['codex'],
  printing: 'codex exec --json …',
  recognise,
  leavesToDisk: true,
  createReader(session, source) {
    const reader = createStreamReader({ session, source, agent: mainAgentOf(session) });
    const results = createResults();
    return {
      read(line) {
        const facts = reader.read(line);
        const record = isWorthALook(line) ? parseWhole(line.bytes) : undefined;
        const result = isObject(record) ? results.in(record) : undefined;
        const prompts = facts.flatMap((fact): readonly CallPrompt[] => {
          const prompt = isObject(record) ? asText(asObject(record['item'])?.['prompt']) : undefined;
          return fact.kind === 'spawn-requested' && prompt !== undefined ? [{ call: fact.call, prompt }] : [];
        });
        return { facts, ...(prompts.length > 0 && { prompts }), ...(result && { result }) };
      },
    };
  },
};

function recognise(record: JsonObject): StreamSign | undefined {
  const type = asText(record['type']);
  if (type === undefined || !KINDS.test(type)) return undefined;
  const session = asText(record['thread_id']);
  return session === undefined ? {} : { session };
}

const WORTH = ['"agent_message"', '"spawn_agent"', '"turn.completed"', '"turn.failed"'].map((text) =>
  Buffer.from(text),
);

function isWorthALook({ bytes, tooLong, torn }: Line): boolean {
  if (tooLong || torn) return false;
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return WORTH.some((text) => all.includes(text));
}

/** What the turn came to is its last message. */
function createResults() {
  let text: string | undefined;
  return {
    in(record: JsonObject): StreamResult | undefined {
      const item = asObject(record['item']);
      if (item?.['type'] === 'agent_message') text = asText(item['text']);
      const isError = record['type'] === 'turn.failed';
      if (!isError && record['type'] !== 'turn.completed') return undefined;
      const said = isError ? asText(asObject(record['error'])?.['message']) : text;
      return { isError, ...(said !== undefined && { text: said }) };
    },
  };
}
