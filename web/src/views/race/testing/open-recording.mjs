// Real sessions for tests. JavaScript, because the page is compiled without the types of Node.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { computeDetail, computeTimeline } from '../../../../../src/core/index.ts';
import { claudeCode } from '../../../../../src/hosts/claude-code/index.ts';
import { createSessions } from '../../../../../src/sessions/sessions.ts';

const fixtures = fileURLToPath(new URL('../../../../../src/hosts/claude-code/fixtures/', import.meta.url));
const demo = fileURLToPath(new URL('../../../../../demo/', import.meta.url));

/** `demo`, or the name of a recording of Claude Code. */
export async function openRecording(name) {
  const root = name === 'demo' ? demo : path.join(fixtures, name);
  const places = [{ adapter: claudeCode, root, forced: false }];
  const opened = await createSessions(places, { clock: () => Date.parse('2030-01-01') }).open();
  return { detail: computeDetail(opened.tree, { internal: false }), timeline: computeTimeline(opened) };
}
