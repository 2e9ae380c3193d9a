// The Gemini API, for Gemini CLI.
import { endWith, sendJson, textOf } from './http-replies.mjs';

/** Answers to the router and the checkers of Gemini CLI, which ask for JSON. */
const FIXED_JSON = JSON.stringify({
  reasoning: 'scripted',
  complexity_reasoning: 'scripted',
  complexity_score: 1,
  model_choice: 'flash',
  next_speaker: 'user',
});

export const gemini = {
  path: /:(?:stream)?[gG]enerateContent/,

  read(body, request) {
    const contents = (body.contents ?? []).map(({ role, parts }) => ({
      role: role === 'model' ? 'assistant' : parts?.some((part) => part.functionResponse) ? 'tool' : 'user',
      text: textOf(parts),
    }));
    // The prompt of a sub-agent is in its system instruction.
    const messages = [{ role: 'user', text: textOf(body.systemInstruction?.parts) }, ...contents];
    const declared = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
    const tools = new Map(declared.map((one) => [one.name, (one.parametersJsonSchema ?? one.parameters)?.properties]));
    const { responseMimeType, responseJsonSchema } = body.generationConfig ?? {};
    const wantsJson = responseMimeType === 'application/json' || responseJsonSchema !== undefined;
    return {
      messages,
      tools,
      streams: request.url.includes('streamGenerateContent'),
      conversation: contents,
      purpose: tools.size === 0 ? 'no tools' : 'no script',
      fixedAnswer: wantsJson ? FIXED_JSON : 'ok',
    };
  },

  usage: (output) => ({ input: 10, cacheRead: 1000, cacheWrite: 0, output }),

  sendError: (response, { status, message }) =>
    sendJson(response, status, { error: { code: status, message, status: 'INVALID_ARGUMENT' } }),

  async send(response, _body, { blocks, usage, hang, closed, asked }) {
    const spoken = blocks.filter(({ thinking }) => thinking === undefined);
    const parts = spoken.map(({ name, input, text }) => (name ? { functionCall: { name, args: input } } : { text }));
    const prompt = usage.input + usage.cacheRead;
    const reply = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: prompt,
        cachedContentTokenCount: usage.cacheRead,
        candidatesTokenCount: usage.output,
        totalTokenCount: prompt + usage.output,
      },
      modelVersion: 'fake',
    };
    if (!asked.streams) return sendJson(response, 200, reply);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (hang) return closed;
    return endWith(response, `data: ${JSON.stringify(reply)}\n\n`);
  },
};
