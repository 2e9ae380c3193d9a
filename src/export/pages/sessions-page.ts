import { cleanLine, costText, formatDuration, plural, type SessionReport } from '../../core/index.ts';
import { lineText, linkTo } from '../markdown/markdown-text.ts';
import { closeDocument, openDocument } from './document.ts';
import { type Content, html, join, type Markup } from './markup.ts';
import type { RenderedPage } from './page-context.ts';
import { renderStatus, sessionTitle, statusTexts, utcText } from './page-context.ts';
import { type PageEnding, takeFolder } from './page-plan.ts';
import { renderTime } from './render-pages.ts';

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
  return new Map(ids.map((id) => [id, takeFolder(id, taken)]));
}

/** The way into many sessions: newest first, by project. */
export function renderSessionsPage(listed: readonly ListedSession[], ending: PageEnding): RenderedPage {
  const title = plural(listed.length, 'session');
  const groups = groupByProject(listed);
  return {
    file: `index.${ending}`,
    title,
    chunks: ending === 'html' ? renderHtml(title, groups) : writeMarkdown(title, groups),
  };
}

type Groups = ReadonlyMap<string, readonly ListedSession[]>;

function groupByProject(listed: readonly ListedSession[]): Groups {
  const newest = [...listed].sort((a, b) => timeOf(b) - timeOf(a) || (a.folder < b.folder ? -1 : 1));
  const groups = new Map<string, ListedSession[]>();
  for (const one of newest) {
    const project = cleanLine(one.session.project ?? '') || 'no project';
    groups.set(project, [...(groups.get(project) ?? []), one]);
  }
  return groups;
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
  yield html`</main>\n<footer><p>Made by troupe. Times are UTC.</p></footer>${closeDocument()}`.text;
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

function amountsOf({ startedAt, lastActivityAt, agents, cost, branch }: SessionReport): readonly string[] {
  const lasted =
    startedAt !== null && lastActivityAt !== null
      ? formatDuration(Date.parse(lastActivityAt) - Date.parse(startedAt))
      : '';
  const price = costText(cost);
  return [lasted, plural(agents, 'agent'), price === 'not known' ? '' : price, cleanLine(branch ?? '')].filter(
    (one) => one !== '',
  );
}
