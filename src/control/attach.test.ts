import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseQueued } from '../audit/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createTranscripts, thisMachine } from '../sessions/index.ts';
import { createAttach } from './attach.ts';
import { createGivenResults } from './intercept.ts';
import { findEndedRun } from './run-record.ts';

const root = fileURLToPath(new URL('../hosts/claude-code/fixtures/2.1.325-nested', import.meta.url));
const SESSION = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const AUDIT = 'a2ca437af9f568b24';

function attachIn(folder: string) {
  const transcripts = createTranscripts([{ adapter: claudeCode, root, forced: false }], () => Date.parse('2030-01-01'));
  return createAttach({
    adapters: [claudeCode],
    machine: thisMachine(),
    transcripts,
    folder,
    findEndedRun: (session) => findEndedRun(folder, session),
    createRedactor: async () => {
      throw new Error('nothing is handed over here');
    },
  });
}

function writeRun(folder: string, name: string, ...records: readonly object[]): string {
  const file = path.join(folder, 'runs', `${name}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return file;
}

describe('a message to an agent that cannot be reached', () => {
  it('reports that its run has ended, when, and how to continue', async () => {
    const folder = makeTemporaryFolder('attach');
    const started = { type: 'session_started', session_id: SESSION };
    writeRun(folder, '20261115T065016-1', started, {
      type: 'run_ended',
      at: '2026-11-15T06:50:19Z',
      session_id: SESSION,
    });
    writeRun(folder, '20261116T065016-1', { type: 'run_ended', at: '2026-11-16T06:50:19Z', session_id: 'another' });
    const said = await attachIn(folder).send(AUDIT, 'Stop.');
    expect(said).toEqual({
      whyNot: expect.stringMatching(
        new RegExp(`^its run ended at 1[45] Nov( 2026)? \\d\\d:50:19\\. Continue with: troupe attach ${AUDIT}$`),
      ),
    });
  });

  it('reports that the run was killed when no end was recorded', async () => {
    const folder = makeTemporaryFolder('attach');
    const file = writeRun(folder, '20261115T065016-1', { type: 'session_started', session_id: SESSION });
    appendFileSync(file, '{"type":"subagent_sp');
    const said = await attachIn(folder).send(SESSION, 'Stop.');
    expect(said).toEqual({ whyNot: `its run was killed. Continue with: troupe attach ${SESSION}` });
  });

  it('reports that the session is not a run when it was none', async () => {
    const said = await attachIn(makeTemporaryFolder('attach')).send(AUDIT, 'Stop.');
    expect(said).toEqual({ whyNot: expect.stringContaining('the session was not started by troupe run') });
  });
});

describe('a result from a file', () => {
  it('is queued for the audit as an injected result, not as a denial', async () => {
    const folder = makeTemporaryFolder('inject');
    const file = path.join(folder, 'results.yaml');
    writeFileSync(file, 'version: 1\nresults:\n  - tools: "Bash(npm test:*)"\n    result: 12 passed\n');
    const give = createGivenResults(file, folder, 'claude-code');
    const payload = {
      session_id: SESSION,
      transcript_path: path.join(root, 'none.jsonl'),
      cwd: '/home/dev',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
      tool_use_id: 'toolu_1',
    };
    expect(await give(payload, undefined)).toMatchObject({ kind: 'result', isError: false });
    const queued = readdirSync(path.join(folder, 'spool')).map((name) =>
      parseQueued(readFileSync(path.join(folder, 'spool', name))),
    );
    expect(queued).toMatchObject([{ payload, extra: { decision: 'inject', rule: 'inject:1', via: 'intercept' } }]);
  });
});
