import type { SourceAdapter } from './adapter.ts';
import { claudeCode } from './claude-code/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import { gemini } from './gemini/index.ts';
import { opencode } from './opencode/index.ts';
import { qwen } from './qwen/index.ts';

/** Every host that troupe reads. Exactly one claims a file; the first that does wins. */
export const ADAPTERS: readonly SourceAdapter[] = [claudeCode, codex, opencode, copilot, gemini, qwen];
