import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../audit/testing/recorded-sessions.ts';
import type { AgentReport, Transcript, TranscriptBlock } from '../../core/index.ts';
import { runsOf } from '../../lib/testing/seed.ts';
import { checkLinks, readLinks } from '../check-export.ts';
import { PAGE_STYLE } from './document.ts';
import { outlineTranscript, planPages, type SharedSession } from './page-plan.ts';
import { renderAgentPages } from './render-pages.ts';

const [recorded] = await readRecorded('2.1.325-nested');
if (!recorded) throw new Error('no session');
const { shared, transcripts } = recorded;

function pagesOf(session: SharedSession, own: readonly Transcript[]): ReadonlyMap<string, string> {
  const plan = planPages(
    session,
    own.map((transcript) => outlineTranscript(transcript)),
  );
  const pages = own.flatMap((transcript) => [...renderAgentPages(session, plan, transcript)]);
  return new Map(pages.map(({ file, chunks }) => [file, [...chunks].join('')]));
}

/** The first transcript with these blocks in its second message. */
function saying(...content: readonly TranscriptBlock[]): Transcript {
  const [main] = transcripts;
  if (!main) throw new Error('no transcript');
  return {
    ...main,
    messages: main.messages.map((message, index) => (index === 1 ? { ...message, content } : message)),
  };
}

describe('omissions', () => {
  it('names an agent without a page and the reason, without a link', () => {
    const [main, , ...others] = transcripts;
    if (!main) throw new Error('no transcript');
    const gone = shared.agents[1]?.id ?? '';
    const skipped = [{ agent_id: gone, kind: 'empty' as const, reason: 'it said nothing' }];
    const pages = pagesOf({ ...shared, skipped }, [main, ...others]);
    const index = pages.get('index.html') ?? '';
    expect(index).toContain('no page: it said nothing');
    expect(index).not.toContain(`agent-${gone}.html`);
    expect(index).toContain('Without a page: 1 × it said nothing.');
    const links = [...pages].map(([file, text]) => readLinks(file, text));
    expect(checkLinks(links, 'index.html')).toEqual([]);
  });

  it('lists in the footer what was redacted, shortened and not understood', () => {
    const handling = {
      redacted: [{ what: 'github token', count: 2 }],
      shortened: [{ what: 'thinking', count: 7 }],
      leftOut: [{ what: 'new-<b>kind', count: 3 }],
    };
    const index = pagesOf({ ...shared, handling }, transcripts).get('index.html');
    expect(index).toContain('Redacted: 2 × github token.');
    expect(index).toContain('Shortened: 7 × thinking.');
    expect(index).toContain('3 × new-&lt;b&gt;kind.');
    const open = pagesOf({ ...shared, handling: { ...handling, redacted: undefined } }, transcripts).get('index.html');
    expect(open).toContain('Nothing was redacted');
  });
});

describe('the call that made an agent', () => {
  const asking = (prompt: string): string => {
    const made = { agent_id: shared.agents[1]?.id ?? '', agent_name: null, agent_type: null, team_name: null };
    const input = { description: 'Part', prompt };
    const call = { type: 'tool_use' as const, tool_use_id: 'c', name: 'Agent', input, summary: 'Part' };
    return pagesOf(shared, [saying({ ...call, sub_agent_ref: made }), ...transcripts.slice(1)]).get('index.html') ?? '';
  };

  it('shows a short prompt and folds a long one', () => {
    expect(asking('Read one file.\nThen stop.')).toMatch(/<p class="label">asked<\/p>[\s\S]{0,80}Read one file\./);
    const long = asking('Read one file. '.repeat(60));
    expect(long).toMatch(/<summary>asked: [^<]+<\/summary>/);
    expect(long).not.toContain('<p class="label">asked</p>');
  });
});

describe('an agent whose transcript is gone', () => {
  it('has a page that says so, and a first page even when there are no messages', () => {
    const [main, first] = transcripts;
    if (!main || !first) throw new Error('no transcripts');
    const pages = pagesOf(shared, [
      { ...main, messages: [] },
      { ...first, known_from: 'parent' },
    ]);
    expect(pages.get('index.html')).toContain('No message of it is recorded.');
    expect([...pages.values()].at(-1)).toContain('Its own transcript is gone.');
    expect(pages.size).toBe(2);
    const links = [...pages].map(([file, text]) => readLinks(file, text));
    expect(checkLinks(links, 'index.html')).toEqual([]);
    expect(pagesOf(shared, [main, { ...first, messages: [] }]).size).toBe(1);
  });
});

