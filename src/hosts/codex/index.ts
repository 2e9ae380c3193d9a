import { mainAgentOf, type PrintedRecords, type ResumeCapability, type ResumePlan } from '../../core/index.ts';
import { asObject, asText, known, parseObject } from '../../lib/json.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type { LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../index.ts';
import { NO_TRANSCRIPT } from '../shared/index.ts';
import { sniffRollout } from './data-folder.ts';
import { hookSettings, hooks } from './hooks.ts';
import { codexHost } from './host.ts';
import { follow, locate, type Role } from './locate.ts';
import { createRolloutReader, type RolloutOf } from './read-rollout.ts';
import { createStreamReader, stream } from './stream.ts';
import { openTranscript } from './transcript.ts';

const READERS: Readonly<Record<Role, (of: RolloutOf) => SourceReader>> = {
  rollout: createRolloutReader,
  stream: createStreamReader,
};

// Resuming an agent. Every thread, a sub-agent's too, is resumed by its own id; tried on 0.118.0 and 0.166.0.

const PROGRAM = 'codex';
const UNATTENDED = 'Nobody can be asked: Codex does what your settings and its sandbox allow.';

/** `exec --json`. */
const printed: PrintedRecords = {
  sessionIn(line) {
    const { type, thread_id } = parseObject(line) ?? {};
    return type === 'thread.started' ? asText(thread_id) : undefined;
  },
  textIn(line) {
    const { type, item, message } = parseObject(line) ?? {};
    const said = asObject(item);
    if (type === 'item.completed' && said?.['type'] === 'agent_message') return asText(said['text']);
    return type === 'error' ? asText(message) : undefined;
  },
};

const resume: ResumeCapability = {
  planResume({ agent, isMain, isAtHome, isSessionOpen, hasTranscript, version }, { message, fork }) {
    if (!isAtHome) return { whyNot: 'its files lie outside of the folder that Codex reads.' };
    if (!hasTranscript) return { whyNot: 'it left no thread of its own.' };
    if (isSessionOpen && !fork) return { whyNot: 'its session is still at work.' };
    if (fork && !isAtLeast(version, '0.166.0'))
      return {
        whyNot: `Codex ${version ?? 'of an unknown version'} cannot copy a thread without a person (0.166.0 can).`,
      };
    const verb = fork ? 'fork' : 'resume';
    return {
      way: isMain ? 'session' : 'own',
      words: fork ? "Codex goes on in a copy of the agent's own thread." : "Codex goes on in the agent's own thread.",
      limits: message === undefined ? [] : [UNATTENDED],
      call:
        message === undefined
          ? { program: PROGRAM, args: [verb, agent] }
          : { program: PROGRAM, args: ['exec', '--json', verb, agent, '-'], stdin: message, printed },
      ...(fork && { begins: {} }),
    };
  },
  begin: (text, { message }): ResumePlan => ({
    way: 'handover',
    words: 'A new session of Codex is told what the agent was asked, did and found.',
    limits: message === undefined ? [] : [UNATTENDED],
    call: {
      program: PROGRAM,
      args: message === undefined ? [text] : ['exec', '--json', '-'],
      ...known(message === undefined ? {} : { stdin: text, printed }),
    },
    begins: {},
  }),
};

export const codex: SourceAdapter = {
  ...codexHost,
  locate,
  sniff: sniffRollout,
  createReader(session: LocatedSession, source: LocatedSource) {
    const of = { session: session.id, source: source.id, agent: source.agent ?? mainAgentOf(session.id) };
    return READERS[source.role as Role](of);
  },
  follow,
  stream,
  // A print of the items is no conversation: what was said to the model is not in it.
  openTranscript: (session, source, agent) =>
    source.role === 'rollout' ? openTranscript(session, source, agent) : NO_TRANSCRIPT,
  hooks,
  hookSettings,
  resume,
};
