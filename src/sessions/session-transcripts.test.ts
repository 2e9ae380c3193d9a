import { cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { flattenTranscripts, nativeId, readDocument, type Transcript, type TranscriptBlock } from '../core/index.ts';
import { parseDocument } from '../export/parse-document.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { misfits } from '../server/http/testing/validate.ts';
import { createSessions } from './sessions.ts';
import { agentFile, byAgent, jsonOf, mainFile, openTranscripts, openWritten, said } from './testing/written-session.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));
const recorded = readdirSync(fixtures).filter((name) => !name.endsWith('.md'));
const clock = () => Date.parse('2030-01-01');
const work = makeTemporaryFolder('transcripts');

const open = (name: string, id?: string) => openTranscripts(path.join(fixtures, name), id);

const blocksOf = ({ messages }: Transcript): readonly TranscriptBlock[] => messages.flatMap(({ content }) => content);

describe('every recorded session', () => {
  for (const name of recorded) {
    it(`${name} is written, fits its schema, and is read back as the same tree`, async () => {
      const places = [{ adapter: claudeCode, root: path.join(fixtures, name), forced: false }];
      for (const { id } of (await createSessions(places, { clock }).list({ limit: 99 })).trees) {
        const opened = await open(name, nativeId(id));
        const json = await jsonOf(opened);
        const document = parseDocument(json);
        expect(misfits('transcript-document', document)).toBe('');
        expect(document).toEqual(JSON.parse(JSON.stringify(await readDocument(opened))));
        expect(await jsonOf(await open(name, nativeId(id)))).toBe(json);
        const all = flattenTranscripts(document);
        expect(all.map(({ transcript }) => transcript.session_id)).toEqual(
          opened.agents.map(({ node }) => nativeId(node.id)),
        );
        const ids = new Set([...all.map(({ transcript }) => transcript.session_id)]);
        for (const { transcript } of all) {
          expect(transcript.messages.length).toBeGreaterThan(0);
          for (const block of blocksOf(transcript))
            if (block.type === 'tool_use' && block.sub_agent_ref) expect(ids).toContain(block.sub_agent_ref.agent_id);
        }
        const everybody = opened.tree.agents.map((agent) => nativeId(agent.id)).sort();
        expect([...ids, ...document.skipped.map(({ agent_id }) => agent_id)].sort()).toEqual(everybody);
      }
    });
  }
});

describe('the transcripts of a session', () => {
  it('are nested like the agents', async () => {
    const document = await readDocument(await open('2.1.325-nested-deep'));
    const [first] = document.sub_agents;
    expect(first?.parent_session_id).toBe(document.session_id);
    expect(first?.sub_agents[0]?.parent_session_id).toBe(first?.session_id);
    expect(document.session.agents.length).toBe(flattenTranscripts(document).length);
  });

  it('link to all agents that a call spawned, and none to themselves', async () => {
    const flow = await readDocument(await open('2.1.325-workflow'));
    const refs = blocksOf(flow).flatMap((block) => (block.type === 'tool_use' ? (block.sub_agent_refs ?? []) : []));
    expect(refs.map(({ agent_id }) => agent_id)).toEqual(flow.sub_agents.map(({ session_id }) => session_id));
    expect(refs.length).toBeGreaterThan(2);
    const fork = (await readDocument(await open('2.1.325-fork'))).sub_agents[0];
    expect(fork && blocksOf(fork).some((block) => block.type === 'tool_use' && block.sub_agent_ref)).toBe(false);
    expect(fork && blocksOf(fork)).toContainEqual({ type: 'text', text: expect.stringMatching(/^Your directive: /) });
  });

  it("leave out the host's internal work, and say so", async () => {
    const warm = await open('2.0.76-parallel');
    expect(warm.skipped.length).toBeGreaterThan(0);
    expect(warm.skipped[0]).toMatchObject({ kind: 'internal', reason: 'The host started it for itself: warm-up.' });
    const { skipped } = await open('derived-2.1.197-compaction-copy');
    expect(skipped.map(({ kind }) => kind)).toEqual(['internal']);
  });

  it('hold all runs of a teammate in one', async () => {
    const document = await readDocument(await open('derived-2.1.39-tmux-team', '1111'));
    expect(document.sub_agents.map(({ session_id }) => session_id)).toEqual(['data-layer-dev@multi-profile']);
    const texts = document.sub_agents.flatMap(blocksOf).flatMap((block) => ('text' in block ? block.text : []));
    expect(texts.join('\n')).toContain('Also add an index.');
    expect(texts.join('\n')).toContain('Add the profile table.');
  });

  it('leave out the delivery of a message unless an agent worked on it', async () => {
    const letter = '<teammate-message teammate_id="bob">\nHello.\n</teammate-message>';
    const reply = said('assistant', [{ type: 'text', text: 'Told.' }]);
    const opened = await openWritten(path.join(work, 'deliveries'), {
      [mainFile]: [said('user', 'Begin'), reply],
      [agentFile('a1')]: [said('user', letter, byAgent('a1')), { ...reply, ...byAgent('a1') }],
      [agentFile('a2')]: [
        said('user', letter, byAgent('a2')),
        said('assistant', [{ type: 'text', text: 'Work.' }], byAgent('a2')),
      ],
      [agentFile('a3')]: [],
    });
    expect(opened.skipped).toMatchObject([{ agent_id: 'a1', kind: 'delivery' }]);
    const document = await readDocument(opened);
    expect(document.sub_agents.map(({ session_id }) => session_id)).toEqual(['a2']);
    expect(document.session.agents.map(({ id }) => id)).toContain('a2');
  });

  it('show an agent with a missing file by what its parent knows', async () => {
    const folder = path.join(work, 'gone');
    cpSync(path.join(fixtures, '2.1.325-nested'), folder, { recursive: true });
    const before = await readDocument(await openTranscripts(folder));
    const [child] = before.sub_agents;
    const file = readdirSync(folder, { recursive: true }).find((one) =>
      one.toString().endsWith(`${child?.session_id}.jsonl`),
    );
    rmSync(path.join(folder, String(file)));
    const after = await readDocument(await openTranscripts(folder));
    const gone = flattenTranscripts(after).find(({ transcript }) => transcript.session_id === child?.session_id);
    expect(gone?.transcript.known_from).toBe('parent');
    expect(gone?.transcript.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(misfits('transcript-document', JSON.parse(JSON.stringify(after)))).toBe('');
  });
});
