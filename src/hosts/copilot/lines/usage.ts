// Tokens: of each request (about 1.0.10x and later), and the sums of each agent when the process ends (1.0.8x and later).

import { mainAgentOf, NO_USAGE, type Usage } from '../../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, known } from '../../../lib/json.ts';
import { agentIdOf, atOf, eventId, type LineContext, type LineParser } from '../line-context.ts';
import { tellNews } from './news.ts';

/** In front of the reply that it is about. */
export const parseUsage: LineParser = (context) => {
  const { agent, record } = context;
  const raw = asObject(record.data['usage']);
  if (!raw) return;
  const message = asText(raw['apiCallId']) ?? eventId(record);
  const model = known({ model: asText(raw['model']) });
  context.emit({ kind: 'usage-counted', agent, message, usage: toUsage(raw), final: true, ...model, ...atOf(context) });
  tellNews(context, { contextWindow: asAmount(raw['maxPromptTokens']) });
};

/** `inputTokens` holds what came from the cache, too. */
function toUsage(raw: JsonObject): Usage {
  const cacheRead = asAmount(raw['cacheReadTokens']) ?? 0;
  const cacheWrite = asAmount(raw['cacheWriteTokens']) ?? 0;
  const input = Math.max(0, (asAmount(raw['inputTokens']) ?? 0) - cacheRead - cacheWrite);
  return { ...NO_USAGE, input, output: asAmount(raw['outputTokens']) ?? 0, cacheRead, cacheWrite };
}

/** Sums since the session began, also over processes that took it up again; the main agent is `main`. */
export function noteTotals(context: LineContext): void {
  const { record, session } = context;
  if (record.at === undefined) return;
  for (const [native, metrics] of Object.entries(asObject(record.data['agentMetrics']) ?? {})) {
    const agent = native === 'main' ? mainAgentOf(session) : agentIdOf(native);
    const models = Object.entries(asObject(asObject(metrics)?.['modelMetrics']) ?? {});
    const byModel = models.map(([model, sums]) => ({
      model,
      usage: toUsage(asObject(asObject(sums)?.['usage']) ?? {}),
    }));
    byModel.sort((a, b) => (a.model < b.model ? -1 : 1));
    if (byModel.length > 0) context.emit({ kind: 'usage-totalled', agent, at: record.at, byModel });
  }
}
