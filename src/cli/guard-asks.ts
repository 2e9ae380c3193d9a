import { type Ask, type AskAnswer, askedText, askerText, endText } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import { writeJson, writeLines } from './flags.ts';
import { formatAsks } from './format/index.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

interface JsonFlag {
  readonly json: boolean;
}

export async function guardAsks(this: CliContext, { json }: JsonFlag): Promise<void> {
  const all = await this.face.asks.list();
  const open = all?.filter(({ end }) => end === null) ?? [];
  if (json) return writeJson(this, { asks: open });
  if (open.length > 0) {
    writeLines(this, formatAsks(open, textOptionsOf(this.face)));
    return this.face.terminal.note('Answer one with: troupe guard answer ID allow|deny');
  }
  this.face.terminal.note(
    all ? 'No call waits for an answer.' : 'No call waits for an answer: no server runs that could hold one.',
  );
}

export async function guardAnswer(this: CliContext, { json }: JsonFlag, id: string, answer: AskAnswer): Promise<void> {
  const ask = findAsk((await this.face.asks.list()) ?? [], id);
  const answered = await this.face.asks.answer(ask.id, answer, 'cli');
  if (answered.outcome === 'unknown') throw noSuchAsk(id);
  if (answered.outcome === 'late') this.endWith(1);
  if (json) return writeJson(this, answered);
  const { end } = answered.ask;
  const what = `${askedText(ask)}, of ${askerText(ask)}`;
  const said = end ? endText(end) : '';
  writeLines(this, [answered.outcome === 'late' ? `Too late: ${what}` : what, said]);
}

/** By the beginning of its id; those that have ended are found, too, so that one hears what became of them. */
function findAsk(asks: readonly Ask[], id: string): Ask {
  const found = id === '' ? [] : asks.filter((ask) => ask.id.startsWith(id));
  const [first, ...others] = found.length > 1 ? found.filter(({ end }) => end === null) : found;
  if (!first) throw noSuchAsk(id);
  if (others.length > 0)
    throw new UserError('ask-ambiguous', `Several ids begin with ${id}.`, 'Give more characters of it.');
  return first;
}

function noSuchAsk(id: string): UserError {
  return new UserError('ask-not-found', `Nothing of the id ${id} waits for an answer.`, 'See: troupe guard asks');
}
