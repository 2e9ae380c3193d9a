// The Anthropic Messages API, for Claude Code.
import { endWith, halves, newId, sendJson } from './http-replies.mjs';

export const anthropic = {
  path: /^\/v1\/messages(?:\?|$)/,

  read(body) {
    const messages = (body.messages ?? []).map(({ role, content }) => ({ role, text: textBlocks(content), content }));
    nameAnswers(messages);
    const tools = new Map((body.tools ?? []).map((tool) => [tool.name, tool.input_schema?.properties]));
    const wantsTitle = tools.size === 0;
    return {
      messages,
      tools,
      conversation: body.messages ?? [],
      purpose: wantsTitle ? 'no tools' : 'no script',
      fixedAnswer: wantsTitle ? '{"title":"Scripted title","isNewTopic":false}' : 'ok',
    };
  },

  /** Claude Code 2.1.139 and later name session and agent in headers. */
  ids(headers, { messages }) {
    const [session, agent] = ['session', 'agent'].map((name) => headers[`x-claude-code-${name}-id`]);
    // When a result wakes the main agent, 2.1.161 names the agent whose result it is.
    const isResult = messages.some(({ text }) => text.includes(`<task-id>${agent}</task-id>`));
    return { session, agent: isResult ? undefined : agent };
  },

  usage: (output, cacheRead = 1000) => ({ input: 10, cacheWrite: 20, cacheRead, output }),

  sendError: (response, { status, message, type = 'invalid_request_error' }) =>
    sendJson(response, status, { type: 'error', error: { type, message } }),

  async send(response, body, { blocks, usage, hang, closed }) {
    const content = blocks.map(toBlock);
    const answer = { texts: blocks.flatMap(({ text }) => text ?? []) };
    for (const { type, id } of content) if (type === 'tool_use') answers.set(id, answer);
    const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
    const message = { id: newId('msg_'), type: 'message', role: 'assistant', model: body.model };
    const counts = {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      output_tokens: usage.output,
      service_tier: 'standard',
    };
    if (!body.stream)
      return sendJson(response, 200, { ...message, content, stop_reason, stop_sequence: null, usage: counts });

    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': newId('req_') });
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const opening = {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...counts, output_tokens: 1 },
    };
    send({ type: 'message_start', message: opening });
    for (const [index, block] of content.entries()) {
      send({ type: 'content_block_start', index, content_block: emptied(block) });
      for (const delta of deltasOf(block)) {
        send({ type: 'content_block_delta', index, delta });
        if (hang) return closed;
      }
      send({ type: 'content_block_stop', index });
    }
    send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: counts });
    send({ type: 'message_stop' });
    return endWith(response);
  },
};

/** By the id of each call, the answer that it was part of. */
const answers = new Map();

/** Claude Code 1.0 sends back one answer as several messages, with the results of its calls between them. */
function nameAnswers(messages) {
  const spoken = messages.filter(({ role }) => role === 'assistant');
  for (const [index, message] of spoken.toReversed().entries()) {
    const call = Array.isArray(message.content) && message.content.find(({ type }) => type === 'tool_use');
    const next = spoken[spoken.length - index]?.answer;
    if (call) message.answer = answers.get(call.id);
    else if (next?.texts.includes(message.text)) message.answer = next;
  }
}

/** Results of tools are not counted as text: they may quote the marks of other agents. */
function textBlocks(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function toBlock({ text, thinking, name, input }) {
  if (text !== undefined) return { type: 'text', text };
  if (thinking !== undefined) return { type: 'thinking', thinking, signature: 'c2NyaXB0ZWQ=' };
  return { type: 'tool_use', id: newId('toolu_'), name, input };
}

function emptied(block) {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { ...block, input: {} };
}

function deltasOf(block) {
  if (block.type === 'text') return halves(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  return [
    { type: 'thinking_delta', thinking: block.thinking },
    { type: 'signature_delta', signature: block.signature },
  ];
}
