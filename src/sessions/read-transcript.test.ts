import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeId } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { claim, findSessions } from './find-sessions.ts';
import { EVERYTHING, readTranscript, type TranscriptOpener } from './read-transcript.ts';
import { createSessions } from './sessions.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));
const recorded = readdirSync(fixtures).filter((name) => !name.endsWith('.md'));

/** As one that looks for the places of messages before it reads them. */
const inTwoSteps: TranscriptOpener = (adapter, session, source, agent) => {
  const bodies = adapter.openTranscript?.(session, source, agent);
  return bodies && { places: bodies.places, read: bodies.read, leftOut: bodies.leftOut };
};

describe('a conversation read at once equals one read by positions', () => {
  it.each(recorded)('%s', async (name) => {
    const places = [{ adapter: claudeCode, root: path.join(fixtures, name), forced: false }];
    const sessions = createSessions(places, { clock: () => Date.parse('2030-01-01') });
    let compared = 0;
    for (const found of (await findSessions(places)).sessions) {
      const session = await claim(found, new Set());
      if (!session) continue;
      const { tree } = await sessions.open(nativeId(session.located.id));
      for (const node of tree.agents) {
        const atOnce = await readTranscript(session, tree, node, EVERYTHING, { withMedia: true });
        const byPlace = await readTranscript(session, tree, node, EVERYTHING, { withMedia: true, open: inTwoSteps });
        expect(atOnce).toEqual({ ...byPlace, edition: atOnce.edition });
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(0);
  });
});
