import type { AgentReport, RunReport, SessionDetail, TimelineCall } from '../core/index.ts';

/** Something that a person is told once. */
export type News = {
  /** The same for the same thing, whenever it is found, and in every process. */
  readonly id: string;
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
} & NewsBody;

export type NewsBody =
  | { readonly kind: 'spawned'; readonly agent: AgentReport }
  | { readonly kind: 'started'; readonly agent: AgentReport }
  | { readonly kind: 'ended'; readonly agent: AgentReport; readonly run: RunReport }
  /** A call that asks for an agent, and nobody can say which one it made. `owner` made the call. */
  | { readonly kind: 'unbound-spawn' | 'unbound-end'; readonly owner: AgentReport; readonly call: TimelineCall }
  | { readonly kind: 'called'; readonly agent: AgentReport; readonly call: TimelineCall }
  /** Somebody in it cannot go on without the person. */
  | { readonly kind: 'needs-you'; readonly session: SessionDetail }
  /** The main agent has had its say, or is gone. */
  | { readonly kind: 'rest'; readonly session: SessionDetail };

/** What of it the person wants to be told. */
export interface Wishes {
  readonly tools: boolean;
  /** That an agent has begun, beside that it was asked for. */
  readonly started: boolean;
  readonly spawns: boolean;
  readonly results: boolean;
  readonly notices: boolean;
}

export const ALL_NEWS: Wishes = { tools: true, started: false, spawns: true, results: true, notices: true };

/** What a person should hear at once; the rest can be read when there is time. */
export function isLoud(news: News): boolean {
  return (
    news.kind === 'needs-you' || news.kind === 'rest' || (news.kind === 'ended' && news.run.status !== 'completed')
  );
}
