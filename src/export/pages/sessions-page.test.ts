import { HtmlValidate } from 'html-validate';
import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../audit/testing/recorded-sessions.ts';
import { checkLinks, readLinks } from '../check-export.ts';
import { renderAgentPages } from './render-pages.ts';
import { type ListedSession, planFolders, renderSessionsPage } from './sessions-page.ts';

const recorded = (
  await Promise.all(['2.1.325-xss', '2.1.325-nested', '2.1.325-orphan-forked'].map((name) => readRecorded(name)))
).flat();
const folders = planFolders(recorded.map(({ shared }) => shared.session.id));
const listed = recorded.map(
  ({ shared, plan }): ListedSession => ({
    session: shared.session,
    asked: plan.pages[0]?.outline.asked,
    folder: folders.get(shared.session.id) ?? '',
  }),
);

describe('the index over many sessions', () => {
  it('leads to each of them, and each leads back', async () => {
    const index = renderSessionsPage(listed, 'html');
    const text = [...index.chunks].join('');
    const pages = recorded.flatMap(({ shared, plan, transcripts }) => {
      const folder = folders.get(shared.session.id) ?? '';
      const below = { ...shared, overview: '../index' };
      return transcripts
        .flatMap((transcript) => [...renderAgentPages(below, plan, transcript)])
        .map(({ file, chunks }) => readLinks(`${folder}/${file}`, [...chunks].join('')));
    });
    expect(checkLinks([readLinks(index.file, text), ...pages], 'index.html')).toEqual([]);
    expect(pages.filter(({ targets }) => targets.includes('../index.html')).length).toBe(recorded.length);
    const { valid, results } = await new HtmlValidate({ extends: ['html-validate:standard'] }).validateString(text);
    expect({ valid, results: results.map(({ messages }) => messages) }).toEqual({ valid: true, results: [] });
  });

  it('newest first, by project, with outcome, agents and cost', () => {
    const text = [...renderSessionsPage(listed, 'md').chunks].join('');
    expect(text).toMatch(/^# 4 sessions\n/);
    expect(text).toContain('## nested');
    expect(text).toMatch(
      /- \[Please do the job\. .*\]\(<session-[\w-]+\/index\.md>\) ✓ completed · 2026-11-15 06:50:16 · 2\.0 s · 4 agents · 6 tool calls · 378 tokens written · \$0\.02 · main/,
    );
  });
});
