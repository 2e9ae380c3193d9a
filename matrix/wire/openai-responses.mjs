// The OpenAI Responses API, for Codex.
import { endWith, newId, sendJson, textOf } from './http-replies.mjs';

export const openaiResponses = {
  path: /\/responses(?:\?|$)/,

  read(body) {
    const tools = new Map();
    for (const tool of body.tools ?? []) {
      // Codex groups its agent tools in a namespace.
      for (const one of tool.type === 'namespace' ? tool.tools : [tool])
        tools.set(one.name ?? one.type, (one.parameters ?? one.input_schema)?.properties);
    }
    const items = body.input ?? [];
    return {
      messages: items.map(toMessage),
      tools,
      conversation: items,
      purpose: tools.size === 0 ? 'no tools' : 'no script',
    };
  },

  ids: (headers) => ({ session: headers['session_id'] ?? headers['session-id'] }),

  usage: (output) => ({ input: 10, cacheRead: 1000, cacheWrite: 0, output }),

  sendError: (response, { status, message }) =>
    sendJson(response, status, { error: { message, type: 'invalid_request_error', code: 'scripted_error' } }),

  async send(response, body, { blocks, usage, hang, closed }) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const head = { id: newId('resp_'), object: 'response', model: body.model };
    send({ type: 'response.created', response: { ...head, status: 'in_progress', output: [] } });
    const output = blocks
      .filter(({ thinking }) => thinking === undefined)
      .map((block) => toItem(block, body.tools ?? []));
    for (const [output_index, item] of output.entries()) {
      if (item.type === 'message') {
        const text = item.content[0].text;
        send({
          type: 'response.output_item.added',
          output_index,
          item: { ...item, status: 'in_progress', content: [] },
        });
        send({ type: 'response.output_text.delta', output_index, content_index: 0, item_id: item.id, delta: text });
      }
      if (hang) return closed;
      send({ type: 'response.output_item.done', output_index, item });
    }
    const input = usage.input + usage.cacheRead;
    const counts = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: usage.cacheRead },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + usage.output,
    };
    send({ type: 'response.completed', response: { ...head, status: 'completed', output, usage: counts } });
    return endWith(response);
  },
};

/** Messages from other agents arrive as items of their own kind and count as the user's. */
function toMessage(item) {
  const { type = '', role } = item;
  if (type === 'message' || role) return { role: role === 'developer' ? 'system' : role, text: textOf(item.content) };
  if (type.includes('agent')) return { role: 'user', text: JSON.stringify(item) };
  return { role: type.endsWith('output') ? 'tool' : 'assistant', text: '' };
}

function toItem({ text, name, input, namespace }, tools) {
  if (!name) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    return { type: 'message', id: newId('msg_'), role: 'assistant', status: 'completed', content };
  }
  const group = tools.find((tool) => tool.type === 'namespace' && tool.tools?.some((one) => one.name === name));
  return {
    type: 'function_call',
    id: newId('fc_'),
    call_id: newId('call_'),
    name,
    arguments: JSON.stringify(input),
    status: 'completed',
    ...((group?.name ?? namespace) && { namespace: group?.name ?? namespace }),
  };
}
