// What an agent works with, as it changes.
import { atOf, type LineContext } from '../line-context.ts';

interface Settings {
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly contextWindow?: number | undefined;
}

/** Repeated with every reply and every request: only changes are told. */
export function tellNews(context: LineContext, settings: Settings): void {
  const { told } = context.state;
  const news = Object.entries(settings).filter(([field, value]) => value !== undefined && told.get(field) !== value);
  if (news.length === 0) return;
  for (const [field, value] of news) told.set(field, value);
  context.emit({ kind: 'agent-seen', agent: context.agent, ...atOf(context), ...Object.fromEntries(news) });
}
