import type { AgentId, HostName, SessionId, ToolCallId } from '../core/index.ts';

/** One call of a host's hook, in our words. */
export interface HookEvent {
  readonly host: HostName;
  /** As the host calls it. */
  readonly name: string;
  readonly session: SessionId;
  readonly caller: HookCaller;
  /** The main agent's, whoever called. */
  readonly transcript?: string;
  readonly cwd?: string;
  /** Where the hook stands in front of a tool call. */
  readonly call?: HookCall;
  /** The host itself asks its person about `call`, and would take an answer from here, too: what it asks, in words for people. */
  readonly question?: string;
  /** The host's id of it: it may be heard of in two ways. */
  readonly questionId?: string;
}

/** Sessions in which `troupe doctor` tries the hooks: nobody is there whom an answer would help. */
export const TRIAL_SESSION = 'troupe-doctor-';

/** `nobody`: it is the main agent where the host's version names its sub-agents, and may be anybody where it does not. */
export type HookCaller =
  | {
      readonly named: 'agent';
      readonly agent: AgentId;
      readonly type?: string;
      /** Labels from the main agent down to this one, if the host names all of them: its place, before any file tells it. */
      readonly path?: readonly string[];
    }
  | { readonly named: 'nobody' };

export interface HookCall {
  readonly tool: string;
  /** What it is about: the input that says most, all lines of it. */
  readonly subject?: string;
  readonly input: unknown;
  /** It asks for an agent. */
  readonly spawns: boolean;
  /** Versions before 2.0.43 of Claude Code leave it out. */
  readonly id?: ToolCallId;
}

/** Who stands behind a hook's call, as far as it can be told at once and for sure. */
export interface CallerChain {
  /** Null: nobody knows. */
  readonly agent: CallingAgent | null;
  /** Main first; without the agent itself. */
  readonly ancestors: readonly CallingAgent[];
  /** Why the agent, or one above it, is not known. */
  readonly reason?: string;
  /** The folder in which the session began: an agent may go elsewhere, its project's policy goes with it. */
  readonly project?: string;
  /** By weaker sources that say something else. The call is judged for each of them, too, and the strictest outcome holds. */
  readonly otherwise?: readonly CallerReading[];
  /** Its host writes a file about the agent, which is not there: it may come in a moment. */
  readonly isLate?: boolean;
  /** What the sources say against each other, for people. */
  readonly contradictions?: readonly string[];
}

export type CallerReading = Pick<CallerChain, 'agent' | 'ancestors' | 'reason'>;

export interface CallingAgent {
  /** The host's own. */
  readonly id: string;
  readonly kind: string;
  readonly type: string | null;
  readonly name: string | null;
  readonly depth: number | null;
}

/** What a hook in front of a call says. */
export interface HookAnswer {
  /** `none`: no opinion. */
  readonly decision: 'allow' | 'ask' | 'deny' | 'none';
  readonly reason: string;
  /** In place of what the call was to be given. */
  readonly input?: unknown;
  /** For the agent to read beside the result of the call, if the host passes it on. */
  readonly note?: string;
}

// How processes of the hosts, and those they start, are recognised.

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
