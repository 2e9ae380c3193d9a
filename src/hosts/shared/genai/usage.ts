import type { Usage } from '../../../core/index.ts';

/** As the API counts: what came from the cache is part of the prompt, what was thought is not part of the answer. */
export interface TokenCounts {
  readonly prompt: number;
  readonly answer: number;
  readonly thoughts: number;
  readonly cached: number;
  /** Results of tools that ran on the service's side, beside the prompt. */
  readonly tool: number;
}

export function toUsage({ prompt, answer, thoughts, cached, tool }: TokenCounts): Usage {
  return {
    input: Math.max(0, prompt - cached) + tool,
    output: answer + thoughts,
    cacheRead: cached,
    cacheWrite: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  };
}
