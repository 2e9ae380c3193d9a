// `progress` with `agent_progress`: a copy of a sub-agent's message in its parent's file (2.1.9 to 2.1.83, interactive).
import { asObject, asText } from '../../../lib/json.ts';
import { agentIdOf, callIdOf, instantOf, type LineParser } from '../line-context.ts';
import { parseAssistant } from './assistant.ts';
import { parseUser } from './user.ts';

export const parseProgress: LineParser = (record, context) => {
  const data = asObject(record['data']);
  const native = asText(data?.['agentId']);
  // Hooks, commands and searches report progress as well, under ids that look the same.
  if (data?.['type'] !== 'agent_progress' || native === undefined) return;
  const agent = agentIdOf(native);
  const call = callIdOf(record['parentToolUseID']);
  if (call !== undefined)
    context.emit({ kind: 'agent-linked', agent, evidence: 'progress', call, parent: context.agent });
  const slug = asText(record['slug']);
  if (slug !== undefined) context.emit({ kind: 'agent-seen', agent, slug, ...instantOf(record) });
  const copy = asObject(data['message']);
  if (!copy) return;
  // The copy has the ids of the line in the agent's own file, so facts told by both are told once.
  const inner = { ...context, agent, copied: true, ...instantOf(copy) };
  if (copy['type'] === 'assistant') parseAssistant(copy, inner);
  else if (copy['type'] === 'user') parseUser(copy, inner);
};
