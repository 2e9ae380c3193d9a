import { nativeId } from '../../model/ids.ts';
import type { SourceAdapter } from '../adapter.ts';
import { byTail, sessionOf } from './identify.ts';
import { agentOfSource, internalPurpose, isSidecar } from './layouts.ts';
import { HOST } from './line-context.ts';
import { locate, locateAgents, rootsOf } from './locate.ts';
import { createSidecarReader } from './read-sidecar.ts';
import { createTranscriptReader } from './read-transcript.ts';
import { sniffTranscript } from './sniff.ts';

export const claudeCode: SourceAdapter = {
  host: HOST,
  title: 'Claude Code',
  roots: rootsOf,
  locate,
  locateAgents,
  sniff: sniffTranscript,
  createReader(session, source) {
    const agent = agentOfSource(source, session.id);
    const of = { session: session.id, source: source.id, agent };
    if (isSidecar(source)) return createSidecarReader(of);
    return createTranscriptReader(of, internalPurpose(nativeId(agent)));
  },
  identify: { sessionOf, byTail },
};
