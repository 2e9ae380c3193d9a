// Going on from an agent with a program that opens sessions, and nothing below them (Gemini CLI, Qwen Code).

import type { PrintedRecords, ResumeCapability, ResumePlan } from '../../../core/index.ts';
import { asObject, asText, known, parseObject } from '../../../lib/json.ts';
import { isAtLeast } from '../../../lib/version-number.ts';

interface SessionProgram {
  readonly program: string;
  readonly title: string;
  /** Since when a new session can be given its id. */
  readonly namesSessionsSince: string;
  /** Since when a session can be copied; left out: it cannot. */
  readonly forksSince?: string;
}

const AS_RECORDS = ['-o', 'stream-json'];

/** Where the id of a session is known by what is printed only. */
const printed: PrintedRecords = {
  sessionIn: (line) => asText(parseObject(line)?.['session_id']),
  textIn(line) {
    const { type, role, content, message, result } = parseObject(line) ?? {};
    if (type === 'message' && role === 'assistant') return asText(content);
    if (type === 'result') return asText(result);
    return type === 'error' ? asText(message ?? asObject(content)?.['message']) : undefined;
  },
};

export function createResumePlans(own: SessionProgram): ResumeCapability {
  const { program, title, namesSessionsSince, forksSince } = own;
  const unattended = `Nobody can be asked: ${title} refuses what your settings do not allow.`;
  return {
    planResume({ session, isMain, isAtHome, isSessionOpen, version }, { message, fork }) {
      if (!isMain) return { whyNot: `${title} opens sessions only: a sub-agent cannot be taken up again.` };
      if (!isAtHome) return { whyNot: `its files lie outside of the folder that ${title} reads.` };
      if (isSessionOpen && !fork) return { whyNot: 'its session may still be at work.' };
      if (fork && (forksSince === undefined || !isAtLeast(version, forksSince)))
        return { whyNot: `this version of ${title} cannot copy a session.` };
      return {
        way: 'session',
        words: fork ? `${title} goes on in a copy of the session.` : `${title} opens the session again.`,
        limits: message === undefined ? [] : [unattended],
        call: {
          program,
          args: [
            ...['--resume', session],
            // A copy cannot be given its id: it is read from what is printed.
            ...(fork ? ['--fork-session'] : []),
            ...(fork && message !== undefined ? AS_RECORDS : []),
            // Words that begin like a flag would be taken for one.
            ...(message === undefined ? [] : [`--prompt=${message}`]),
          ],
          ...known({ printed: fork && message !== undefined ? printed : undefined }),
        },
        ...(fork && { begins: {} }),
      };
    },
    begin(text, { message, newSession }, version): ResumePlan {
      const canName = isAtLeast(version, namesSessionsSince);
      const isRead = message !== undefined && !canName;
      return {
        way: 'handover',
        words: `A new session of ${title} is told what the agent was asked, did and found.`,
        limits: [
          ...(message === undefined ? [] : [unattended]),
          ...(canName || isRead ? [] : ['Where it stands in the tree is known only while its program runs.']),
        ],
        call: {
          program,
          args: [
            ...(canName ? ['--session-id', newSession] : []),
            ...(isRead ? AS_RECORDS : []),
            message === undefined ? `--prompt-interactive=${text}` : `--prompt=${text}`,
          ],
          ...known({ printed: isRead ? printed : undefined }),
        },
        begins: canName ? { session: newSession } : {},
      };
    },
  };
}
