// What an agent was told to do: by a person, or by the agent that made it.
import { atOf, idByPlace, type LineContext, promptFact } from '../line-context.ts';
import { firstLine } from '../tools.ts';

export function notePrompt(text: string, context: LineContext): void {
  const { agent, isMain, thread } = context;
  context.emit({ kind: 'entry-added', agent, entry: 'prompt', id: idByPlace(context), ...atOf(context) });
  thread.lastInTurn = 'prompt';
  if (thread.isPrompted || text.trim() === '') return;
  thread.isPrompted = true;
  context.emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(context) });
  const title = firstLine(text);
  if (isMain && title !== undefined)
    context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
}
