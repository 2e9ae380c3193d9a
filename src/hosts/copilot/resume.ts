// Resuming: Copilot CLI resumes sessions, not sub-agents. A new session can be given its id: up to 1.0.50 by resuming a missing one, since
// 1.0.65 by a flag.

import type { ResumeCapability, ResumePlan } from '../../core/index.ts';
import { isAtLeast } from '../../lib/version-number.ts';

const PROGRAM = 'copilot';
const UNATTENDED = 'Nobody can be asked: Copilot refuses what was not allowed before.';

export const resume: ResumeCapability = {
  planResume({ session, isMain, isAtHome, isSessionOpen }, { message, fork }) {
    if (!isMain) return { whyNot: 'Copilot opens sessions only: a sub-agent cannot be taken up again.' };
    if (!isAtHome) return { whyNot: 'its files lie outside of the folder that Copilot reads.' };
    if (fork) return { whyNot: 'Copilot cannot copy a session.' };
    if (isSessionOpen) return { whyNot: 'its session is open in another Copilot.' };
    return {
      way: 'session',
      words: 'Copilot opens the session again.',
      limits: message === undefined ? [] : [UNATTENDED],
      call: {
        program: PROGRAM,
        args: [`--resume=${session}`, ...(message === undefined ? [] : [`--prompt=${message}`])],
      },
    };
  },
  begin: (text, { message, newSession }, version): ResumePlan => ({
    way: 'handover',
    words: 'A new session of Copilot is told what the agent was asked, did and found.',
    limits: message === undefined ? [] : [UNATTENDED],
    call: {
      program: PROGRAM,
      args: [`--${nameFlag(version)}=${newSession}`, `--${message === undefined ? 'interactive' : 'prompt'}=${text}`],
    },
    begins: { session: newSession },
  }),
};

function nameFlag(version: string | undefined): string {
  return version === undefined || isAtLeast(version, '1.0.65') ? 'session-id' : 'resume';
}
