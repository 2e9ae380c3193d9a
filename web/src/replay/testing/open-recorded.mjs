// Real sessions for tests. JavaScript, because the page is compiled without the types of Node.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { computeDetail, computeTimeline } from '../../../../src/core/index.ts';
import { claudeCode } from '../../../../src/hosts/claude-code/index.ts';
import { createSessions } from '../../../../src/sessions/sessions.ts';

const fixtures = fileURLToPath(new URL('../../../../src/hosts/claude-code/fixtures/', import.meta.url));

/** A recorded session as the page gets it, long after it was over. */
export async function openRecorded(name) {
  const places = [{ adapter: claudeCode, root: path.join(fixtures, name), forced: false }];
  const opened = await createSessions(places, { clock: () => Date.parse('2030-01-01') }).open();
  return {
    detail: computeDetail(opened.tree, { internal: false }),
    timeline: computeTimeline(opened),
    timelineSince: (since) => computeTimeline(opened, { since: Date.parse(since) }),
  };
}
