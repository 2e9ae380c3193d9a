import { cleanLine, plural, type SessionReport } from '../../core/index.ts';
import { groupBy } from '../../lib/group.ts';
import { lineText, linkTo } from '../markdown/markdown-text.ts';
import { type Content, DOCUMENT_END, html, join, type Markup, openDocument } from './document.ts';
import { type RenderedPage, renderStatus, sessionAmounts, sessionTitle, statusTexts, utcText } from './page-context.ts';
import { type PageEnding, takeName } from './page-plan.ts';
import { MADE_BY, renderTime } from './render-pages.ts';

/** A session with pages of its own. */
export interface ListedSession {
  readonly session: SessionReport;
  /** What was asked first, where the session has no title. */
  readonly asked: string | undefined;
  /** Of its pages, beside the index. */
  readonly folder: string;
}

/** A folder for each, by its id; never outside of the one that all of them are in. */
export function planFolders(ids: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(ids.map((id) => [id, takeName('session', id, taken)]));
}

/** The way into many sessions: newest first, by project. */
export function renderSessionsPage(listed: readonly ListedSession[], ending: PageEnding): RenderedPage {
  const title = plural(listed.length, 'session');
  const groups = groupByProject(listed);
  return {
    file: `index.${ending}`,
    chunks: ending === 'html' ? renderHtml(title, groups) : writeMarkdown(title, groups),
  };
}

type Groups = ReadonlyMap<string, readonly ListedSession[]>;

function groupByProject(listed: readonly ListedSession[]): Groups {
  const newest = listed.toSorted((a, b) => timeOf(b) - timeOf(a) || (a.folder < b.folder ? -1 : 1));
  return groupBy(newest, ({ session }) => cleanLine(session.project ?? '') || 'no project');
}

function timeOf({ session: { startedAt } }: ListedSession): number {
  return startedAt === null ? 0 : Date.parse(startedAt);
}

function* renderHtml(title: string, groups: Groups): Generator<string> {
  yield html`${openDocument(title)}<header class="top"><h1>${title}</h1></header>\n<main id="content">`.text;
  for (const [project, listed] of groups) {
    yield html`<section><h2>${project} <span class="note">${plural(listed.length, 'session')}</span></h2><ul class="sessions">`
      .text;
    for (const one of listed) yield renderEntry(one).text;
    yield '</ul></section>\n';
  }
  yield html`</main>\n<footer>${MADE_BY}</footer>${DOCUMENT_END}`.text;
}

function renderEntry({ session, asked, folder }: ListedSession): Markup {
  const facts: readonly Content[] = [renderTime(session.startedAt), ...amountsOf(session)];
  return html`<li><p><a href="${`${folder}/index.html`}">${sessionTitle(session, asked)}</a> ${renderStatus({ ...session, stalled: false })}</p><p class="nums">${join(facts.filter(Boolean), ' · ')}</p></li>\n`;
}

function* writeMarkdown(title: string, groups: Groups): Generator<string> {
  yield `# ${title}\n\n`;
  for (const [project, listed] of groups) {
    yield `## ${lineText(project)}\n\n`;
    for (const { session, asked, folder } of listed) {
      const facts = [
        statusTexts({ ...session, stalled: false }).join(' '),
        utcText(session.startedAt),
        ...amountsOf(session),
      ];
      yield `- ${linkTo(`${folder}/index.md`, lineText(sessionTitle(session, asked)))} ${facts.map(lineText).join(' · ')}\n`;
    }
    yield '\n';
  }
}

function amountsOf(session: SessionReport): readonly string[] {
  return [...sessionAmounts(session), cleanLine(session.branch ?? '')].filter((one) => one !== '');
}
