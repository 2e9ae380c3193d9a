import { codexGuard } from './codex/guard.ts';
import { copilotGuard } from './copilot/guard.ts';
import { geminiGuard } from './gemini/guard.ts';
import type { GuardedHosts } from './guarded-hosts.ts';
import { qwenGuard } from './qwen/guard.ts';

/** The same for those whose calls nobody else should have to load anything for. */
export const MORE_GUARDED_HOSTS: GuardedHosts = {
  codex: codexGuard,
  copilot: copilotGuard,
  gemini: geminiGuard,
  qwen: qwenGuard,
};
