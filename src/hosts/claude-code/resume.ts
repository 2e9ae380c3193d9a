// Going on from an agent. The program itself opens sessions only; a sub-agent is woken by its main agent, with a tool that has
// had three forms. Tried on 2.0.76, 2.1.2, 2.1.25, 2.1.50, 2.1.63 (`resume`), 2.1.81 to 2.1.172 (behind a switch), 2.1.197 to 2.1.325.

import type { AgentToResume, ResumeCapability, ResumeOptions, ResumePlan, WhyNot } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { isAtLeast } from '../../lib/version-number.ts';

const PROGRAM = 'claude';
const UNATTENDED = 'Nobody can be asked: Claude Code refuses what your settings do not allow.';

export const resume: ResumeCapability = {
  planResume(agent, wish) {
    if (!agent.isAtHome) return { whyNot: 'its files lie outside of the folder that Claude Code reads.' };
    if (agent.isSessionOpen && !wish.fork)
      return {
        whyNot:
          'its session is open elsewhere, or was until just now, and a second Claude Code would write between its lines.',
      };
    return agent.isMain ? openSession(agent, wish) : wake(agent, wish);
  },
  begin: (text, { message, newSession }) => ({
    way: 'handover',
    words: 'A new session of Claude Code is told what the agent was asked, did and found.',
    limits: message === undefined ? [] : [UNATTENDED],
    call: {
      program: PROGRAM,
      args: ['--session-id', newSession, ...(message === undefined ? [text] : ['-p'])],
      ...known({ stdin: message === undefined ? undefined : text }),
    },
    begins: { session: newSession },
  }),
};

function openSession({ session }: AgentToResume, { message, fork, newSession }: ResumeOptions): ResumePlan {
  const asCopy = fork ? ['--fork-session', '--session-id', newSession] : [];
  return {
    way: 'session',
    words: fork ? 'Claude Code goes on in a copy of the session.' : 'Claude Code opens the session again.',
    limits: message === undefined ? [] : [UNATTENDED],
    call: {
      program: PROGRAM,
      args: ['--resume', session, ...asCopy, ...(message === undefined ? [] : ['-p'])],
      ...known({ stdin: message }),
    },
    ...(fork && { begins: { session: newSession } }),
  };
}

interface WakeMethod {
  readonly since: string;
  /** For the main agent: how it does it. */
  how(agent: AgentToResume): string;
  readonly env?: Readonly<Record<string, string>>;
}

const BY_MESSAGE = ({ agent }: AgentToResume): string =>
  `Use the SendMessage tool with "to" set to "${agent}"; where it is not among your tools, find it with ToolSearch.`;

/** The newest first. In between, the tool belongs to teams of agents, and is there where these are switched on. */
const WAKE_METHODS: readonly WakeMethod[] = [
  { since: '2.1.197', how: BY_MESSAGE },
  { since: '2.1.64', how: BY_MESSAGE, env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' } },
  {
    since: '2.0.76',
    how: ({ agent, type = 'general-purpose' }) =>
      `Use the Task tool (in some versions: Agent) with "resume" set to "${agent}", "subagent_type" to ${JSON.stringify(type)}, and the message as its prompt.`,
  },
];

function wake(agent: AgentToResume, { message, fork }: ResumeOptions): ResumePlan | WhyNot {
  const { session, version, hasTranscript } = agent;
  const method = WAKE_METHODS.find(({ since }) => isAtLeast(version, since));
  if (fork) return { whyNot: 'a copy of a session of Claude Code has no sub-agents that could be woken.' };
  if (!hasTranscript) return { whyNot: 'it left no conversation of its own that could be gone on with.' };
  if (!method) return { whyNot: `Claude Code ${version ?? 'of an unknown version'} cannot wake a sub-agent.` };
  if (message === undefined)
    return { whyNot: 'a sub-agent of Claude Code is woken by a message, and none was given (--message).' };
  return {
    way: 'parent',
    words: 'The session is opened again, and its main agent wakes the sub-agent with your message.',
    limits: [
      'The main agent is asked to hand it on as it is, and to do nothing else: it is a model, and may not.',
      UNATTENDED,
    ],
    call: {
      program: PROGRAM,
      args: ['--resume', session, '-p'],
      stdin: messageForMain(agent, method, message),
      ...known({ env: method.env }),
    },
  };
}

function messageForMain(agent: AgentToResume, method: WakeMethod, message: string): string {
  return [
    `Please hand the message below on to your sub-agent ${agent.agent}, word for word. ${method.how(agent)}`,
    'Wait for its answer, then give me that answer, complete. Do nothing else.',
    '',
    'The message:',
    '',
    message,
  ].join('\n');
}
