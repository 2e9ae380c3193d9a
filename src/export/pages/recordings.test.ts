import { HtmlValidate } from 'html-validate';
import { describe, expect, it } from 'vitest';
import { RECORDINGS, type Recorded, readRecorded } from '../../audit/testing/recorded-sessions.ts';
import { checkLinks, readLinks } from '../check-export.ts';
import { renderMarkdownPages } from '../markdown/render-markdown.ts';
import type { RenderedPage } from './page-context.ts';
import { renderAgentPages } from './render-pages.ts';

const validator = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: { 'require-sri': 'off', 'long-title': 'off' },
});

function textsOf(
  { shared, plan, transcripts }: Recorded,
  render: typeof renderAgentPages,
): readonly { readonly file: string; readonly text: string }[] {
  const pages = transcripts.flatMap((transcript): RenderedPage[] => [...render(shared, plan, transcript)]);
  return pages.map(({ file, chunks }) => ({ file, text: [...chunks].join('') }));
}

/** What is wrong with them, in words. */
async function validate(
  pages: readonly { readonly file: string; readonly text: string }[],
): Promise<readonly string[]> {
  const reports = await Promise.all(
    pages.map(async ({ file, text }) => ({ file, report: await validator.validateString(text) })),
  );
  return reports.flatMap(({ file, report }) =>
    report.results.flatMap(({ messages }) =>
      messages.map(({ line, column, ruleId, message }) => `${file}:${line}:${column} ${ruleId} ${message}`),
    ),
  );
}

/** As they are written on a page. */
function reasonsUnknown({ shared }: Recorded): readonly string[] {
  return shared.agents.flatMap(({ status, runs }) =>
    status === 'unknown' && !runs.at(-1)?.reason?.includes('not recorded') ? (runs.at(-1)?.reason ?? []) : [],
  );
}

describe('pages of recorded sessions', () => {
  for (const name of RECORDINGS) {
    it(`${name}: every link is alive, every page is reached, titled and valid`, async () => {
      for (const recorded of await readRecorded(name)) {
        const pages = textsOf(recorded, renderAgentPages);
        expect(pages.length).toBe(recorded.plan.pages.length);
        expect(
          checkLinks(
            pages.map(({ file, text }) => readLinks(file, text)),
            'index.html',
          ),
        ).toEqual([]);
        expect(await validate(pages)).toEqual([]);
        const titles = pages.map(({ text }) => /<title>(.*?)<\/title>/s.exec(text)?.[1]);
        expect(new Set(titles).size, 'pages with the same title').toBe(pages.length);
        for (const reason of new Set(reasonsUnknown(recorded)))
          expect(pages.flatMap(({ text }) => text.split(reason)).length - pages.length, reason).toBe(1);
        const written = textsOf(recorded, renderMarkdownPages);
        expect(
          checkLinks(
            written.map(({ file, text }) => readLinks(file, text)),
            'index.md',
          ),
        ).toEqual([]);
        // The same in, the same out.
        expect(textsOf(recorded, renderAgentPages)).toEqual(pages);
      }
    });
  }

  it('cut into parts: anchors are found in the right one, and every message is in one', async () => {
    const [recorded] = await readRecorded('2.1.325-inter-compact', { messages: 3, characters: 4000 });
    if (!recorded) throw new Error('no session');
    const pages = textsOf(recorded, renderAgentPages);
    expect(pages.map(({ file }) => file)).toContain('index-3.html');
    expect(
      checkLinks(
        pages.map(({ file, text }) => readLinks(file, text)),
        'index.html',
      ),
    ).toEqual([]);
    expect(await validate(pages)).toEqual([]);
    for (const { messages, session_id } of recorded.transcripts) {
      const own = recorded.plan.find(session_id)?.files ?? [];
      const anchors = own.flatMap((file) =>
        readLinks(file, pages.find((page) => page.file === `${file}.html`)?.text ?? '').anchors.split('\n'),
      );
      const ofMessages = anchors.filter((anchor) => /^m-\d+$/.test(anchor));
      expect(ofMessages).toEqual(messages.map((_message, index) => `m-${index + 1}`));
    }
    const written = textsOf(recorded, renderMarkdownPages);
    expect(
      checkLinks(
        written.map(({ file, text }) => readLinks(file, text)),
        'index.md',
      ),
    ).toEqual([]);
  });

  it('a call leads to the agent it made, and the agent back to the very call', async () => {
    const [recorded] = await readRecorded('2.1.325-nested');
    if (!recorded) throw new Error('no session');
    const pages = new Map(textsOf(recorded, renderAgentPages).map(({ file, text }) => [file, text]));
    for (const { agent, files } of recorded.plan.pages.slice(1)) {
      const spawn = recorded.plan.spawnOf(agent);
      const parent = pages.get(`${spawn?.pages.files[0]}.html`) ?? '';
      const anchor = `m-${(spawn?.place.message ?? 0) + 1}-${(spawn?.place.part ?? 0) + 1}`;
      const door = parent
        .slice(parent.indexOf(`id="${anchor}"`))
        .split('<p class="card">')[1]
        ?.split('</p>')[0];
      expect(door).toContain(`href="${files[0]}.html"`);
      expect(pages.get(`${files[0]}.html`)).toContain(`href="${spawn?.pages.files[0]}.html#${anchor}"`);
    }
  });
});
