// What a person is called for: somebody cannot go on alone, or there is nothing left to wait for.

import { type AgentReport, isAtWork, type SessionDetail, WAITS } from '../../core/index.ts';
import { listNames, namesIn } from './agent-names.ts';
import { quoteOf } from './quote.ts';
import { type Piece, type RichText, rich } from './rich-text.ts';

const MOST_NAMES = 6;

export function needsYouLines({ needsYou, main, subagents }: SessionDetail): RichText {
  const [first] = needsYou;
  if (!first) return rich('🔔 Needs you');
  const who: readonly Piece[] = first.id === main.id ? [] : ['Subagent ', ...namesIn(subagents)(first), ' '];
  const others = needsYou.length > 1 ? `, and ${needsYou.length - 1} more` : '';
  return rich('🔔 Needs you\n  › ', ...who, `${WAITS[first.waitingOn]}${others}`);
}

/** `said`: the last words of the main agent. */
export function restLines({ main, subagents }: SessionDetail, said: string): RichText {
  const still = subagents.filter(({ status, kind }) => isAtWork(status) && kind !== 'internal');
  const named = still.slice(0, MOST_NAMES);
  const left = still.length - named.length;
  const quote = quoteOf(said);
  return rich(
    restWord(main),
    ...(still.length > 0 ? [`, ${still.length} ${still.length === 1 ? 'subagent' : 'subagents'} still running: `] : []),
    ...listNames(named, namesIn(subagents)),
    left > 0 ? ` and ${left} more` : '',
    ...(quote === '' ? [] : ['\n  › ', { code: quote }]),
  );
}

function restWord({ status }: AgentReport): string {
  switch (status) {
    case 'failed':
      return '❌ The session failed';
    case 'stopped':
      return '⏹ The session was stopped';
    case 'unknown':
      return '❔ The session ended without a word';
    default:
      return '🏁 Done';
  }
}

/** Which session a message is about, where several share a chat. */
export function sessionLine({ project, title, id }: Pick<SessionDetail, 'project' | 'title' | 'id'>): RichText {
  const name = quoteOf(title ?? '', 60) || id.slice(0, 8);
  return rich('📁 ', { code: quoteOf(project ?? '', 40) || '–' }, ': ', { code: name });
}
