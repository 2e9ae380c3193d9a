// `system`: what the program notes for itself.
import { asAmount, asObject, asText, known } from '../../../lib/json.ts';
import { atOf, idOf, type LineParser } from '../line-context.ts';

/** By a person, or made up from the conversation. */
export const parseTitle: LineParser = (context) => {
  const payload = asObject(context.record['systemPayload']);
  const title = asText(payload?.['customTitle']);
  if (title === undefined || !context.isMain) return;
  const titleKind = payload?.['titleSource'] === 'auto' ? 'generated' : 'custom';
  context.emit({ kind: 'session-titled', title, titleKind, ...atOf(context) });
};

export const parseCompression: LineParser = (context) => {
  const info = asObject(asObject(context.record['systemPayload'])?.['info']);
  const tokensBefore = asAmount(info?.['originalTokenCount']);
  const tokensAfter = asAmount(info?.['newTokenCount']);
  context.emit({
    kind: 'agent-compacted',
    agent: context.agent,
    ...atOf(context),
    ...known({ tokensBefore, tokensAfter }),
  });
};

/** Requests of sub-agents are noted here as well; those of the main agent name nobody. */
const OF_SUB_AGENT = /#[^#]+-[^#]+#\d+$/;

/** A request of the main agent that failed is written nowhere else. If it is tried again, more lines follow. */
export const parseTelemetry: LineParser = (context) => {
  const event = asObject(asObject(context.record['systemPayload'])?.['uiEvent']);
  const isError = event?.['event.name'] === 'qwen-code.api_error';
  const ofOther = asText(event?.['subagent_id']) !== undefined || OF_SUB_AGENT.test(asText(event?.['prompt_id']) ?? '');
  if (!isError || ofOther) return;
  delete context.state.reply;
  context.emit({ kind: 'entry-added', agent: context.agent, entry: 'failure', id: idOf(context), ...atOf(context) });
};
