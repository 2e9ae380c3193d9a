import type { HooksCapability } from './adapter.ts';
import { claudeCodeGuard } from './claude-code/guard.ts';
import { opencodeGuard } from './opencode/guard.ts';

/**
 * What the hook that stands alone needs of these hosts, and nothing else of them: it is loaded in front of every call. Others are
 * loaded where one of them calls (`more-guarded-hosts.ts`).
 */
export const GUARDED_HOSTS: GuardedHosts = {
  'claude-code': claudeCodeGuard,
  opencode: opencodeGuard,
};

export type GuardedHosts = Readonly<Record<string, GuardedHost>>;

export type GuardedHost = Pick<
  HooksCapability,
  'read' | 'callerOf' | 'formatAnswer' | 'cannotAsk' | 'cannotChangeInput'
>;
