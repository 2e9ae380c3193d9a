import { signal } from '@preact/signals';
import type { AuditDecision } from '../../../src/core/index.ts';
import type { AgentRef } from '../store.ts';

// What the person wants to see of the audit. Kept while they look at other views.

export interface Wish {
  readonly isEverywhere: boolean;
  /** Counts in its own session only. */
  readonly agent: AgentRef | undefined;
  readonly tool: string | undefined;
  readonly decision: AuditDecision | undefined;
}

export const ALL: Wish = { isEverywhere: false, agent: undefined, tool: undefined, decision: undefined };

export const wish = signal<Wish>(ALL);

export function wishFor(part: Partial<Wish>): void {
  wish.value = { ...wish.value, ...part };
}

export function isNarrowed({ agent, tool, decision }: Wish): boolean {
  return agent !== undefined || tool !== undefined || decision !== undefined;
}
