import { codexGuard } from './codex/guard.ts';
import { copilotGuard } from './copilot/guard.ts';
import { geminiGuard } from './gemini/guard.ts';
import type { JudgedHosts } from './judged-hosts.ts';
import { qwenGuard } from './qwen/guard.ts';

/** The same for those whose calls nobody else should have to load anything for. */
export const MORE_JUDGED_HOSTS: JudgedHosts = {
  codex: codexGuard,
  copilot: copilotGuard,
  gemini: geminiGuard,
  qwen: qwenGuard,
};
