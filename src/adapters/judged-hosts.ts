import type { HooksCapability } from './adapter.ts';
import { claudeCodeGuard } from './claude-code/guard.ts';
import { opencodeGuard } from './opencode/guard.ts';

/** What the hook that stands alone needs of each host, and nothing else of them: it is loaded in front of every call. */
export const JUDGED_HOSTS: Readonly<Record<string, GuardedHost>> = {
  'claude-code': claudeCodeGuard,
  opencode: opencodeGuard,
};

export type GuardedHost = Pick<
  HooksCapability,
  'read' | 'callerOf' | 'formatAnswer' | 'cannotAsk' | 'cannotChangeInput'
>;
