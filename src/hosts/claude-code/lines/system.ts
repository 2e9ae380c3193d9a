// `system`: compactions and retries. Hook summaries, durations and local commands say nothing about agents.
import { asAmount, asObject, known } from '../../../lib/json.ts';
import { atOf, type LineParser } from '../line-context.ts';

export const parseSystem: LineParser = (record, context) => {
  const { agent } = context;
  if (record['subtype'] === 'compact_boundary') {
    const facts = asObject(record['compactMetadata']);
    const tokensBefore = asAmount(facts?.['preTokens']);
    const tokensAfter = asAmount(facts?.['postTokens']);
    context.emit({
      kind: 'agent-compacted',
      agent,
      ...atOf(context),
      ...known({ tokensBefore, tokensAfter }),
    });
  } else if (record['subtype'] === 'api_error' && context.at !== undefined) {
    const retryInMs = asAmount(record['retryInMs']);
    if (retryInMs !== undefined)
      context.emit({ kind: 'agent-held', agent, at: context.at, untilAt: context.at + retryInMs });
  }
};
