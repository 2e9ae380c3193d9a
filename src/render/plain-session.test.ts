import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../adapters/registry.ts';
import { computeSessions } from '../reports/compute-sessions.ts';
import { computeTree } from '../reports/compute-tree.ts';
import { createSessions } from '../tracker/sessions.ts';
import { PLAIN } from './paint.ts';
import { formatSessions } from './session-table.ts';
import { formatTree } from './tree-lines.ts';

// A session without sub-agents looks the same whichever program it was: no empty sections, no labels, no extra noise.

const NOW = Date.parse('2027-01-01T00:00:00Z');

/** The same play, recorded with each host. */
const RECORDINGS = {
  'claude-code': '2.1.325-plain',
  codex: '0.166.0-plain',
  copilot: '1.0.102-plain',
  gemini: '0.61.0-plain',
  qwen: '0.24.4-plain',
};

async function open(host: keyof typeof RECORDINGS) {
  const root = fileURLToPath(new URL(`../adapters/${host}/fixtures/${RECORDINGS[host]}`, import.meta.url));
  const adapters = ADAPTERS.filter((adapter) => adapter.host === host);
  const sessions = createSessions(
    adapters.map((adapter) => ({ adapter, root, forced: false })),
    { clock: () => NOW },
  );
  return { sessions, opened: await sessions.open() };
}

async function show(host: keyof typeof RECORDINGS): Promise<string> {
  const { sessions, opened } = await open(host);
  const options = { paint: PLAIN, now: NOW };
  const list = { ...(await sessions.list({ limit: 5 })), ignoredFiles: 0 };
  const text = [
    ...formatSessions(computeSessions(list), options),
    '',
    ...formatTree(computeTree({ ...opened, ignoredFiles: 0 }, { internal: false }), options),
  ].join('\n');
  const { tree } = opened;
  const model = tree.agents[0]?.model ?? '';
  return (
    text
      .replaceAll(model, 'MODEL')
      .replaceAll(tree.id.slice(tree.id.indexOf(':') + 1), 'ID')
      .replaceAll(/\b[0-9a-f]{8}\b/g, 'SHORT-ID')
      // Gemini CLI writes down no version, either.
      .replaceAll([host, ...(tree.hostVersion === undefined ? [] : [tree.hostVersion])].join(' '), 'HOST')
      .replaceAll(new RegExp(`${host}$`, 'gm'), 'HOST')
      .replaceAll(/\/home\/dev\/[\w./-]+/g, 'FOLDER')
      .replaceAll(/\b\d+(\.\d)?k?( \d+%)?( (s|ms|min|h|d))?( ago)?/g, 'N')
      .replaceAll(/ {2,}/g, '  ')
      .replaceAll(/completed {2}(?:plain|project) {2}/g, 'completed  PROJECT  ')
  );
}

describe('a session without sub-agents', () => {
  it('looks the same with every host', async () => {
    const shown = await show('claude-code');
    expect(shown).toMatchInlineSnapshot(`
      "  session  status  project  title  agents  output  last  host
      ✓  SHORT-ID  completed  PROJECT  Please do the job. [[play:plain]]  N  N  N  HOST

      Please do the job. [[play:plain]]
      completed · N · N agent · N output tokens
      ID · HOST · main · FOLDER

      agent  id  status  model  calls  output  context  time
      ✓ main  SHORT-ID  completed  MODEL  N  N  N  N"
    `);
    // Gemini CLI writes down no branch.
    for (const host of Object.keys(RECORDINGS) as (keyof typeof RECORDINGS)[])
      expect(await show(host)).toBe(host === 'gemini' ? shown.replace(' · main', '') : shown);
  });

  it('names its host as its adapter does', async () => {
    for (const { host, title } of ADAPTERS.filter((adapter) => adapter.host in RECORDINGS)) {
      const { opened } = await open(host as keyof typeof RECORDINGS);
      const { session } = computeTree({ ...opened, ignoredFiles: 0 }, { internal: false });
      expect([session.host, session.hostTitle]).toEqual([host, title]);
    }
  });
});
