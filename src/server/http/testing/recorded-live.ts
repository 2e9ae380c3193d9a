// A `Live` over recordings of the real program.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { computeDetail, computeTimeline, nativeId } from '../../../core/index.ts';
import { claudeCode } from '../../../hosts/claude-code/index.ts';
import { known } from '../../../lib/json.ts';
import { createSessions, createTranscripts } from '../../../sessions/index.ts';
import { type MemoryLive, memoryLive } from './memory-live.ts';

const fixtures = fileURLToPath(new URL('../../../hosts/claude-code/fixtures/', import.meta.url));
const NOW = Date.parse('2030-01-01T00:00:00Z');

export async function recordedLive(...names: readonly string[]): Promise<MemoryLive> {
  const places = names.map((name) => ({ adapter: claudeCode, root: path.join(fixtures, name), forced: false }));
  const { trees, ignoredFiles } = await createSessions(places, { clock: () => NOW }).list({ limit: 100 });
  const transcripts = createTranscripts(places, () => NOW);
  const live = memoryLive(
    trees.map((tree) => computeDetail(tree, { internal: false })),
    ignoredFiles,
  );
  return {
    ...live,
    async session(id, { internal }) {
      const tree = trees.find((one) => nativeId(one.id) === id);
      return internal && tree ? computeDetail(tree, { internal }) : live.session(id, { internal });
    },
    async timeline(id, since) {
      const sessions = createSessions(places, { clock: () => NOW });
      return trees.some((tree) => nativeId(tree.id) === id)
        ? computeTimeline(await sessions.open(id), known({ since }))
        : undefined;
    },
    async transcript(agent, { from, limit }, session) {
      const { transcript } = await transcripts.read(agent, session);
      const messages = transcript.messages.slice(from, from + limit);
      return { ...transcript, messages, from, total: transcript.messages.length };
    },
  };
}
