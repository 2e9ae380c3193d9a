// What a person is called for: somebody cannot go on alone, or there is nothing left to wait for.
import { isAtWork } from '../../model/tree.ts';
import type { SessionDetail } from '../../reports/live-shapes.ts';
import type { AgentReport } from '../../reports/shapes.ts';
import { WAITS } from '../status.ts';
import { bracketName, quoteOf } from './quote.ts';
import { type Piece, type RichText, rich } from './rich-text.ts';

const MOST_NAMES = 6;

export function needsYouLines({ needsYou }: SessionDetail, main: string): RichText {
  const [first] = needsYou;
  if (!first) return rich('🔔 Needs you');
  const who: readonly Piece[] = first.id === main ? [] : ['Subagent [', { code: bracketName(first.label) }, '] '];
  const others = needsYou.length > 1 ? `, and ${needsYou.length - 1} more` : '';
  return rich('🔔 Needs you\n  › ', ...who, `${WAITS[first.waitingOn]}${others}`);
}

/** `said`: the last words of the main agent. */
export function restLines(session: SessionDetail, said: string): RichText {
  const still = session.subagents.filter(({ status, kind }) => isAtWork(status) && kind !== 'internal');
  const quote = quoteOf(said);
  return rich(
    restWord(session.main),
    ...(still.length > 0 ? [`, ${still.length} ${still.length === 1 ? 'subagent' : 'subagents'} still running: `] : []),
    ...namesOf(still),
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

function namesOf(agents: readonly AgentReport[]): readonly Piece[] {
  const named = agents.slice(0, MOST_NAMES);
  const names = named.flatMap(({ label }, index): Piece[] => [
    index === 0 ? '[' : ', [',
    { code: bracketName(label) },
    ']',
  ]);
  return agents.length > named.length ? [...names, ` and ${agents.length - named.length} more`] : names;
}

/** Which session a message is about, where several share a chat. */
export function sessionLine({ project, title, id }: Pick<SessionDetail, 'project' | 'title' | 'id'>): RichText {
  const name = quoteOf(title ?? '', 60) || id.slice(0, 8);
  return rich('📁 ', { code: quoteOf(project ?? '', 40) || '–' }, ': ', { code: name });
}
