import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { flattenTranscripts, type Transcript, type TranscriptDocument } from '../core/index.ts';
import { formatDocument } from '../export/document-json.ts';
import { parseDocument } from '../export/parse-document.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { misfits } from '../server/http/testing/validate.ts';
import {
  agentFile,
  answer,
  byAgent,
  call,
  jsonOf,
  mainFile,
  openWritten,
  SESSION,
  said,
} from './testing/written-session.ts';

const work = makeTemporaryFolder('hostile');
let made = 0;

async function exported(files: Parameters<typeof openWritten>[1]): Promise<TranscriptDocument> {
  const json = await jsonOf(await openWritten(path.join(work, String(made++)), files));
  const document = parseDocument(Buffer.from(json).toString('utf8'));
  expect(misfits('transcript-document', document)).toBe('');
  return document;
}

const textsOf = (transcript: Transcript | undefined): readonly string[] =>
  (transcript?.messages ?? [])
    .flatMap(({ content }) => content)
    .flatMap((block) => ('text' in block ? block.text : []));

describe('hostile transcripts', () => {
  it('lose only the torn and glued lines', async () => {
    const document = await exported({
      [mainFile]: [
        said('user', 'Begin'),
        '{"type":"user","message":{"role":"us',
        `{"type":"assistant","mess${JSON.stringify(said('assistant', [{ type: 'text', text: 'glued' }]))}`,
        JSON.stringify(said('assistant', [{ type: 'text', text: 'torn at the end' }])).slice(0, -1),
      ],
    });
    expect(textsOf(document)).toEqual(['Begin', 'glued']);
    expect(document.session.diagnostics.total).toBeGreaterThan(1);
  });

  it('keep half characters on input and output', async () => {
    const text = `a\ud800b\udc00 \u0000 \u202e`;
    const document = await exported({
      [mainFile]: [said('user', text), said('assistant', call('t', 'Bash', { [text]: text }))],
    });
    expect(textsOf(document)[0]).toBe(text);
    expect(document.messages[1]?.content[0]).toMatchObject({ input: { [text]: text } });
  });

  it('accept ids with paths in them as ids', async () => {
    const id = '../../../etc/passwd';
    const document = await exported({
      [mainFile]: [
        said('user', 'Begin'),
        said('assistant', call('t1', 'Agent', { description: 'd', prompt: 'Go', subagent_type: '../x' })),
        answer('t1', [{ type: 'text', text: 'Done.' }], { toolUseResult: { agentId: id, status: 'completed' } }),
      ],
    });
    expect(document.sub_agents[0]).toMatchObject({ session_id: id, known_from: 'parent' });
    expect(textsOf(document.sub_agents[0])).toEqual(['', 'Go', 'Done.']);
  });

  it('show one agent in two folders once, with every line once', async () => {
    const words = [
      said('user', 'Go', byAgent('a1')),
      said('assistant', [{ type: 'text', text: 'Yes' }], byAgent('a1')),
    ];
    const later = said('assistant', [{ type: 'text', text: 'Later' }], byAgent('a1'));
    const document = await exported({
      [mainFile]: [
        said('user', 'Begin'),
        said('assistant', call('t1', 'Agent', { description: 'd', prompt: 'Go' })),
        answer('t1', 'Done.', { toolUseResult: { agentId: 'a1', status: 'completed' } }),
      ],
      [agentFile('a1')]: words,
      [agentFile('a1', '-home-dev-moved')]: [...words, later, later],
    });
    expect(document.sub_agents).toHaveLength(1);
    expect(textsOf(document.sub_agents[0])).toEqual(['Go', 'Yes', 'Later']);
  });

  it('give a tree when agents claim to have spawned each other', async () => {
    const spawn = (id: string, by: string, made: string) => [
      said('assistant', call(id, 'Agent', { description: 'd', prompt: `Go ${made}` }), byAgent(by)),
      answer(id, 'x', { ...byAgent(by), toolUseResult: { agentId: made, status: 'completed' } }),
    ];
    const document = await exported({
      [mainFile]: [said('user', 'Begin')],
      [agentFile('a1')]: [said('user', 'One', byAgent('a1')), ...spawn('t1', 'a1', 'a2'), ...spawn('t3', 'a1', 'a1')],
      [agentFile('a2')]: [said('user', 'Two', byAgent('a2')), ...spawn('t2', 'a2', 'a1')],
    });
    const ids = flattenTranscripts(document).map(({ transcript }) => transcript.session_id);
    expect(ids.toSorted()).toEqual([SESSION, 'a1', 'a2']);
  });

  it('may hold endless inputs, unknown records and unknown content', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const document = await exported({
      [mainFile]: [
        said('user', [{ type: 'hologram', source: { type: 'base64', data: 'SECRET' } }]),
        JSON.stringify(said('assistant', call('t', 'Odd', 'DEEP'))).replace('"DEEP"', deep),
        { type: 'brand-new', secret: 'SECRET', sessionId: SESSION },
        { type: '__proto__', sessionId: SESSION },
      ],
    });
    expect(JSON.stringify(document)).not.toContain('SECRET');
    expect(document.messages[0]?.content).toEqual([
      { type: 'attachment', media_type: 'hologram', name: null, bytes: 4 },
    ]);
    expect(Object.entries(document.left_out).toSorted()).toEqual([
      ['__proto__', 1],
      ['brand-new', 1],
    ]);
  });

  it('keep images with their bytes, in messages and in results', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } };
    const document = await exported({
      [mainFile]: [
        said('user', [image]),
        said('assistant', call('t', 'Read', { file_path: 'x.png' })),
        answer('t', [image]),
      ],
    });
    const expected = { type: 'image', media_type: 'image/png', data: 'iVBORw==', bytes: 4 };
    expect(document.messages[0]?.content).toEqual([expected]);
    expect(document.messages[1]?.content[1]).toMatchObject({ type: 'tool_result', text: '', media: [expected] });
  });

  it('count a line of 70 megabytes without reading it', async () => {
    const document = await exported({
      [mainFile]: [said('user', 'Begin'), said('user', 'x'.repeat(70_000_000)), said('user', 'End')],
    });
    expect(textsOf(document)).toEqual(['Begin', 'End']);
    expect(document.session.diagnostics.items.map(({ code }) => code)).toContain('line-too-long');
  });
});

