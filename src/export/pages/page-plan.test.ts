import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../audit/testing/recorded-sessions.ts';
import type { AgentReport } from '../../core/index.ts';
import { hrefOfMessage, outlineTranscript, planPages, withoutEnvelope, withoutJson } from './page-plan.ts';
import { planFolders } from './sessions-page.ts';

const hostileId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '../../etc/passwd',
    'a/b',
    'a\\b',
    'con',
    'A',
    'a',
    'a-2',
    'a.html',
    'index',
    'x'.repeat(500),
    '🙂',
    'researcher@git',
  ),
);

const [recorded] = await readRecorded('2.1.325-single');
const main = recorded?.shared.agents[0] as AgentReport;
const transcript = recorded?.transcripts[0];
if (!transcript) throw new Error('no transcript');

describe('the plan of pages', () => {
  it('gives every agent its own file name inside the folder, whatever the ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hostileId, { maxLength: 12 }), fc.nat({ max: 3 }), (ids, more) => {
        const agents = [
          main,
          ...ids.filter((id) => id !== main.id).map((id): AgentReport => ({ ...main, id, kind: 'task' })),
        ];
        const parts = [0, 1, 2, 3].slice(0, more + 1);
        const outlines = agents.map(({ id }) => ({ ...outlineTranscript(transcript), agent: id, messages: 4, parts }));
        const { pages } = planPages({ agents, skipped: [] }, outlines);
        const files = pages.flatMap((page) => page.files);
        expect(pages.length).toBe(agents.length);
        expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
        for (const file of files) expect(file).toMatch(/^(?:index|agent-[A-Za-z0-9_@.-]{1,200})(?:-\d+)?(?:_\d+)?$/);
        expect(files[0]).toBe('index');
      }),
    );
  });

  it('the ids that hosts give are the names', () => {
    const agents = [
      main,
      { ...main, id: 'ae267a1', kind: 'task' as const },
      { ...main, id: 'researcher@git', kind: 'task' as const },
    ];
    const outlines = agents.map(({ id }) => ({ ...outlineTranscript(transcript), agent: id }));
    const { pages } = planPages({ agents, skipped: [] }, outlines);
    expect(pages.map(({ files }) => files[0])).toEqual(['index', 'agent-ae267a1', 'agent-researcher@git']);
  });

  it('folders of sessions are as safe', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hostileId), (ids) => {
        const folders = [...planFolders(ids).values()];
        expect(new Set(folders.map((folder) => folder.toLowerCase())).size).toBe(ids.length);
        for (const folder of folders) expect(folder).toMatch(/^session-[A-Za-z0-9_@.-]{1,200}$/);
      }),
    );
  });

  it('finds the part of each message, and the card says why there is no page', () => {
    const outline = { ...outlineTranscript(transcript), messages: 9, parts: [0, 4, 8] };
    const plan = planPages(
      { agents: [main], skipped: [{ agent_id: 'x', kind: 'internal', reason: 'the host’s own' }] },
      [outline],
    );
    const [page] = plan.pages;
    if (!page) throw new Error('no page');
    expect([0, 3, 4, 7, 8].map((at) => hrefOfMessage(page, at, 'html'))).toEqual([
      'index.html#m-1',
      'index.html#m-4',
      'index-2.html#m-5',
      'index-2.html#m-8',
      'index-3.html#m-9',
    ]);
    expect(plan.whyNot('x')).toBe('the host’s own');
    expect(plan.whyNot('y')).toBe('nothing of it was written down');
  });
});

describe('names', () => {
  it('are words when they are given as JSON or in an element of the host', () => {
    expect(withoutJson('{"title":"Fix \\"the\\" login","isNewTopic":true}')).toBe('Fix "the" login');
    // Labels are cut: the document may have no end.
    expect(withoutJson('{"isNewTopic":false,"title":"Scripted ti')).toBe('Scripted ti');
    expect(withoutJson('[{"summary":"One thing"}]')).toBe('One thing');
    expect(withoutJson('API Error: 529 {"type":"error","error":{"message":"Overloaded"}}')).toBe(
      'API Error: 529: Overloaded',
    );
    expect(withoutJson('{"isNewTopic":false}')).toBe('');
    for (const name of ['{braces} in words', 'Fix {"a": 1} in config', '[docs] Write', ''])
      expect(withoutJson(name)).toBe(name);
    const letter = '<teammate-message teammate_id="lead" summary="Check the API">\nPlease check.\n</teammate-message>';
    expect(withoutEnvelope(letter)).toBe('Check the API');
    expect(withoutEnvelope('<system-note>\nRead this.\n</system-note>').trim()).toBe('Read this.');
    expect(withoutEnvelope('<div>is broken</div>')).toBe('<div>is broken</div>');
  });
});
