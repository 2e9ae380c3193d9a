// What `claude -p` prints at its end without `--output-format stream-json`: recorded in 2.0.76 to 2.1.325.
import { asAmount, asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';

/** `lines`: all that it printed in the conversation. */
export function lastWords(form: string | undefined, lines: readonly JsonObject[]): string {
  if (form === 'json-list') return `${JSON.stringify(lines)}\n`;
  const result = lines.findLast((line) => line['type'] === 'result');
  if (!result) return '';
  return form === 'json' ? `${JSON.stringify(result)}\n` : textOf(result);
}

function textOf(result: JsonObject): string {
  switch (result['subtype']) {
    case 'error_max_turns':
      return `Error: Reached max turns (${turnsIn(result)})`;
    case 'error_max_budget_usd':
      return 'Error: Exceeded USD budget\n';
    case 'error_during_execution':
      return 'Execution error';
    default: {
      const text = asText(result['result']) ?? '';
      return text.endsWith('\n') ? text : `${text}\n`;
    }
  }
}

/** The turn that was one too many counts, too. */
function turnsIn(result: JsonObject): number {
  return Math.max(1, (asAmount(result['num_turns']) ?? 1) - 1);
}

export function textIn(line: JsonObject): { readonly text: string; readonly parent?: string } | undefined {
  if (line['type'] !== 'assistant') return undefined;
  const content = asObject(line['message'])?.['content'];
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const text = blocks.flatMap((block) => (block['type'] === 'text' ? (asText(block['text']) ?? []) : [])).join('');
  return text === '' ? undefined : { text, ...known({ parent: asText(line['parent_tool_use_id']) }) };
}
