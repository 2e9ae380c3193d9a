import { mainAgentOf } from '../../core/index.ts';
import type { LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../index.ts';
import { continuing } from './continuing.ts';
import { claudeCodeControl } from './control/index.ts';
import { rootsOf } from './data-folder.ts';
import { errandIn } from './errand.ts';
import { follow } from './follow.ts';
import { findOrigin } from './forks.ts';
import { claudeCodeGuard } from './guard.ts';
import { condense } from './hooks/condense.ts';
import { namesCallers } from './hooks/payload.ts';
import { createHookReader } from './hooks/read-hooks.ts';
import { sampleCall, sampleTranscript } from './hooks/sample.ts';
import { hookSettings } from './hooks/settings.ts';
import { byTail, sessionOf } from './identify.ts';
import { HOST } from './line-context.ts';
import { locate, locateAgents } from './locate.ts';
import { openBodies } from './open-bodies.ts';
import { createSidecarReader } from './read-sidecar.ts';
import { createTranscriptReader, type TranscriptOf } from './read-transcript.ts';
import { createJournalReader, createManifestReader } from './read-workflow.ts';
import { rename } from './rename.ts';
import { schedule } from './replay.ts';
import { retime } from './retime.ts';
import { sniffTranscript } from './sniff.ts';
import type { Role } from './sources.ts';
import { createStreamReader } from './stream/read-stream.ts';
import { recognise } from './stream/recognise.ts';
import { factsOf } from './version-facts.ts';

const READERS: Readonly<Record<Role, (of: TranscriptOf) => SourceReader>> = {
  session: createTranscriptReader,
  agent: createTranscriptReader,
  teammate: createTranscriptReader,
  sidecar: createSidecarReader,
  journal: createJournalReader,
  manifest: createManifestReader,
};

export const claudeCode: SourceAdapter = {
  host: HOST,
  title: 'Claude Code',
  process: { names: ['claude', '@anthropic-ai/claude-code'], variable: 'CLAUDECODE' },
  agentName: 'claude',
  roots: rootsOf,
  locate,
  locateAgents,
  findOrigin,
  sniff: sniffTranscript,
  createReader(session: LocatedSession, source: LocatedSource) {
    const of = {
      session: session.id,
      source: source.id,
      agent: source.agent ?? mainAgentOf(session.id),
      file: source.path,
    };
    return READERS[source.role as Role](of);
  },
  factsOf,
  identify: { sessionOf, byTail },
  follow,
  openBodies,
  errandIn,
  replay: { schedule, retime, rename },
  stream: {
    programs: ['claude'],
    printing: 'claude -p … --output-format stream-json --verbose',
    recognise,
    createReader: createStreamReader,
    leavesToDisk: true,
    hasIdsOfFiles: true,
  },
  control: claudeCodeControl,
  hooks: {
    ...claudeCodeGuard,
    condense,
    namesCallers,
    createHookReader,
    sampleCall,
    sampleTranscript,
  },
  hookSettings,
  continuing,
};
