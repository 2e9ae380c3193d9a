import type { AgentReport, SessionDetail } from '../core/index.ts';
import {
  endLines,
  moreToolsLine,
  spawnLines,
  startedLines,
  toolLines,
  unboundEndLines,
  unboundSpawnLines,
} from './messages/agent-lines.ts';
import { namesIn } from './messages/agent-names.ts';
import { needsYouLines, restLines } from './messages/notice-lines.ts';
import type { RichText } from './messages/rich-text.ts';
import type { News } from './news.ts';

/** As a person reads it. `session`: the one that it is of. `words`: of `readWords`. */
export function newsLines(news: News, session: SessionDetail, words: string): RichText {
  const nameOf = namesIn(session.subagents);
  switch (news.kind) {
    case 'spawned':
      return spawnLines(news.agent, nameOf, words);
    case 'started':
      return startedLines(news.agent, nameOf);
    case 'ended':
      return endLines(news.agent, nameOf, news.run, words);
    case 'unbound-spawn':
      return unboundSpawnLines(news.call);
    case 'unbound-end':
      return unboundEndLines(news.call, words);
    case 'called':
      return toolLines(callerOf(news.agent), nameOf, news.call);
    case 'needs-you':
      return needsYouLines(news.session);
    case 'rest':
      return restLines(news.session, words);
  }
}

/** Calls that there is no room for, in one line. */
export function moreCallsLine(
  calls: readonly Extract<News, { kind: 'called' }>[],
  { subagents }: SessionDetail,
): RichText {
  const byAgent = new Map<string, { readonly agent: AgentReport; count: number }>();
  for (const { agent } of calls) {
    const known = byAgent.get(agent.id);
    if (known) known.count++;
    else byAgent.set(agent.id, { agent, count: 1 });
  }
  const counts = new Map([...byAgent.values()].map(({ agent, count }) => [callerOf(agent), count]));
  return moreToolsLine(counts, namesIn(subagents));
}

/** The main agent's calls need no name. */
function callerOf(agent: AgentReport): AgentReport | undefined {
  return agent.kind === 'main' ? undefined : agent;
}
