import { mainAgentOf } from '../../core/index.ts';
import { versionNumber } from '../../lib/version-number.ts';
import type { SourceAdapter, SourceReader, VersionFact } from '../index.ts';
import { claudeCodeControl } from './control.ts';
import type { Role } from './data-folder.ts';
import { findOrigin } from './find-origin.ts';
import { claudeCodeGuard, namesCallers } from './guard.ts';
import { hookSettings } from './hook-settings.ts';
import { condense, createHookReader, sampleCall, sampleTranscript } from './hooks.ts';
import { claudeCodeHost } from './host.ts';
import { readSpawnExchange } from './host-text.ts';
import { byTail, sessionOf } from './identify.ts';
import { follow, locate, locateAgents } from './locate.ts';
import { readJournal, readManifest, readSidecar } from './read-sidecar.ts';
import {
  createElsewhereReader,
  createNoticeReader,
  createSplitReader,
  createTranscriptReader,
  type TranscriptOf,
} from './read-transcript.ts';
import { sniffTranscript } from './record.ts';
import { rename, retime, schedule } from './replay.ts';
import { resume } from './resume.ts';
import { createStreamReader, recognise } from './stream.ts';
import { findLead } from './teams.ts';
import { openTranscript } from './transcript.ts';

const VERSION_FACTS = [
  {
    since: '2.1.69',
    told: 'its hooks name the agent behind every call',
    untold:
      'its hooks do not name the agent behind a call: the call is looked up in the transcripts (from 2.1.69 on they do)',
  },
  {
    since: '2.0.43',
    told: 'its hooks say which call they are about',
    untold:
      'its hooks do not say which call they are about: who made it stays unknown where several agents are at work',
  },
  {
    since: '2.1.81',
    told: 'who asked for an agent is exact from its start',
    untold: 'who asked for an agent is exact only when it has ended (from 2.1.81 on, from its start)',
  },
  {
    since: '2.0.42',
    told: 'its hooks tell when which agent ended',
    untold: 'its hooks do not tell which agent ended: the transcripts do, a moment later',
  },
  {
    since: '2.1.92',
    told: 'it keeps a record of its processes, so an end without a word is seen at once',
    untold: 'it keeps no record of its processes: after a kill its agents count as at work for five minutes',
  },
];

function factsOf(version: string): readonly VersionFact[] {
  return VERSION_FACTS.map(({ since, told, untold }) => {
    const isTold = versionNumber(version) >= versionNumber(since);
    return { isTold, text: isTold ? told : untold };
  });
}

const READERS: Readonly<Record<Role, (of: TranscriptOf) => SourceReader>> = {
  session: (of) => createTranscriptReader(of),
  agent: (of) => createTranscriptReader(of),
  teammate: (of) => createTranscriptReader({ ...of, isTeammates: true }),
  elsewhere: createElsewhereReader,
  notices: createNoticeReader,
  woken: (of) => createSplitReader(of, 'woken'),
  'until-woken': (of) => createSplitReader(of, 'until-woken'),
  sidecar: (of) => ({ read: (line) => readSidecar(line, of) }),
  journal: (of) => ({ read: (line) => readJournal(line, of) }),
  manifest: (of) => ({ read: (line) => readManifest(line, of) }),
};

export const claudeCode: SourceAdapter = {
  ...claudeCodeHost,
  locate,
  locateAgents,
  findOrigin,
  findLead,
  sniff: sniffTranscript,
  createReader({ id: session }, { id: source, path: file, role, agent = mainAgentOf(session) }) {
    return READERS[role as Role]({ session, source, agent, file });
  },
  factsOf,
  identify: { sessionOf, byTail },
  follow,
  openTranscript,
  readSpawnExchange,
  replay: { schedule, retime, rename },
  stream: { recognise, createReader: createStreamReader, leavesToDisk: true, hasIdsOfFiles: true },
  control: claudeCodeControl,
  hooks: { ...claudeCodeGuard, condense, namesCallers, createHookReader, sampleCall, sampleTranscript },
  hookSettings,
  resume,
};