describe('what an agent did', () => {
  const call = (name: string, input: unknown): TranscriptBlock => ({
    type: 'tool_use',
    tool_use_id: '1',
    name,
    input,
    summary: 'what for',
  });
  const result = (text: string): TranscriptBlock => ({ type: 'tool_result', tool_use_id: '1', text, is_error: false });
  const shown = (...content: readonly TranscriptBlock[]): string =>
    pagesOf(shared, [saying(...content)]).get('index.html') ?? '';

  it('is shown as what it is', () => {
    expect(shown(call('Bash', { command: 'ls <x>' }), result('a\nb'))).toMatch(
      /<pre class="text command">\nls &lt;x&gt;<\/pre><pre class="text">\na\nb<\/pre>/,
    );
    expect(
      shown(call('Edit', { file_path: 'a', old_string: 'one\ntwo', new_string: 'one\n2' }), result('ok')),
    ).toContain('<pre class="text diff">\n one\n<del>−two\n</del><ins>+2\n</ins></pre>');
    expect(shown(call('Read', { file_path: 'a' }), result('    7→seven\n    8→eight'))).toContain(
      '<ol class="lines" start="7"><li>seven</li>\n<li>eight</li></ol>',
    );
    expect(shown(call('TodoWrite', { todos: [{ content: 'x', status: 'completed' }] }), result('ok'))).toContain(
      '<li class="done">',
    );
  });

  it('characters that JSON spells out are as clean as any', () => {
    const answer = 'Links: [{"title":"a\\u202eb","url":"https://example.com/\\u202e"}]';
    for (const page of [
      shown(call('mcp__x__y', { a: 1 }), result('{"a":"\\u202e\\u0007\\ud800"}')),
      shown(call('WebSearch', { query: 'x' }), result(answer)),
    ])
      expect(page).not.toMatch(/[\u202e\u0007\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('shows pictures only when their data is certainly a picture', () => {
    const image = (media_type: string, data: string | null): TranscriptBlock => ({
      type: 'image',
      media_type,
      data,
      bytes: 4,
    });
    expect(shown(image('image/png', 'iVBORw=='))).toContain(
      '<img src="data:image/png;base64,iVBORw==" alt="image/png, 4 B">',
    );
    for (const bad of [
      image('image/svg+xml', 'PHN2Zz4='),
      image('image/png', '" onerror="x'),
      image('image/png', null),
    ])
      expect(shown(bad)).not.toContain('<img');
  });
});

describe('hostile text', () => {
  const ELEMENTS = new Set(
    'html head meta title style body a header p h1 h2 span nav ul ol li dl dt dd div main section svg rect path article b time details summary pre code ins del img strong em s br hr blockquote table thead tbody tr th td footer'.split(
      ' ',
    ),
  );
  const ATTRIBUTES = new Set(
    'lang charset http-equiv content name class href id dir aria-label aria-labelledby aria-hidden aria-current datetime role viewBox preserveAspectRatio x y width height d start rel open tabindex scope src alt'.split(
      ' ',
    ),
  );
  const piece = fc.oneof(
    fc.constantFrom(
      '</style>',
      '<script>x</script>',
      '"><img src=x onerror=y>',
      "' onclick='z",
      '<!--',
      ']]>',
      '&lt;b&gt;',
      '&#x202e;',
      '\u202e',
      '\u0000',
      '[a](javascript:x)',
      '[a](data:text/html,x)',
      '![a](https://example.com/x.png)',
      '<https://example.com/"x>',
      '```html\n<b>\n```',
      '\n\n',
      '| a |\n| - |\n| <i> |',
      '<a href=x>',
      '1. ',
      '> ',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const nasty = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const block = fc.oneof(
    fc.record({ type: fc.constantFrom('text' as const, 'thinking' as const, 'summary' as const), text: nasty }),
    fc
      .tuple(
        fc.oneof(
          fc.constantFrom(
            'Bash',
            'Edit',
            'Write',
            'Read',
            'Grep',
            'TodoWrite',
            'WebFetch',
            'WebSearch',
            'SendMessage',
            'Task',
          ),
          nasty,
        ),
        nasty,
        nasty,
        nasty,
      )
      .map(
        ([name, one, two, id]): TranscriptBlock => ({
          type: 'tool_use',
          tool_use_id: id,
          name,
          summary: one,
          input: {
            command: one,
            file_path: two,
            old_string: one,
            new_string: two,
            content: two,
            pattern: one,
            path: two,
            url: one,
            query: two,
            prompt: one,
            to: two,
            message: one,
            todos: [{ content: one, status: two }],
            [one]: two,
          },
          sub_agent_ref: { agent_id: one, agent_name: two, agent_type: one, team_name: two },
        }),
      ),
    fc.record({ type: fc.constant('tool_result' as const), tool_use_id: nasty, text: nasty, is_error: fc.boolean() }),
    fc.record({ type: fc.constant('image' as const), media_type: nasty, data: nasty, bytes: fc.nat() }),
    fc.record({ type: fc.constant('attachment' as const), media_type: nasty, name: nasty, bytes: fc.nat() }),
    fc.record({
      type: fc.constant('notice' as const),
      kind: fc.constantFrom('message' as const, 'reminder' as const),
      title: nasty,
      text: nasty,
      agent_id: nasty,
    }),
  );

  it('anywhere in a session makes no element, no attribute and no address that is not ours', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), nasty, nasty, (content, one, two) => {
        const [mainAgent, agent] = shared.agents;
        const [main, first] = transcripts;
        if (!mainAgent || !agent || !main || !first) throw new Error('no agents');
        const child: AgentReport = {
          ...agent,
          id: `x${two}`,
          label: one,
          type: two,
          status: 'failed',
          model: one,
          runs: agent.runs.map((run) => ({ ...run, reason: one })),
        };
        const session = { ...shared.session, title: one, project: two, branch: one, hostVersion: two };
        const hostile: SharedSession = {
          ...shared,
          session,
          agents: [mainAgent, child],
          skipped: [{ agent_id: one, kind: 'empty', reason: two }],
          handling: { redacted: [{ what: one, count: 1 }], shortened: undefined, leftOut: [{ what: two, count: 1 }] },
        };
        const said = {
          ...saying(...content),
          author: { name: one, email: two },
          diff_stats: { added: 1, removed: 0, files: [{ path: one, added: 1, removed: 0 }] },
        };
        const pages = pagesOf(hostile, [said, { ...first, session_id: child.id }]);
        for (const [file, text] of pages) {
          const own = text.replace(PAGE_STYLE, '');
          expect(own).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
          for (const [tag, name = '', attributes = ''] of own.matchAll(/<\/?([^\s>/]*)([^>]*)>/g)) {
            if (tag === '<!DOCTYPE html>') continue;
            expect(ELEMENTS, tag).toContain(name);
            for (const [, attribute = '', value = ''] of attributes.matchAll(/\s([^\s=]+)(?:="([^"]*)")?/g)) {
              expect(ATTRIBUTES, tag).toContain(attribute);
              if (attribute === 'href')
                expect(value).toMatch(/^(?:#[\w-]+|[\w@.-]+\.html(?:#[\w-]+)?|https?:\/\/[^\s"<>]+)$/);
              if (attribute === 'src') expect(value).toMatch(/^data:image\/\w+;base64,/);
            }
          }
          expect(own.match(/</g)?.length, file).toBe(own.match(/>/g)?.length);
        }
        const links = [...pages].map(([file, text]) => readLinks(file, text));
        expect(checkLinks(links, 'index.html')).toEqual([]);
      }),
      { numRuns: runsOf(150) },
    );
  });
});

describe('very many agents', () => {
  it('other pages show the neighbours only, and lead to all of them', () => {
    const [main, first] = transcripts;
    const [mainAgent, firstAgent] = shared.agents;
    if (!main || !first || !mainAgent || !firstAgent) throw new Error('no agents');
    const many = Array.from(
      { length: 300 },
      (_one, index): AgentReport => ({ ...firstAgent, id: `a${index}`, label: `agent ${index}` }),
    );
    const own = many.map(({ id }): Transcript => ({ ...first, session_id: id }));
    const pages = pagesOf({ ...shared, agents: [mainAgent, ...many] }, [main, ...own]);
    const links = [...pages].map(([file, text]) => readLinks(file, text));
    expect(checkLinks(links, 'index.html')).toEqual([]);
    expect(pages.get('agent-a150.html')?.length).toBeLessThan(25_000);
    expect(pages.get('agent-a150.html')).toContain('>All 301 agents</a>');
  });

  it('are rendered at any depth', () => {
    const [mainAgent, firstAgent] = shared.agents;
    const [main] = transcripts;
    if (!mainAgent || !firstAgent || !main) throw new Error('no agents');
    const deep = Array.from(
      { length: 2000 },
      (_one, index): AgentReport => ({
        ...firstAgent,
        id: `a${index}`,
        parentId: index === 0 ? mainAgent.id : `a${index - 1}`,
      }),
    );
    const index = pagesOf({ ...shared, agents: [mainAgent, ...deep] }, [main]).get('index.html') ?? '';
    expect(index.match(/<ul/g)?.length).toBe(index.match(/<\/ul>/g)?.length);
    expect(index.match(/<li/g)?.length).toBe(index.match(/<\/li>/g)?.length);
  });
});
