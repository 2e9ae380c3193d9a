import type { AgentId, PlacedTranscript } from '../core/index.ts';
import type { LookedThrough } from '../redact/index.ts';
import type { SurveyedAgent } from './survey-conversation.ts';

/** What looks at conversations brought: what is read again in the same state need not be looked through again. */
export interface LookedBefore {
  remember(agent: AgentId, surveyed: Pick<SurveyedAgent, 'edition' | 'looked'>): void;
  recall(read: Pick<PlacedTranscript, 'node' | 'edition'>): LookedThrough | undefined;
}

export function createLookedBefore(): LookedBefore {
  const known = new Map<AgentId, { readonly edition: string; readonly looked: LookedThrough }>();
  return {
    remember(agent, { edition, looked }) {
      if (edition !== undefined && looked) known.set(agent, { edition, looked });
    },
    recall({ node, edition }) {
      const last = known.get(node.id);
      return last?.edition === edition ? last?.looked : undefined;
    },
  };
}
