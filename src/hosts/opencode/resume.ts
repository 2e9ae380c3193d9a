// Resuming an agent. A sub-agent is a session like any other, and resumed by its own id (1.18.33).

import type { PrintedRecords, ResumeCapability, ResumePlan } from '../../core/index.ts';
import { asObject, asText, known, parseObject } from '../../lib/json.ts';
import { isAtLeast } from '../../lib/version-number.ts';

const PROGRAM = 'opencode';
const UNATTENDED = 'Nobody can be asked: OpenCode refuses what your settings do not allow.';

/** `run --format json`. */
const printed: PrintedRecords = {
  sessionIn: (line) => asText(parseObject(line)?.['sessionID']),
  textIn(line) {
    const { type, part, error } = parseObject(line) ?? {};
    if (type === 'text') return asText(asObject(part)?.['text']);
    return type === 'error'
      ? (asText(asObject(asObject(error)?.['data'])?.['message']) ??
          asText(asObject(error)?.['message']) ??
          'OpenCode failed.')
      : undefined;
  },
};

export const resume: ResumeCapability = {
  planResume({ agent, isMain, isAtHome, isSessionOpen, version }, { message, fork }) {
    if (!isAtHome) return { whyNot: 'its data lies outside of the folder that OpenCode reads.' };
    if (isSessionOpen && !fork) return { whyNot: 'its session is still at work.' };
    const at = ['--session', agent, ...(fork ? ['--fork'] : [])];
    // Since 2.0 the terminal has no such option.
    const inTerminal = fork && isAtLeast(version, '2.0.0') ? ['mini', ...at] : at;
    return {
      way: isMain ? 'session' : 'own',
      words: fork
        ? "OpenCode goes on in a copy of the agent's own session."
        : "OpenCode goes on in the agent's own session.",
      limits: message === undefined ? [] : [UNATTENDED],
      call:
        message === undefined
          ? { program: PROGRAM, args: inTerminal }
          : { program: PROGRAM, args: ['run', ...at, '--format', 'json'], stdin: message, printed },
      ...(fork && { begins: {} }),
    };
  },
  begin: (text, { message }): ResumePlan => ({
    way: 'handover',
    words: 'A new session of OpenCode is told what the agent was asked, did and found.',
    limits: message === undefined ? [] : [UNATTENDED],
    call: {
      program: PROGRAM,
      args: message === undefined ? [`--prompt=${text}`] : ['run', '--format', 'json'],
      ...known(message === undefined ? {} : { stdin: text, printed }),
    },
    begins: {},
  }),
};
