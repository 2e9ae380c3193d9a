import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../compose/testing/recorded-sessions.ts';
import type { Transcript, TranscriptBlock } from '../../model/transcript.ts';
import type { AgentReport } from '../../reports/shapes.ts';
import { checkLinks, readLinks } from './check-links.ts';
import { outlineTranscript } from './outline.ts';
import { planPages } from './page-plan.ts';
import { renderAgentPages } from './render-pages.ts';
import type { SharedSession } from './shapes.ts';

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

describe('what was left out', () => {
  it('an agent without a page is named, says why, and is no link', () => {
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

  it('the footer says what was redacted, shortened and not understood', () => {
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

  it('pictures are shown only where they can be nothing else', () => {
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

  it('however deep they stand', () => {
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
