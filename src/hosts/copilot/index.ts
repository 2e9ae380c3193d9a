import type { ResumeCapability, ResumePlan } from '../../core/index.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type { SourceAdapter } from '../index.ts';
import { NO_TRANSCRIPT } from '../shared/index.ts';
import { hookSettings, hooks } from './hooks/index.ts';
import { copilotHost } from './host.ts';
import { follow, locate } from './locate.ts';
import { createEventReader, createWorkspaceReader } from './parse-events.ts';
import { sniffEvents } from './record.ts';
import { stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

// Resuming: Copilot CLI resumes sessions, not sub-agents. A new session can be given its id: up to 1.0.50 by resuming a missing one,
// since 1.0.65 by a flag.

const PROGRAM = 'copilot';
const UNATTENDED = 'Nobody can be asked: Copilot refuses what was not allowed before.';

const resume: ResumeCapability = {
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

export const copilot: SourceAdapter = {
  ...copilotHost,
  locate,
  sniff: sniffEvents,
  createReader: ({ id }, source) =>
    source.role === 'workspace' ? createWorkspaceReader(id, source.id) : createEventReader(id, source.id),
  follow,
  stream,
  openTranscript: (session, source, agent) =>
    source.role === 'events' ? openTranscript(session, source, agent) : NO_TRANSCRIPT,
  hooks,
  hookSettings,
  resume,
};
