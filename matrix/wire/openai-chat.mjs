// OpenAI chat completions, for OpenCode, Copilot CLI and Qwen Code.
import { endWith, halves, isNewId, newId, sendJson, textOf } from './http-replies.mjs';

export const openaiChat = {
  path: /\/chat\/completions/,

  read(body) {
    const messages = (body.messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) }));
    const tools = new Map(
      (body.tools ?? []).map((tool) => [tool.function?.name, tool.function?.parameters?.properties]),
    );
    const calls = (body.messages ?? []).flatMap(({ tool_calls }) => tool_calls ?? []);
    return {
      messages,
      tools,
      conversation: body.messages ?? [],
      hostCalls: calls.filter(({ id }) => !isNewId(id)).length,
      purpose: tools.size === 0 ? 'no tools' : 'no script',
    };
  },

  usage: (output) => ({ input: 10, cacheRead: 1000, cacheWrite: 0, output }),

  sendError: (response, { status, message }) =>
    sendJson(response, status, { error: { message, type: 'invalid_request_error', code: 'scripted_error' } }),

  async send(response, body, { blocks, usage, hang, closed }) {
    const head = { id: newId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model: body.model };
    const counts = {
      prompt_tokens: usage.input + usage.cacheRead,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.cacheRead + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
    };
    const text = blocks.flatMap((block) => block.text ?? []).join('\n');
    const calls = blocks.filter(({ name }) => name).map(toCall);
    const reason = calls.length > 0 ? 'tool_calls' : 'stop';
    if (!body.stream) {
      const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) };
      const choices = [{ index: 0, message, finish_reason: reason }];
      return sendJson(response, 200, { ...head, object: 'chat.completion', choices, usage: counts });
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (chunk) =>
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...chunk })}\n\n`);
    const send = (delta, finish_reason = null) => write({ choices: [{ index: 0, delta, finish_reason }] });
    send({ role: 'assistant', content: '' });
    for (const content of halves(text)) {
      send({ content });
      if (hang) return closed;
    }
    for (const call of calls) send({ tool_calls: [call] });
    send({}, reason);
    write({ choices: [], usage: counts });
    return endWith(response, 'data: [DONE]\n\n');
  },
};

const toCall = ({ name, input }, index) => ({
  index,
  id: newId('call_'),
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
