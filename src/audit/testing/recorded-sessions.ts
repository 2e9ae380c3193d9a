import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  computeDetail,
  computeTimeline,
  nativeId,
  type SessionDetail,
  type TimelineReport,
  type Transcript,
} from '../../core/index.ts';
import {
  outlineTranscript,
  type PagePlan,
  type PageSize,
  planPages,
  type SharedSession,
} from '../../export/pages/page-plan.ts';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { createSessions, createSessionTranscripts, type DataFolder } from '../../sessions/index.ts';

const fixtures = fileURLToPath(new URL('../../hosts/claude-code/fixtures/', import.meta.url));
const clock = () => Date.parse('2030-01-01');

export const RECORDINGS: readonly string[] = readdirSync(fixtures, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** A session as it is handed to the pages. */
export interface Recorded {
  readonly shared: SharedSession;
  readonly plan: PagePlan;
  readonly transcripts: readonly Transcript[];
  readonly detail: SessionDetail;
  readonly timeline: TimelineReport;
}

/** All sessions of a recording of the real program. */
export function readRecorded(name: string, size?: PageSize): Promise<readonly Recorded[]> {
  return readPlaces([{ adapter: claudeCode, root: path.join(fixtures, name), forced: false }], size);
}

export async function readPlaces(places: readonly DataFolder[], size?: PageSize): Promise<readonly Recorded[]> {
  const sessions = createSessions(places, { clock });
  const { trees } = await sessions.list({ limit: 100 });
  return Promise.all(trees.map(({ id }) => readOne(nativeId(id))));

  async function readOne(id: string): Promise<Recorded> {
    const opened = await createSessionTranscripts(places, sessions).open(id);
    const detail = computeDetail(opened.tree, { internal: false });
    const { main, subagents, diagnostics: _problems, ...session } = detail;
    const agents = [main, ...subagents];
    const timeline = computeTimeline(opened);
    const transcripts: Transcript[] = [];
    for await (const { transcript } of opened.read()) transcripts.push(transcript);
    const shared: SharedSession = {
      session,
      agents,
      timeline,
      skipped: opened.skipped,
      handling: { redacted: [], shortened: undefined, leftOut: [] },
    };
    const outlines = transcripts.map((transcript) => outlineTranscript(transcript, size));
    return { shared, plan: planPages(shared, outlines), transcripts, detail, timeline };
  }
}
