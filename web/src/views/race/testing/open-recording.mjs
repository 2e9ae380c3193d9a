// Real sessions for tests. JavaScript, because the page is compiled without the types of Node.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { claudeCode } from '../../../../../src/adapters/claude-code/index.ts';
import { computeDetail } from '../../../../../src/reports/compute-detail.ts';
import { computeTimeline } from '../../../../../src/reports/compute-timeline.ts';
import { createSessions } from '../../../../../src/tracker/sessions.ts';

const fixtures = fileURLToPath(new URL('../../../../../src/adapters/claude-code/fixtures/', import.meta.url));
const demo = fileURLToPath(new URL('../../../../../demo/', import.meta.url));

/** `demo`, or the name of a recording of Claude Code. */
export async function openRecording(name) {
  const root = name === 'demo' ? demo : path.join(fixtures, name);
  const places = [{ adapter: claudeCode, root, forced: false }];
  const opened = await createSessions(places, { clock: () => Date.parse('2030-01-01') }).open();
  return { detail: computeDetail(opened.tree, { internal: false }), timeline: computeTimeline(opened) };
}
