import type { ExportFormat, Transcript } from '../core/index.ts';
import type { ExportOptions } from './export-options.ts';
import { renderMarkdownPages } from './markdown/render-markdown.ts';
import type { PagePlan } from './pages/page-plan.ts';
import { type RenderedPage, renderAgentPages } from './pages/render-pages.ts';
import type { SharedSession } from './pages/shapes.ts';

/** Formats that have a page for each agent. */
export function pageKinds({
  formats,
  singlePage,
}: Pick<ExportOptions, 'formats' | 'singlePage'>): readonly ExportFormat[] {
  return formats.filter((format) => format === 'md' || (format === 'html' && singlePage === undefined));
}

/** The pages of one agent, in all formats that have some. */
export function* pagesOf(
  transcript: Transcript,
  shared: SharedSession,
  plan: PagePlan,
  options: Pick<ExportOptions, 'formats' | 'singlePage'>,
): Generator<Pick<RenderedPage, 'file' | 'chunks'>> {
  const kinds = pageKinds(options);
  if (kinds.includes('html')) yield* renderAgentPages(shared, plan, transcript);
  if (kinds.includes('md')) yield* renderMarkdownPages(shared, plan, transcript);
}
