// What `claude -p` prints at its end without `--output-format stream-json`: recorded in 2.0.76 to 2.1.325.
import { asAmount, asText, type JsonObject } from '../../../base/json.ts';

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
