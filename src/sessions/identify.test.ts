import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { computeIdentity, toToolCallId } from '../core/index.ts';
import { ADAPTERS } from '../hosts/testing/all-hosts.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createIdentifier } from './identify.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));
const identifier = createIdentifier(ADAPTERS, () => Date.parse('2030-01-01T00:00:00Z'));

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('identify');
});

interface Session {
  readonly transcript: string;
  readonly lines: readonly string[];
}

/** A copy of a recording whose main transcript ends behind the last line that `keeps` accepts: the run as it was then. */
function stoppedAt(name: string, keeps: (line: string) => boolean): Session {
  cpSync(path.join(fixtures, name), folder, { recursive: true });
  const truth = JSON.parse(readFileSync(path.join(folder, 'truth.json'), 'utf8'));
  const id = truth.agents[0].id;
  const project = findProject(id);
  const transcript = path.join(project, `${id}.jsonl`);
  const lines = readFileSync(transcript, 'utf8').split('\n');
  const kept = lines.slice(0, lines.findLastIndex(keeps) + 1);
  writeFileSync(transcript, `${kept.join('\n')}\n`);
  return { transcript, lines: kept };
}

function findProject(id: string): string {
  const name = readFileSync(path.join(folder, 'tree.txt'), 'utf8').match(
    new RegExp(`in (projects/[^/]+)/${id}\\.jsonl`),
  )?.[1];
  return path.join(folder, name ?? '');
}

async function identify(transcript: string, call?: string) {
  return computeIdentity(await identifier.identify({ transcript, ...(call && { toolCall: toToolCallId(call) }) }));
}

/** The requests that 2.1.325 repeats in its transcript hold the same words: only a reply's own line counts. */
const isSpawnCall = (line: string): boolean =>
  line.includes('"type":"assistant"') && /"name":"(Agent|Task)"/.test(line);
const isResult = (line: string): boolean => line.includes('"tool_use_id"');

describe('identify without a call id', () => {
  it('names the sub-agent of the only open call, as a guess', async () => {
    for (const name of ['2.1.325-single', '2.1.20-inter-single']) {
      const { transcript } = stoppedAt(name, isSpawnCall);
      expect(await identify(transcript)).toMatchObject({
        agent_type: 'subagent',
        subagent_name: 'general-purpose',
        subagent_description: 'Count TODO comments',
        evidence: { rank: 'guess', source: 'open-call' },
      });
    }
  });

  it('returns unknown with both when two calls are open', async () => {
    const { transcript } = stoppedAt('2.1.325-parallel', isSpawnCall);
    const report = await identify(transcript);
    expect(report).toMatchObject({ agent_type: 'unknown', agent_id: null, evidence: { rank: 'none' } });
    expect(report.candidates.map((one) => one.subagent_description)).toEqual(['Inspect source files', 'Write a note']);
  });

  it('names the background agent or the main agent as possible', async () => {
    const { transcript } = stoppedAt('2.1.325-background', (line) => line.includes('async_launched'));
    const report = await identify(transcript);
    expect(report.agent_type).toBe('unknown');
    expect(report.candidates.map((one) => one.subagent_description)).toEqual([null, 'Long running check']);
    expect(report.candidates[0]?.agent_id).toBe(path.basename(transcript, '.jsonl'));
  });

  it('names the main agent when every call is answered', async () => {
    const { transcript } = stoppedAt('2.1.325-single', isResult);
    expect(await identify(transcript)).toMatchObject({ agent_type: 'main', evidence: { rank: 'guess' } });
  });

  it('ignores a call that an earlier turn left open', async () => {
    const { transcript, lines } = stoppedAt('2.1.325-hang-sigkill', () => true);
    const prompt = lines.find((line) => line.includes('"type":"user"')) ?? '';
    writeFileSync(transcript, `${lines.join('\n')}\n${prompt.replace(/"uuid":"[^"]+"/, '"uuid":"next"')}\n`);
    expect(await identify(transcript)).toMatchObject({ agent_type: 'main' });
  });

  it('returns unknown when the turn is longer than 8 MB, because its start was not read', async () => {
    const { transcript, lines } = stoppedAt('2.1.325-single', isSpawnCall);
    const filler = JSON.stringify({ type: 'attachment', attachment: { type: 'file', content: 'x'.repeat(1_000_000) } });
    writeFileSync(transcript, `${[...lines, ...Array(9).fill(filler)].join('\n')}\n`);
    expect(await identify(transcript)).toMatchObject({
      agent_type: 'unknown',
      reason: expect.stringContaining('8 MB'),
    });
    writeFileSync(transcript, `${[...lines, ...Array(6).fill(filler)].join('\n')}\n`);
    expect(await identify(transcript)).toMatchObject({ agent_type: 'subagent' });
  });
});

describe('identify with a call id', () => {
  it('finds the caller among parallel agents, in every generation', async () => {
    const cases = [
      ['2.1.325-parallel', 'Inspect source files'],
      ['2.1.50-inter-parallel', 'Inspect source files'],
      ['2.1.38-twins-hang', null],
    ] as const;
    for (const [name, description] of cases) {
      const { transcript } = stoppedAt(name, isSpawnCall);
      const truth = JSON.parse(readFileSync(path.join(folder, 'truth.json'), 'utf8'));
      const agent = truth.agents[1].id;
      const own = readFileSync(
        path.join(transcript.slice(0, -'.jsonl'.length), 'subagents', `agent-${agent}.jsonl`),
        'utf8',
      );
      const call = own.match(/"type":"tool_use","id":"([^"]+)"/)?.[1];
      expect(await identify(transcript, call)).toMatchObject({
        agent_type: 'subagent',
        agent_id: agent,
        subagent_description: description,
        evidence: { rank: 'exact', source: 'tool-call' },
      });
    }
  });

  it('reports that a call is not on disk yet, and falls back to the open calls', async () => {
    const { transcript } = stoppedAt('2.1.325-single', isSpawnCall);
    expect(await identify(transcript, 'toolu_not_yet')).toMatchObject({
      agent_type: 'subagent',
      evidence: { rank: 'guess' },
      reason: expect.stringContaining('not in any transcript'),
    });
  });

  it("takes a sub-agent's own transcript as proof", async () => {
    const { transcript } = stoppedAt('2.1.325-nested', () => true);
    const own = path.join(transcript.slice(0, -'.jsonl'.length), 'subagents', 'agent-ab4c7b9a30ff9f65c.jsonl');
    expect(await identify(own)).toMatchObject({
      agent_type: 'subagent',
      agent_id: 'ab4c7b9a30ff9f65c',
      agent_path: ['fa129e54-d574-4fea-bbfe-0dd74bbd38cd', 'a2ca437af9f568b24', 'ab4c7b9a30ff9f65c'],
      evidence: { rank: 'exact', source: 'own-transcript' },
    });
  });
});
