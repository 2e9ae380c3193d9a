// How processes of the hosts, and those they start, are recognised. Apart from the descriptions, because the standalone hook needs it.

export interface ProcessMark {
  /** Of its programs, and of the npm packages they are in. */
  readonly names: readonly string[];
  /** Set for the commands that its agents run. */
  readonly variable: string;
  /** Set for them as well: the process of the host, the session. */
  readonly process?: string;
  readonly session?: string;
}

export const PROCESS_MARKS = {
  // The last two: seen in 2.1.325.
  'claude-code': {
    names: ['claude', '@anthropic-ai/claude-code'],
    variable: 'CLAUDECODE',
    process: 'CLAUDE_PID',
    session: 'CLAUDE_CODE_SESSION_ID',
  },
  codex: { names: ['codex', '@openai/codex'], variable: 'CODEX_THREAD_ID', session: 'CODEX_THREAD_ID' },
  copilot: { names: ['copilot', '@github/copilot'], variable: 'COPILOT_CLI' },
  gemini: { names: ['gemini', '@google/gemini-cli'], variable: 'GEMINI_CLI' },
  opencode: { names: ['opencode', 'opencode-ai', '@opencode/cli'], variable: 'OPENCODE' },
  qwen: { names: ['qwen', '@qwen-code/qwen-code'], variable: 'QWEN_CODE' },
} as const satisfies Readonly<Record<string, ProcessMark>>;