describe('documents of other programs', () => {
  const good = exported({ [mainFile]: [said('user', 'Begin'), said('assistant', call('t', 'Bash', {}))] });

  it('are refused with their position when they are damaged', async () => {
    const document = JSON.parse(JSON.stringify(await good));
    expect(() => parseDocument('{"format":"troupe-tr')).toThrow(/cut off/);
    expect(() => parseDocument('[]')).toThrow(/not a transcript/);
    expect(() => parseDocument(JSON.stringify({ ...document, version: 2 }))).toThrow(/version 2/);
    const without = JSON.parse(JSON.stringify(document));
    delete without.messages[1].content[0].tool_use_id;
    expect(() => parseDocument(JSON.stringify(without))).toThrow(/messages\[1\]\.content\[0\]\.tool_use_id should be/);
    const odd = { ...document, sub_agents: [{ ...document, sub_agents: [{ session_id: 5 }] }] };
    expect(() => parseDocument(JSON.stringify(odd))).toThrow(/sub_agents\[0\]\.sub_agents\[0\]\.session_id/);
    document.messages[1].content[0].input = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const json = JSON.stringify({ ...document, messages: [] }).replace('"left_out":{}', `"left_out":{},"x":${deep}`);
    expect(() => parseDocument(json)).toThrow(/nested less deeply/);
  });

  it('may be ten thousand agents deep', async () => {
    const { format, version, session, skipped, ...one } = await good;
    const flat = Array.from({ length: 10_000 }, (_, depth) => ({ depth, transcript: one }));
    let json = '';
    for await (const piece of formatDocument({ format, version, session, skipped }, flat)) json += piece;
    expect(flattenTranscripts(parseDocument(json))).toHaveLength(10_000);
  });
});
